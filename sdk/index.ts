export type { WaitOptions } from './background.ts';
export type { CardAnswer, CardName, CardsPage, CardsQuery, DeclareOptions } from './cards.ts';
export { type Client, type ClientOptions, createClient } from './client.ts';
export type { ConnectionCreate, ConnectionUpdate, ConnectionView } from './connections.ts';
export type { EvidenceFile, FileInput, UploadPlan } from './evidence.ts';
export type { BoundCard, BoundVerifier } from './find-bindings.ts';
export type { ExportedRecord, ShownCheckpoint } from './records.ts';
export { type LocalErrorCode, type ReportedFinding, TouchstoneError } from './touchstone-error.ts';
export type { ExecuteRequest, ExecutionState, ExecutionsPage, ExecutionsQuery, SlotInput } from './verification.ts';
