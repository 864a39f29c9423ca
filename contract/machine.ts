import { z } from 'zod';
import { uuidV7Pattern } from './ids.ts';

/**
 * What travels between the steps of the state machine that runs one background execution (docs/spec/background.md §10).
 * References only, never evidence: the machine's history is kept and read by operators, and one payload holds 256 KB.
 */

const tenant = z.string().min(1).max(256);
const executionId = z.string().regex(uuidV7Pattern);
/** Chosen by the machine, one an attempt, the same when a step is repeated. */
const lease = z.string().min(1).max(256);
const seconds = z.number().int().min(0).max(300);

/** Input of Claim. */
export const machineStartSchema = z.strictObject({ tenant, execution_id: executionId, lease });
export type MachineStart = z.infer<typeof machineStartSchema>;

/** A claimed attempt: input of every step after Claim. */
export const machinePlaceSchema = z.strictObject({
  tenant,
  execution_id: executionId,
  lease,
  attempt: z.number().int().min(1),
  /** Milliseconds since the epoch. */
  deadline: z.number().int(),
});
export type MachinePlace = z.infer<typeof machinePlaceSchema>;

/** One ready work item, by name: the performer finds its content by itself. */
export const machineItemSchema = z.strictObject({
  work_id: z.string().min(1).max(256),
  try: z.number().int().min(1),
  /** Pause before it is performed. */
  wait_seconds: seconds,
});
export type MachineItem = z.infer<typeof machineItemSchema>;

/** Input of Perform: one iteration of the Map. */
export const machineWorkSchema = z.strictObject({ place: machinePlaceSchema, item: machineItemSchema });
export type MachineWork = z.infer<typeof machineWorkSchema>;

/** A part of a window that more than one function counts, by name (src/service/drift/large). */
export const machinePartSchema = z.strictObject({
  work_id: z.string().min(1).max(256),
  try: z.number().int().min(1),
  phase: z.enum(['split', 'count']),
  index: z.number().int().min(0),
});
export type MachinePart = z.infer<typeof machinePartSchema>;

/** Input of Perform: one child of the distributed Map. */
export const machineCountSchema = z.strictObject({ place: machinePlaceSchema, part: machinePartSchema });
export type MachineCount = z.infer<typeof machineCountSchema>;

/**
 * What a step says comes next. `end`: nothing more for this machine. `claim`: wait, then claim again under a new lease.
 */
export const machineEndSchema = z.discriminatedUnion('next', [
  /** `dispatches`: what the settled state made for Operators, by id. */
  z.strictObject({ next: z.literal('end'), dispatches: z.array(z.string()).max(64).exactOptional() }),
  z.strictObject({ next: z.literal('claim'), wait_seconds: seconds }),
]);
export type MachineEnd = z.infer<typeof machineEndSchema>;

export const claimAnswerSchema = z.discriminatedUnion('next', [
  z.strictObject({ next: z.literal('advance'), place: machinePlaceSchema }),
  z.strictObject({ next: z.literal('end') }),
]);
export type ClaimAnswer = z.infer<typeof claimAnswerSchema>;

export const advanceAnswerSchema = z.discriminatedUnion('next', [
  /** At most as many items as a run may have blocks at once (docs/spec/verification.md §16.3) are performed together. */
  z.strictObject({ next: z.literal('work'), items: z.array(machineItemSchema).min(1) }),
  /** Windows are counted in parts before the work that needs them. */
  z.strictObject({ next: z.literal('count'), parts: z.array(machinePartSchema).min(1).max(1_000) }),
  z.strictObject({ next: z.literal('decide') }),
  ...machineEndSchema.options,
]);
export type AdvanceAnswer = z.infer<typeof advanceAnswerSchema>;

export const decideAnswerSchema = z.discriminatedUnion('next', [
  /** Asked too early: work is still open. */
  z.strictObject({ next: z.literal('advance') }),
  ...machineEndSchema.options,
]);
export type DecideAnswer = z.infer<typeof decideAnswerSchema>;
