import { createExtract } from '#adapters/extract/extract.ts';
import type { Work } from '#engine/index.ts';
import { checkRecord, type RecordCheck, type RepeatedWork, workToRepeat } from '#engine/record/check-record.ts';
import { sharedSandbox } from './shared-sandbox.ts';

/** Performs what a replay asks for, in the real sandbox and extraction, until it asks for nothing more. */
export async function repeatCode(input: RecordCheck): Promise<ReadonlyMap<string, RepeatedWork>> {
  const repeated = new Map<string, RepeatedWork>();
  for (let round = 0; round < 10; round += 1) {
    const works = workToRepeat({ ...input, repeated });
    if (works.length === 0) return repeated;
    for (const work of works) repeated.set(work.id, await repeatOne(input, work));
  }
  throw new Error(`asks again and again: ${JSON.stringify(checkRecord({ ...input, repeated }).defects)}`);
}

async function repeatOne(input: RecordCheck, work: Work): Promise<RepeatedWork> {
  const { signal } = new AbortController();
  if (work.kind === 'code' && work.source.kind === 'inline') {
    const { entrypoint, inputs, clock } = work;
    const reply = await sharedSandbox().run(
      { source: work.source.text, entrypoint, inputs, clock, timeout_ms: 10_000 },
      signal,
    );
    if (reply.kind !== 'output') throw new Error(reply.kind);
    const { output, interpreter } = reply;
    const isCheck = work.position === 'check';
    return { result: isCheck ? { kind: 'verdict', verdict: output } : { kind: 'output', output }, interpreter };
  }
  if (work.kind !== 'extract') throw new Error(`${work.id} is not repeated here`);
  const extract = createExtract();
  try {
    const bytes = input.evidence?.find(({ name }) => name === 'letter.md')?.bytes ?? new Uint8Array();
    const reply = await extract.extract({ format: work.media.format, bytes }, signal);
    if (reply.kind !== 'output') throw new Error(reply.kind);
    return { result: { kind: 'output', output: reply.output } };
  } finally {
    await extract.close();
  }
}
