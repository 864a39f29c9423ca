import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '#adapters/embedded/system.ts';
import { createExtract } from '#adapters/extract/extract.ts';
import { createSandbox } from '#adapters/sandbox/sandbox.ts';
import type { Work } from '#engine/index.ts';
import { type RecordCheck, type RepeatedWork, workToRepeat } from '#engine/record/check-record.ts';
import { performCode } from '#service/drive/perform-code.ts';
import { performExtract } from '#service/drive/perform-extract.ts';
import { performPlaces } from '#service/drive/perform-places.ts';
import type { DrivePorts, Performed } from '#service/drive/performing.ts';
import { codeFiles } from './code-files.ts';

/** Outputs that are known only now may lead to further work; a Verifier has 100 steps at most. */
const maxRounds = 101;

type RepeatPorts = Pick<DrivePorts, 'clock' | 'log' | 'evidence' | 'artifacts' | 'sandbox' | 'extract'>;

/**
 * Performs what a check of a record asks for: code in the same sandbox as a host's, files read by the same extraction,
 * everything from the material held (docs/spec/records.md §4).
 */
export async function repeatWork(
  input: RecordCheck,
  say: (text: string) => void,
): Promise<ReadonlyMap<string, RepeatedWork>> {
  const repeated = new Map<string, RepeatedWork>();
  if (workToRepeat(input).length === 0) return repeated;
  const folder = await mkdtemp(join(tmpdir(), 'touchstone-check-'));
  const sandbox = createSandbox({ cache: folder });
  const extract = createExtract();
  const ports: RepeatPorts = { ...heldPorts(input), sandbox, extract };
  try {
    for (let round = 0; round < maxRounds; round += 1) {
      const open = workToRepeat({ ...input, repeated }).filter(({ id }) => !repeated.has(id));
      if (open.length === 0) break;
      for (const work of open) {
        say(`again: ${work.id}`);
        repeated.set(work.id, await repeatOne(ports, work));
      }
    }
    return repeated;
  } finally {
    await Promise.all([sandbox.close(), extract.close()]);
    await rm(folder, { recursive: true, force: true });
  }
}

async function repeatOne(ports: RepeatPorts, work: Work): Promise<RepeatedWork> {
  const { result, attestation } = await perform(ports, work);
  return { result, ...(attestation?.kind === 'code' && { interpreter: attestation.interpreter }) };
}

async function perform(ports: RepeatPorts, work: Work): Promise<Performed> {
  const { signal } = new AbortController();
  const of = { tenant: 'held' };
  switch (work.kind) {
    case 'code':
      return performCode(ports, of, work, signal);
    case 'extract':
      return performExtract(ports, of, work, signal);
    case 'places':
      return performPlaces(ports, of, work, signal);
    case 'agent':
    case 'drift':
    case 'trace':
      return { result: { kind: 'failure', code: 'agent_unavailable', retryable: false } };
  }
}

/** Held files by their digest stand for a host's stores. */
function heldPorts({ evidence = [], cards = [] }: RecordCheck): Omit<RepeatPorts, 'sandbox' | 'extract'> {
  const files = new Map(evidence.map(({ bytes }) => [createHash('sha256').update(bytes).digest('hex'), bytes]));
  return {
    clock: systemClock,
    log: { info() {}, warn() {}, error() {} },
    evidence: {
      sizes: async () => new Map([...files].map(([sha256, bytes]) => [sha256, bytes.byteLength])),
      read: async (_tenant, sha256) => files.get(sha256) ?? null,
      readPart: async (_tenant, sha256, from, to) => files.get(sha256)?.subarray(from, to) ?? null,
      write: async () => 'sha256_mismatch',
    },
    artifacts: codeFiles(cards, files),
  };
}
