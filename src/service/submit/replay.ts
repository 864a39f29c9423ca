import { Problem } from '#contract/errors.ts';
import type { PinnedInput } from '#contract/evidence.ts';
import type { JsonObject } from '#contract/json.ts';
import type { Verifier } from '#engine/plan.ts';
import { type Principal, requireVerifier } from '../auth/principal.ts';
import { admittedPermissions } from '../auth/tool-permissions.ts';
import { type CompilePorts, compiledVerifier } from '../cards/compiled-verifiers.ts';
import { type IdempotencyPorts, runOnce, type ToRow } from '../idempotency.ts';
import type { Attempts, Workflow } from '../ports/attempts.ts';
import type { Execution, Executions } from '../ports/executions.ts';
import type { Evidence, Ids, Log } from '../ports.ts';
import { statementIn } from '../records/show-record.ts';
import { toRfc3339 } from '../time.ts';
import { pinnedAttachments } from '../verify/pin-inputs.ts';
import { requireExecution } from '../verify/read-executions.ts';
import { requireRoom } from './require-room.ts';
import { startWork } from './start-work.ts';

export interface ReplayPorts extends IdempotencyPorts, CompilePorts {
  readonly ids: Ids;
  readonly log: Log;
  readonly attempts: Attempts;
  readonly executions: Executions;
  readonly evidence: Evidence;
  readonly workflow: Workflow;
}

export interface ReplayCall {
  readonly execution_id: string;
  /** Another version of the same Verifier; null: the one that judged. */
  readonly verifier_card_uid: string | null;
  readonly compare: boolean;
  readonly key: string | null;
  readonly body: JsonObject;
}

/**
 * Judges the pinned evidence of an execution again, in the background, and answers `{"execution_id"}` as JSON text
 * (docs/spec/background.md §1.8, wire.md §10). It joins no group, brings about nothing and changes no binding.
 */
export async function replayExecution(ports: ReplayPorts, principal: Principal, call: ReplayCall): Promise<string> {
  const original = await requireExecution(ports, principal, call.execution_id);
  if (original.status !== 'completed') {
    throw new Problem('TOUCHSTONE_409_NOT_REPLAYABLE', 'the execution has no verdict');
  }
  const verifierUid = call.verifier_card_uid ?? original.verifier.uid ?? '';
  requireVerifier(principal, verifierUid);
  const keyed = {
    tenant: principal.tenant,
    principal: principal.id,
    method: 'POST',
    path: `/v1/verification/executions/${call.execution_id}/replay`,
    // Whoever sends no key asks for one more replay each time.
    key: call.key ?? `replay-${ports.ids.next()}`,
    body: call.body,
  };
  const replaying = { original, verifierUid, compare: call.compare };
  const { answer } = await runOnce(ports, keyed, (toRow) => admit(ports, principal, replaying, toRow));
  return answer;
}

interface Replaying {
  readonly original: Execution;
  readonly verifierUid: string;
  readonly compare: boolean;
}

async function admit(
  ports: ReplayPorts,
  principal: Principal,
  { original, verifierUid, compare }: Replaying,
  toRow: ToRow,
): Promise<string | null> {
  const { tenant } = principal;
  await requireRoom(ports, tenant);
  const target = await compiledVerifier(ports, tenant, {
    verifier_uid: verifierUid,
    subject_uid: original.subject.uid ?? '',
  });
  const { kind, name } = target.verifier_ref;
  if (kind !== 'Verifier' || name !== original.verifier.name) {
    throw new Problem('WYRD_SPEC_400_VALIDATION', 'a replay is judged by a version of the same Verifier', {
      field: '/verifier_card_uid',
    });
  }
  requireSlots(target.verifier, original);
  await requireHeld(ports, tenant, original);
  // Tools of the replay act for whoever asks for it, not for whoever asked first.
  const { member_of: _members, tool_permissions: _theirs, ...kept } = original.request;
  const request = {
    ...kept,
    inputs: { ...kept.inputs, ...pinnedAttachments(target.verifier) },
    ...admittedPermissions(target.verifier, principal),
  };
  const pinned_traces = pinnedTraces(original);
  const execution: Execution = {
    ...original,
    execution_id: ports.ids.next(),
    status: 'pending',
    verdict: null,
    origin: 'replay',
    verifier: target.verifier_ref,
    binding_id: null,
    run_id: null,
    principal: principal.id,
    error: null,
    created_at: toRfc3339(ports.clock.now()),
    ended_at: null,
    request: { ...request, pinned_traces, replay_of: original.execution_id, ...(compare ? { compare } : {}) },
    result: null,
    record: null,
  };
  const { execution_id } = execution;
  const answer = JSON.stringify({ execution_id });
  if ((await ports.attempts.admit(tenant, execution, toRow(answer))) === 'key_taken') return null;
  await startWork(ports, tenant, execution_id);
  return answer;
}

/** What was pinned must have a place in the version that judges it now. */
function requireSlots(verifier: Verifier, { request }: Execution): void {
  const attached = new Set(Object.keys(verifier.attachments));
  for (const [slot, input] of Object.entries(request.inputs)) {
    if (attached.has(slot) || fits(verifier, slot, input)) continue;
    throw new Problem('WYRD_VERIFICATION_422_INPUT_INCOMPATIBLE', `slot ${slot} does not take what was pinned for it`, {
      field: '/verifier_card_uid',
      slot,
    });
  }
}

function fits(verifier: Verifier, name: string, input: PinnedInput): boolean {
  const slot = Object.hasOwn(verifier.slots, name) ? verifier.slots[name] : undefined;
  if (slot === undefined) return false;
  if (input.kind === 'json') return slot.type === 'json' || slot.type === 'source';
  if (input.kind === 'trace') return slot.type === 'trace';
  return slot.type === 'media' && slot.formats.includes(input.format);
}

/** Evidence that was erased, or whose time is over, cannot be judged again. */
async function requireHeld({ evidence }: ReplayPorts, tenant: string, original: Execution): Promise<void> {
  const { inputs, not_stored, window } = original.request;
  const traces = Object.entries(pinnedTraces(original));
  const files = Object.entries(inputs).flatMap(([slot, input]) => ('sha256' in input ? [[slot, input.sha256]] : []));
  files.push(...traces.map(([traceId, sha256]) => [traceId, sha256]));
  const held = await evidence.sizes(
    tenant,
    files.map(([, sha256 = '']) => sha256),
  );
  const gone = files.find(([slot = '', sha256 = '']) => !held.has(sha256) && !not_stored.includes(slot));
  const isErased = original.result === null && window === undefined;
  if (gone === undefined && !isErased) return;
  const what = gone === undefined ? 'the inputs of the execution' : `what was judged of ${gone[0]}`;
  throw new Problem('TOUCHSTONE_410_EVIDENCE_EXPIRED', `${what} are no longer held`);
}

/** Digests of the traces as they were judged, by trace id: the record names them (docs/spec/records.md §1). */
function pinnedTraces({ record, request }: Execution): Record<string, string> {
  const subjects = record === null ? [] : statementIn(record).subject;
  const digests = new Map(subjects.map(({ name, digest }) => [name, digest.sha256]));
  const pinned = Object.entries(request.inputs).flatMap(([slot, input]): [string, string][] => {
    const sha256 = digests.get(`input/${slot}`);
    return input.kind === 'trace' && sha256 !== undefined ? [[input.trace_id.toLowerCase(), sha256]] : [];
  });
  return Object.fromEntries(pinned);
}
