import { Problem } from '#contract/errors.ts';
import { isUuidV7 } from '#contract/ids.ts';
import type { DeclarationAnswer } from '#contract/requests/cards.ts';
import { type Principal, requirePermission } from '../auth/principal.ts';
import { type IdempotencyPorts, runOnce, type ToRow } from '../idempotency.ts';
import type { Registry, StoredCard } from '../ports/registry.ts';
import type { Uploads } from '../ports/uploads.ts';
import type { Evidence } from '../ports.ts';
import { toRfc3339 } from '../time.ts';
import { answerRef, toOutcome } from './declare.ts';
import { isLapsed } from './place-card.ts';

export interface CompletePorts extends IdempotencyPorts {
  readonly registry: Registry;
  readonly uploads: Uploads;
  readonly evidence: Evidence;
}

/**
 * Makes a Card active whose files have all arrived (docs/spec/wire.md §4.5). A Card that is active already answers the
 * same, so a client that lost the answer may ask again.
 */
export async function completeCard(
  ports: CompletePorts,
  principal: Principal,
  request: { readonly card_uid: string; readonly key: string | null },
): Promise<DeclarationAnswer> {
  const card = await findCard(ports, principal, request.card_uid);
  if (card.manifest.length > 0) requirePermission(principal, ['artifacts:write']);
  const call = {
    tenant: principal.tenant,
    principal: principal.id,
    method: 'POST',
    path: `/v1/cards/${card.uid}/complete`,
    key: request.key,
    body: null,
  };
  const { answer } = await runOnce(ports, call, (toRow) => completeNow(ports, principal, card.uid, toRow));
  return JSON.parse(answer) as DeclarationAnswer;
}

/** Null when the Card left `pending` meanwhile: how it stands then decides. */
async function completeNow(
  ports: CompletePorts,
  principal: Principal,
  cardUid: string,
  toRow: ToRow,
): Promise<string | null> {
  const card = await findCard(ports, principal, cardUid);
  const text = JSON.stringify(toAnswer({ ...card, status: 'active' }));
  if (card.status === 'active' || card.status === 'deprecated') return text;
  await refuseUnfinished(ports, principal.tenant, card);
  const at = toRfc3339(ports.clock.now());
  return (await ports.registry.settlePending(principal.tenant, card.uid, 'active', at, toRow(text))) ? text : null;
}

async function findCard(ports: CompletePorts, principal: Principal, cardUid: string): Promise<StoredCard> {
  const card = isUuidV7(cardUid) ? await ports.registry.byUid(principal.tenant, cardUid) : null;
  if (!card || card.status === 'deleted') throw new Problem('WYRD_REGISTRY_404_CARD_NOT_FOUND', 'no such Card');
  return card;
}

async function refuseUnfinished(ports: CompletePorts, tenant: string, card: StoredCard): Promise<void> {
  const now = ports.clock.now();
  if (card.status !== 'pending' || isLapsed(card, now)) {
    if (card.status === 'pending') await ports.registry.settlePending(tenant, card.uid, 'expired', toRfc3339(now));
    throw new Problem('WYRD_REGISTRY_410_OPERATION_EXPIRED', 'the declaration lapsed');
  }
  const uploads = await ports.uploads.ofCard(tenant, card.uid);
  const open = uploads.filter((upload) => upload.status !== 'completed').map((upload) => upload.relative_path ?? '');
  if (open.length > 0 || uploads.length < card.manifest.length) {
    throw new Problem('WYRD_REGISTRY_400_UPLOAD_INTERRUPTED', 'not all files were uploaded and completed', {
      files: open,
    });
  }
  const held = await ports.evidence.sizes(
    tenant,
    uploads.map((upload) => upload.sha256),
  );
  const wrong = uploads.filter((upload) => held.get(upload.sha256) !== upload.size_bytes);
  if (wrong.length > 0) {
    throw new Problem('WYRD_REGISTRY_507_ARTIFACT_VERIFY_FAILED', 'stored files are not as declared', {
      files: wrong.map((upload) => upload.relative_path ?? ''),
    });
  }
}

function toAnswer(card: StoredCard): DeclarationAnswer {
  return {
    root: answerRef(card, card.dialect),
    outcomes: [toOutcome({ card, fate: 'new' }, card.dialect)],
    upload_plans: [],
  };
}
