import { setAlarm } from '../alarms/set-alarms.ts';
import { type CompilePorts, compiledVerifier } from '../cards/compiled-verifiers.ts';
import type { Alarms } from '../ports/due.ts';
import type { Execution, Executions } from '../ports/executions.ts';
import type { GroupMember, GroupPlace } from '../ports/group-touch.ts';
import { type Group, type Groups, groupDueId } from '../ports/groups.ts';
import type { BindingState } from '../ports/registry.ts';
import type { Clock, Ids, Log } from '../ports.ts';
import { type ExecutionError, executionError } from '../submit/execution-error.ts';
import { toRfc3339 } from '../time.ts';
import type { ActivityPorts } from '../verify/activity.ts';
import { type GroupEnd, groupEndOf } from './group-of.ts';
import { ownerRefusal } from './owner-standing.ts';
import { takeSnapshot } from './take-snapshot.ts';

export interface GroupPorts extends CompilePorts, ActivityPorts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly groups: Groups;
  readonly executions: Executions;
  readonly alarms: Alarms;
}

/** A list of more is refused, never cut. */
export const maxMembers = 1_000;
/** The lists of a snapshot together: what a step may put out at most (docs/spec/verification.md §4.2). */
const maxSnapshotBytes = 16 * 1_048_576;
/** A snapshot that is incomplete for longer ends in an error (docs/spec/background.md §5.7 row 10). */
const patienceMs = 5 * 60_000;

/**
 * A group was quiet for long enough: admits one execution over what is visible now, or one that says why there is none
 * (docs/spec/background.md §5.6, §5.7). Answers an execution that is to be started. Does nothing when the group is not due.
 */
export async function ringGroup(ports: GroupPorts, tenant: string, place: GroupPlace): Promise<Execution | null> {
  const [group, binding] = await Promise.all([
    ports.groups.find(tenant, place),
    ports.registry.binding(tenant, place.binding_id),
  ]);
  const groupEnd = binding && groupEndOf(binding);
  if (!group || group.due_at === null || !binding || !groupEnd) return null;
  const now = ports.clock.now();
  if (group.due_at > now) {
    await setAlarm(ports, { tenant, kind: 'group', id: groupDueId(place), due_at: group.due_at });
    return null;
  }
  const made = await judgment(ports, tenant, { group, binding, groupEnd, due_at: group.due_at, now });
  if (made === null || !(await ports.groups.judge(tenant, place, group.due_at, made))) return null;
  return made.status === 'pending' ? made : null;
}

interface Judging {
  readonly group: Group;
  readonly binding: BindingState;
  readonly groupEnd: GroupEnd;
  readonly due_at: number;
  readonly now: number;
}

/** Null: the group stays due. */
async function judgment(ports: GroupPorts, tenant: string, judging: Judging): Promise<Execution | null> {
  const { group, binding, groupEnd, due_at, now } = judging;
  const refusal = await ownerRefusal(ports, tenant, binding, now);
  if (refusal !== null) return newExecution(ports, tenant, judging, { error: refusal });
  const members = await ports.groups.members(tenant, group, maxMembers + 1);
  if (members.length > maxMembers) return newExecution(ports, tenant, judging, { error: tooLarge });
  const { found, missing } = await readMembers(ports.executions, tenant, members);
  if (missing.length > 0) {
    if (now - due_at <= patienceMs) return null;
    const message = `the inputs of these executions are not readable: ${missing.join(', ')}`;
    return newExecution(ports, tenant, judging, {
      error: executionError('WYRD_VERIFICATION_409_SNAPSHOT_INCOMPLETE', message),
    });
  }
  const { inputs, sources } = takeSnapshot(groupEnd, found);
  if (Buffer.byteLength(JSON.stringify(inputs)) > maxSnapshotBytes) {
    return newExecution(ports, tenant, judging, { error: tooLarge });
  }
  return newExecution(ports, tenant, judging, { inputs, sources });
}

const tooLarge = executionError(
  'WYRD_VERIFICATION_413_INPUT_TOO_LARGE',
  `a group has ${maxMembers} members and 16 MiB of evidence at most`,
);

/** So many are read at once; a member is as large as its inputs and its result. */
const readAtOnce = 16;

async function readMembers(
  executions: Executions,
  tenant: string,
  members: readonly GroupMember[],
): Promise<{ readonly found: readonly Execution[]; readonly missing: readonly string[] }> {
  const found: Execution[] = [];
  const missing: string[] = [];
  for (let start = 0; start < members.length; start += readAtOnce) {
    const ids = members.slice(start, start + readAtOnce).map(({ execution_id }) => execution_id);
    const read = await Promise.all(ids.map((id) => executions.find(tenant, id)));
    for (const [position, execution] of read.entries()) {
      if (execution === null) missing.push(ids[position] ?? '');
      else found.push(execution);
    }
  }
  return { found, missing };
}

type Made = Pick<ReturnType<typeof takeSnapshot>, 'inputs' | 'sources'> | { readonly error: ExecutionError };

async function newExecution(
  ports: GroupPorts,
  tenant: string,
  { binding, group, now }: Judging,
  made: Made,
): Promise<Execution> {
  const target = await compiledVerifier(ports, tenant, binding);
  const error = 'error' in made ? made.error : null;
  return {
    execution_id: ports.ids.next(),
    status: error === null ? 'pending' : 'errored',
    verdict: null,
    origin: 'group_end',
    verifier: target.verifier_ref,
    subject: target.subject_ref,
    binding_id: binding.binding_id,
    owner_card_uid: binding.owner_uid,
    group_id: group.group_id,
    run_id: null,
    principal: binding.owner_uid,
    error,
    created_at: toRfc3339(now),
    ended_at: error === null ? null : toRfc3339(now),
    request: {
      inputs: 'inputs' in made ? made.inputs : {},
      not_stored: [],
      route_overrides: {},
      deployment_environment: null,
      ...('sources' in made ? { snapshot: made.sources } : {}),
    },
    result: null,
    record: null,
  };
}
