import { Problem } from '#contract/errors.ts';
import type { JsonObject } from '#contract/json.ts';
import type { DeclarationAnswer } from '#contract/requests/cards.ts';
import { setAlarm } from '../alarms/set-alarms.ts';
import { type Principal, requirePermission } from '../auth/principal.ts';
import { baselinesOf } from '../drift/baselines-of.ts';
import { type IdempotencyPorts, runOnce, type ToRow } from '../idempotency.ts';
import type { Alarms } from '../ports/due.ts';
import type { Dialect, StoredCard } from '../ports/registry.ts';
import { settlingMs } from '../ports/schedules.ts';
import type { Transfers, Upload } from '../ports/uploads.ts';
import type { Log } from '../ports.ts';
import { firstOccurrences } from '../schedules/first-occurrences.ts';
import { toResultRef } from '../verify/find-target.ts';
import { makeBindings } from './make-bindings.ts';
import type { PlacedCard } from './place-card.ts';
import { type PreparedDeclaration, type PreparePorts, prepareDeclaration } from './prepare-declaration.ts';
import { readSubmissions } from './read-submissions.ts';

export interface DeclarePorts extends PreparePorts, IdempotencyPorts {
  readonly transfers: Transfers;
  readonly log: Log;
  readonly alarms: Alarms;
}

/**
 * Declares Cards all or nothing and answers what became of each (docs/spec/wire.md §4). Under a key that was used
 * before, answers the same Cards as `idempotent_noop`.
 */
export async function declareCards(
  ports: DeclarePorts,
  principal: Principal,
  request: { readonly submissions: readonly JsonObject[]; readonly key: string | null },
): Promise<{ readonly answer: DeclarationAnswer; readonly created: boolean }> {
  const call = {
    tenant: principal.tenant,
    principal: principal.id,
    method: 'POST',
    path: '/v1/cards',
    key: request.key,
    body: { submissions: request.submissions },
  };
  const { answer, replayed } = await runOnce(ports, call, (toRow) =>
    declareNow(ports, principal, request.submissions, toRow),
  );
  const first = JSON.parse(answer) as DeclarationAnswer;
  if (!replayed) return { answer: first, created: first.outcomes.some((outcome) => outcome.outcome === 'declared') };
  return { answer: await replayAnswer(ports, principal, first), created: false };
}

/** Null when what was decided on has changed meanwhile. */
async function declareNow(
  ports: DeclarePorts,
  principal: Principal,
  submitted: readonly JsonObject[],
  toRow: ToRow,
): Promise<string | null> {
  const submissions = readSubmissions(submitted);
  if (submissions.cards.some((card) => card.manifest.length > 0)) requirePermission(principal, ['artifacts:write']);
  const prepared = await prepareDeclaration(ports, principal, submissions);
  return store(ports, principal.tenant, submissions.dialect, prepared, toRow);
}

/** One transaction, or null. */
async function store(
  ports: DeclarePorts,
  tenant: string,
  dialect: Dialect,
  prepared: PreparedDeclaration,
  toRow: ToRow,
): Promise<string | null> {
  const fresh = prepared.placed.filter(({ fate }) => fate === 'new').map(({ card }) => card);
  const known = prepared.placed.filter(({ fate }) => fate !== 'new').map(({ card }) => card.uid);
  const freshUids = new Set(fresh.map((card) => card.uid));
  const outside = fresh
    .flatMap((card) => card.references.map(({ ref }) => ref.uid))
    .filter((uid) => !freshUids.has(uid));
  const uploads = prepared.placed.flatMap(({ card, fate }) => (fate === 'deduplicated' ? [] : uploadsOf(ports, card)));
  const answer = JSON.stringify(await toAnswer(ports, tenant, dialect, prepared, uploads));
  const bindings = fresh.flatMap((card) => makeBindings(card, ports.ids, prepared.references.byUid));
  const schedules = await firstOccurrences(bindings, ports.clock.now());
  const due_at = ports.clock.now();
  const baselines = fresh.flatMap(({ kind, uid, spec }) =>
    kind === 'Verifier' ? baselinesOf(spec).map((requirement) => ({ verifier_uid: uid, requirement, due_at })) : [],
  );
  const outcome = await ports.registry.declare(tenant, {
    cards: fresh,
    bindings,
    schedules,
    baselines,
    uploads,
    relies_on: [...new Set([...known, ...outside])],
    idempotency: toRow(answer),
  });
  if (outcome !== 'stored') return null;
  for (const { binding_id, next_at } of schedules) {
    await setAlarm(ports, { tenant, kind: 'occurrence', id: binding_id, due_at: next_at + settlingMs });
  }
  return answer;
}

function uploadsOf(ports: DeclarePorts, card: StoredCard): readonly Upload[] {
  return card.manifest.map((entry) => ({
    upload_id: `wyu_${ports.ids.next()}`,
    purpose: 'artifact',
    sha256: Buffer.from(entry.sha256, 'base64').toString('hex'),
    size_bytes: entry.size_bytes,
    content_type: entry.content_type,
    card_uid: card.uid,
    relative_path: entry.relative_path,
    status: 'pending',
    created_at: ports.clock.now(),
  }));
}

async function toAnswer(
  ports: DeclarePorts,
  tenant: string,
  dialect: Dialect,
  prepared: PreparedDeclaration,
  uploads: readonly Upload[],
): Promise<DeclarationAnswer> {
  const withFiles = prepared.placed.filter(({ card }) => uploads.some((upload) => upload.card_uid === card.uid));
  return {
    root: answerRef(prepared.root.card, dialect),
    outcomes: prepared.placed.map((placed) => toOutcome(placed, dialect)),
    upload_plans: await Promise.all(
      withFiles.map(async ({ card }) => ({
        card_ref: answerRef(card, dialect),
        entries: await Promise.all(
          uploads
            .filter((upload) => upload.card_uid === card.uid)
            .map(async (upload) => ({
              relative_path: upload.relative_path ?? '',
              upload_id: upload.upload_id,
              plan: await plan(ports, tenant, upload),
            })),
        ),
      })),
    ),
  };
}

type Entry = DeclarationAnswer['upload_plans'][number]['entries'][number];

async function plan(ports: DeclarePorts, tenant: string, upload: Upload): Promise<Entry['plan']> {
  const made = await ports.transfers.uploadPlan(tenant, upload);
  switch (made.protocol) {
    case 'local_fs':
      return made;
    case 'single_put':
      return { protocol: 'single_put', data: { ...made.data, required_headers: [...made.data.required_headers] } };
    case 'multipart':
      return { protocol: 'multipart', data: { ...made.data, required_headers: [...made.data.required_headers] } };
  }
}

export function answerRef(card: StoredCard, dialect: Dialect): DeclarationAnswer['root'] {
  return dialect === 'spaced' ? { ...toResultRef(card), space: card.space } : toResultRef(card);
}

export function toOutcome(
  { card, fate }: Omit<PlacedCard, 'authored'>,
  dialect: Dialect,
): DeclarationAnswer['outcomes'][number] {
  return {
    card_ref: answerRef(card, dialect),
    spec_hash: card.spec_hash,
    artifact_hash: card.artifact_hash,
    status: card.status,
    outcome: fate === 'deduplicated' ? 'deduplicated' : 'declared',
    card_blob_uri: null,
  };
}

/** What was declared under the key, as it stands now (docs/spec/wire.md §4.1). */
async function replayAnswer(
  ports: DeclarePorts,
  principal: Principal,
  first: DeclarationAnswer,
): Promise<DeclarationAnswer> {
  const outcomes = await Promise.all(
    first.outcomes.map(async (outcome) => {
      const card = await ports.registry.byUid(principal.tenant, outcome.card_ref.uid ?? '');
      const status = card?.status ?? outcome.status;
      if (status === 'expired') throw new Problem('WYRD_REGISTRY_410_OPERATION_EXPIRED', 'the declaration lapsed');
      return { ...outcome, status, outcome: 'idempotent_noop' as const };
    }),
  );
  return { ...first, outcomes };
}
