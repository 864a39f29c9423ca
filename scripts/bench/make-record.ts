import { generateKeyPairSync } from 'node:crypto';
import type { VerificationResult } from '#contract/result.ts';
import { begin, conclude } from '#engine/index.ts';
import { attestedWork } from '#engine/record/attested.ts';
import type { Execution } from '#service/ports/executions.ts';
import type { Signer } from '#service/ports/signer.ts';
import { makeRecord } from '#service/records/make-record.ts';
import { publicHalf, signPayload } from '#service/records/sign-payload.ts';
import { declare, evidence } from './engine.ts';

/** Everything that a record adds to a verification of ten assertions: statement, digests, signature, text. */
export function recordToMake(): () => Promise<unknown> {
  const started_at = '2026-05-04T08:00:00.000Z';
  const inputs = { doc: { kind: 'json', value: evidence } } as const;
  const verifier = declare();
  const run = begin(verifier, { started_at, inputs });
  const uid = '01a20000-0000-7000-8000-000000000001';
  const verifier_ref = { kind: 'Verifier', name: 'bench', version: '1.0.0', uid } as const;
  const subject_ref = { kind: 'Agent', name: 'subject', version: '1.0.0', uid } as const;
  const execution: Execution = {
    execution_id: uid,
    status: 'running',
    verdict: null,
    origin: 'execute',
    verifier: verifier_ref,
    subject: subject_ref,
    binding_id: null,
    owner_card_uid: null,
    group_id: null,
    run_id: null,
    principal: 'p',
    error: null,
    created_at: started_at,
    ended_at: null,
    request: { inputs, not_stored: [], route_overrides: {}, deployment_environment: null },
    result: null,
    record: null,
  };
  const result: Omit<VerificationResult, 'record'> = {
    execution_id: uid,
    verifier: verifier_ref,
    subject: subject_ref,
    outcome: conclude(run),
    engine: { name: 'touchstone', version: '0.1.0' },
  };
  const target = {
    verifier,
    verifier_ref,
    subject_ref,
    verifier_sha256: 'a'.repeat(64),
    subject_sha256: 'b'.repeat(64),
  };
  const { privateKey } = generateKeyPairSync('ed25519');
  const { kid } = publicHalf(privateKey);
  const sign: Signer['sign'] = async (type, payload) => ({
    signatures: [signPayload({ kid, privateKey }, type, payload)],
  });
  const signer: Signer = { sign, signAsRoot: sign, rootKeys: async () => ({ keys: [] }) };
  const log = { info() {}, warn() {}, error() {} };
  return () =>
    makeRecord(
      { signer, log },
      { tenant: 'local', execution, target, result, work: attestedWork(run), ended_at: '2026-05-04T08:00:01.000Z' },
    );
}
