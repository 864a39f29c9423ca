import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { evidenceFiles } from '#adapters/embedded/evidence-files.ts';
import { systemClock, systemIds } from '#adapters/embedded/system.ts';
import { createExtract } from '#adapters/extract/extract.ts';
import { createModels } from '#adapters/models/models.ts';
import type { PinnedInput } from '#contract/evidence.ts';
import type { Json, JsonObject } from '#contract/json.ts';
import { checkInputs, compile } from '#engine/index.ts';
import type { Verifier } from '#engine/plan.ts';
import { assembleTrace } from '#engine/trace/assemble.ts';
import { parseJson } from '#engine/values/parse-json.ts';
import type { Driven } from '#service/drive/drive.ts';
import { drive } from '#service/drive/drive.ts';
import type { Evidence, Sandbox, TraceReply, Traces } from '#service/ports.ts';
import { cardsIn, lenientReferences } from '#test/engine/declare/references.ts';
import type { ConformanceCase, GivenCard } from './conformance-case.ts';
import { type GivenInput, type GivenTrace, givenInputs } from './given-evidence.ts';
import { type ModelServer, startModelServer } from './model-server.ts';
import { scriptedPerform } from './scripted-perform.ts';
import { spanRecords } from './span-records.ts';

export type Refused = {
  readonly kind: 'refused';
  readonly code: string;
  readonly rule?: string;
  readonly path?: string;
  readonly field?: string;
};

export interface CaseRun {
  readonly driven: Driven | Refused;
  readonly verifier?: Verifier;
  readonly calls: readonly string[];
  readonly traceReads: ReadonlyMap<string, number>;
  readonly models: ModelServer;
}

const tenant = 'conformance';

/** Runs a case through the engine and the in-process driver, with the real adapters where the case scripts nothing. */
export async function runInEngine(one: ConformanceCase, sandbox: Sandbox): Promise<CaseRun> {
  const models = await startModelServer(one.given.replies ?? {});
  const folder = await mkdtemp(join(tmpdir(), 'conformance-'));
  try {
    return await run(one, sandbox, models, folder);
  } finally {
    await models.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function run(one: ConformanceCase, sandbox: Sandbox, models: ModelServer, folder: string): Promise<CaseRun> {
  const calls: string[] = [];
  const traceReads = new Map<string, number>();
  const compiled = compileCase(one);
  if (!compiled.ok) return { driven: refusal(compiled.findings[0]), calls, traceReads, models };
  const { verifier } = compiled;
  const given = givenInputs(one.given.evidence ?? {});
  const read = readRaw(given);
  if ('kind' in read) return { driven: read, verifier, calls, traceReads, models };
  const { issues, declared } = checkInputs(verifier, read.inputs, 'caller');
  const [issue] = issues;
  if (issue !== undefined) {
    return {
      driven: { kind: 'refused', code: issue.code, field: `/inputs/${issue.slot}` },
      verifier,
      calls,
      traceReads,
      models,
    };
  }
  const evidence = await evidenceFiles(folder, systemIds);
  await storeFiles(evidence, given, folder);
  const extract = createExtract();
  const script = one.given.script ?? {};
  const deployments = new Map(
    Object.keys(one.given.replies ?? {}).map((agent) => [
      agent,
      { provider: 'openai-compatible', base_url: models.url(agent), api_key: 'key' } as const,
    ]),
  );
  try {
    const driven = await drive(
      {
        clock: systemClock,
        log: { info: () => {}, warn: () => {}, error: () => {} },
        evidence,
        artifacts: { file: () => Promise.resolve(null) },
        models: createModels({ deployments, native: new Map() }),
        sandbox,
        extract,
        traces: scriptedTraces(given, traceReads),
      },
      {
        tenant,
        verifier,
        run: {
          started_at: '2026-05-04T08:00:00Z',
          inputs: Object.fromEntries(declared) as Readonly<Record<string, PinnedInput>>,
          not_stored: given.flatMap(({ slot, file }) => (file !== undefined && file.stored === null ? [slot] : [])),
        },
        deadline: systemClock.now() + deadlineOf(one, given),
        wait_for_traces: one.given.mode === 'submit',
      },
      scriptedPerform(script, calls),
    );
    return { driven, verifier, calls, traceReads, models };
  } finally {
    await extract.close();
  }
}

/** A case that is about a deadline gets a short one: what it shows does not depend on how long it is. */
export function deadlineOf({ given, expect }: ConformanceCase, inputs: readonly GivenInput[]): number {
  if (given.script?.deadline_ms !== undefined) return given.script.deadline_ms;
  if (inputs.some(({ trace }) => trace?.state === 'timeout')) return 2_300;
  return expect.execution?.status === 'timed_out' ? 500 : 60_000;
}

/** The Verifier of a case: bare, one assert, or the last of its cards. */
function compileCase(one: ConformanceCase): ReturnType<typeof compile> {
  const { verifier, cards = [], assert } = one.given;
  const spec = verifier ?? (assert === undefined ? (cards.at(-1)?.spec ?? {}) : assertVerifier(assert));
  const api = cards.at(-1)?.apiVersion === 'touchstone/v1' ? 'touchstone/v1' : 'wyrd/v1';
  const references = verifier === undefined ? cardsIn(cards.map(asRegistered)) : lenientReferences;
  return compile({ api, spec, dialect: 'flat', references });
}

function asRegistered(card: GivenCard): JsonObject {
  return { ...card, spec: withOwnDeployment(card) };
}

/** Each Agent gets a deployment of its own, so that the model server knows who asks. */
export function withOwnDeployment(card: GivenCard): JsonObject {
  if (card.kind !== 'Agent') return card.spec;
  return { ...card.spec, execution_route: { kind: 'wyrd_gateway', deployment: card.metadata.name } };
}

export function assertVerifier({ operator, expected }: NonNullable<ConformanceCase['given']['assert']>): JsonObject {
  const check = { kind: 'assert', path: 'inputs.doc.x', operator, ...(expected !== undefined && { expected }) };
  return { inputs: { doc: { type: 'json' } }, requirements: [{ id: 'r', statement: 'Requirement r', check }] };
}

function refusal(
  finding: { readonly code: string; readonly rule: string; readonly path: string } | undefined,
): Refused {
  return {
    kind: 'refused',
    code: finding?.code ?? 'none',
    rule: finding?.rule ?? 'none',
    path: finding?.path ?? 'none',
  };
}

function readRaw(given: readonly GivenInput[]): { readonly inputs: JsonObject } | Refused {
  const inputs: [string, Json][] = [];
  for (const { slot, input, raw } of given) {
    const parsed = raw === undefined ? null : parseJson(raw, { maxDepth: 128 });
    if (parsed !== null && !parsed.ok) {
      return { kind: 'refused', code: 'WYRD_VERIFICATION_400_INPUT_INVALID', field: `/inputs/${slot}` };
    }
    inputs.push([slot, parsed === null ? input : { kind: 'json', value: parsed.value }]);
  }
  return { inputs: Object.fromEntries(inputs) };
}

async function storeFiles(evidence: Evidence, given: readonly GivenInput[], folder: string): Promise<void> {
  for (const { file } of given) {
    if (file === undefined || file.stored === null) continue;
    const { sha256, size_bytes, stored } = file;
    const outcome = await evidence.write(tenant, { sha256, size_bytes }, chunks(stored));
    // Other bytes under the declared digest can only be there when the store was tampered with.
    if (outcome !== 'stored') await tamper(folder, sha256, stored);
  }
}

async function tamper(folder: string, sha256: string, bytes: Uint8Array): Promise<void> {
  const place = join(folder, tenant, 'sha256', sha256.slice(0, 2));
  await mkdir(place, { recursive: true });
  await writeFile(join(place, sha256), bytes);
}

async function* chunks(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}

function scriptedTraces(given: readonly GivenInput[], reads: Map<string, number>): Traces {
  const known = new Map(
    given.flatMap(({ trace }) => (trace === undefined ? [] : [[trace.trace_id.toLowerCase(), trace] as const])),
  );
  return {
    read: async (_tenant, traceId, signal) => {
      reads.set(traceId, (reads.get(traceId) ?? 0) + 1);
      const trace = known.get(traceId);
      if (trace?.state === 'timeout')
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      return traceReply(trace);
    },
  };
}

function traceReply(trace: GivenTrace | undefined): TraceReply {
  if (trace === undefined || trace.state === 'not_found') return { kind: 'not_found' };
  if (trace.state === 'not_landed' || trace.state === 'failed') return { kind: trace.state };
  const assembled = assembleTrace(trace.trace_id, spanRecords(trace));
  return assembled.ok ? { kind: 'trace', trace: assembled.trace } : { kind: 'failed' };
}
