import type { JsonObject } from '#contract/json.ts';
import type { VerificationResult } from '#contract/result.ts';
import { begin, conclude } from '#engine/index.ts';
import { attestedWork } from '#engine/record/attested.ts';
import { cardDigest } from '#engine/record/card.ts';
import type { RecordCheck } from '#engine/record/check-record.ts';
import { statementOf } from '#engine/record/statement.ts';
import { makeKey, published, signJson } from '#test/support/record-signing.ts';
import { declare, evidence, spec } from './engine.ts';

const started_at = '2026-05-04T08:00:00Z';
const uid = (position: number) => `01a20000-0000-7000-8000-00000000000${position}`;
const card = (kind: string, name: string, position: number, body: JsonObject): JsonObject => ({
  apiVersion: 'wyrd/v1',
  kind,
  metadata: { name, version: '1.0.0', uid: uid(position) },
  spec: body,
});

/** A record of ten assertions, signed by an hourly key that a P-256 root delegated to; without and with what was judged. */
export function recordsToCheck(): { readonly alone: RecordCheck; readonly whole: RecordCheck } {
  const inputs = { doc: { kind: 'json', value: evidence } } as const;
  const run = begin(declare(), { started_at, inputs });
  const verifier = card('Verifier', 'bench', 1, spec);
  const subject = card('Agent', 'subject', 2, {});
  const result: VerificationResult = {
    execution_id: uid(3),
    verifier: { kind: 'Verifier', name: 'bench', version: '1.0.0', uid: uid(1) },
    subject: { kind: 'Agent', name: 'subject', version: '1.0.0', uid: uid(2) },
    outcome: conclude(run),
    engine: { name: 'touchstone', version: '0.1.0' },
  };
  const statement = statementOf({
    tenant: 'local',
    started_at,
    ended_at: '2026-05-04T08:00:01Z',
    result,
    inputs,
    work: attestedWork(run),
    verifier_sha256: cardDigest(verifier) ?? '',
    subject_sha256: cardDigest(subject) ?? '',
  });
  const [root, hourly] = [makeKey('p256'), makeKey('ed25519')];
  const window = { valid_from: '2026-05-04T07:30:00Z', valid_until: '2026-05-04T08:30:00Z' };
  const terms = { version: 1, key: hourly.jwk, tenant_scope: '*', purpose: 'records', ...window };
  const alone = {
    record: JSON.stringify({
      envelope: signJson('statement', statement as JsonObject, hourly),
      delegation: signJson('delegation', terms, root),
    }),
    keys: { keys: [published(root, { valid_from: '2026-01-01T00:00:00Z' })] },
  };
  const held = { result: JSON.stringify(result), cards: [verifier, subject].map((one) => JSON.stringify(one)) };
  return { alone, whole: { ...alone, ...held, evidence: [] } };
}
