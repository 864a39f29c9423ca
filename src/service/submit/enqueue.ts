import { Problem } from '#contract/errors.ts';
import type { JsonObject } from '#contract/json.ts';
import { setAlarms } from '../alarms/set-alarms.ts';
import { type Principal, requireVerifier } from '../auth/principal.ts';
import { touchesOf } from '../groups/membership.ts';
import { type IdempotencyPorts, runOnce, type ToRow } from '../idempotency.ts';
import type { Attempts, Workflow } from '../ports/attempts.ts';
import type { Alarms } from '../ports/due.ts';
import type { Ids, Log } from '../ports.ts';
import {
  type AcceptedRequest,
  type AcceptPorts,
  acceptRequest,
  newExecution,
  type VerificationRequest,
} from '../verify/accept-request.ts';
import { escapePointer } from '../verify/pin-inputs.ts';
import { requireRoom } from './require-room.ts';
import { startWork } from './start-work.ts';

export interface EnqueuePorts extends AcceptPorts, IdempotencyPorts {
  readonly ids: Ids;
  readonly log: Log;
  readonly attempts: Attempts;
  readonly workflow: Workflow;
  readonly alarms: Alarms;
}

export interface EnqueueCall {
  readonly request: VerificationRequest;
  /** As sent; null when the header is absent. */
  readonly key: string | null;
  /** The body as it was sent, which is what the key stands for. */
  readonly body: JsonObject;
}

/**
 * Accepts background work and answers its JSON text, `{"execution_id"}` (docs/spec/wire.md §6.3). When it answers, the
 * execution is durable; the same key and body get the same id (docs/spec/background.md §2).
 */
export async function enqueue(ports: EnqueuePorts, principal: Principal, call: EnqueueCall): Promise<string> {
  requireVerifier(principal, call.request.verifier_card_uid);
  const keyed = {
    tenant: principal.tenant,
    principal: principal.id,
    method: 'POST',
    path: '/v1/verification/enqueue',
    key: call.key,
    body: call.body,
  };
  const { answer } = await runOnce(ports, keyed, (toRow) => admit(ports, principal, call.request, toRow));
  return answer;
}

/** Null when another process stored the key first. */
async function admit(
  ports: EnqueuePorts,
  principal: Principal,
  request: VerificationRequest,
  toRow: ToRow,
): Promise<string | null> {
  const { tenant } = principal;
  await requireRoom(ports, tenant);
  const accepted = await acceptRequest(ports, principal, request);
  requireStored(accepted, request.inputs);
  const execution = newExecution(accepted, request, {
    execution_id: ports.ids.next(),
    status: 'pending',
    origin: 'enqueue',
    principal: principal.id,
    created_at: ports.clock.now(),
  });
  const { execution_id } = execution;
  const answer = JSON.stringify({ execution_id });
  const touches = await touchesOf(ports, tenant, execution, Date.parse(execution.created_at));
  if ((await ports.attempts.admit(tenant, execution, toRow(answer), touches)) === 'key_taken') return null;
  await setAlarms(ports, tenant, touches);
  await startWork(ports, tenant, execution_id);
  return answer;
}

/** What is answered 202 can be judged: its files are here, not only declared (docs/spec/wire.md §6.3). */
function requireStored({ pinned }: AcceptedRequest, inputs: JsonObject): void {
  const slot = pinned.not_stored.find((name) => Object.hasOwn(inputs, name));
  if (slot === undefined) return;
  throw new Problem('WYRD_VERIFICATION_400_INPUT_INVALID', `input ${slot}: its file is not stored`, {
    field: `/inputs/${escapePointer(slot)}`,
    slot,
  });
}
