/** docs/spec/verification.md §4.5 and §16.3; the interpreter's 256 MiB are enforced in worker/interpreter.ts. */
export const limits = {
  /** Compact JSON of the answer. */
  output_bytes: 1 << 20,
  output_depth: 128,
  printed_bytes: 64 << 10,
  /** A report as the interpreter writes it; its JSON may be longer than compact (`2.0` for `2`), not by more than this. */
  report_bytes: (4 << 20) + 64,
  source_bytes: 1 << 20,
  /** Source and inputs as JSON. */
  request_bytes: 32 << 20,
  /** The interpreter's memory, the engine's code and a margin: a guard, far above what the boundary lets code reach. */
  resident_bytes: 640 << 20,
  timeout_ms: 600_000,
  start_ms: 30_000,
  /** The kernel ends a process whose host died while its code looped. */
  processor_seconds: 660,
} as const;
