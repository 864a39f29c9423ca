import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { boundedArchives } from '#adapters/extract/archives.ts';
import { createExtract } from '#adapters/extract/extract.ts';
import { createModels } from '#adapters/models/models.ts';
import { processQueries } from '#adapters/tables/table-queries.ts';
import type { PinnedFile } from '#contract/evidence.ts';
import type { MediaFormat } from '#contract/formats.ts';
import type { Json, JsonObject } from '#contract/json.ts';
import { verdictSchema } from '#engine/citations/verdict-schema.ts';
import type { AgentWork, WorkspaceFile } from '#engine/run/work.ts';
import { openStore, type Store } from '#local/open-store.ts';
import { performAgent } from '#service/agent/perform-agent.ts';
import { recordedRows } from '#service/agent/recorded-rows.ts';
import { type Permission, rolePermissions } from '#service/auth/permissions.ts';
import type { DriveInput, DrivePorts, Performed } from '#service/drive/performing.ts';
import type { RecordedTable } from '#service/ports/recorded-tables.ts';
import type { Reply } from './conformance-case.ts';
import { type ModelServer, startModelServer } from './model-server.ts';
import { sharedSandbox } from './shared-sandbox.ts';

/** Agents performed with every real part: stores, sandbox, extraction, queries; the model answers a script over HTTP. */
export interface AgentBench extends AsyncDisposable {
  readonly store: Store;
  effects(replies: AgentAsked['replies'], rows?: AgentAsked['rows'], ports?: AgentAsked['ports']): Promise<DrivePorts>;
  perform(asked: AgentAsked): Promise<AgentAnswered>;
  /** Stores bytes and pins them as a file. */
  pin(bytes: Uint8Array | string, format: MediaFormat): Promise<PinnedFile>;
}

export interface AgentAsked {
  readonly replies: readonly Reply[];
  readonly work?: Partial<AgentWork>;
  readonly permissions?: readonly Permission[];
  readonly rows?: Readonly<Partial<Record<RecordedTable, readonly JsonObject[]>>>;
  readonly ports?: Partial<DrivePorts>;
}

export interface AgentAnswered extends Performed {
  readonly requests: readonly JsonObject[];
}

const tenant = 'acme';

const agentWork: AgentWork = {
  id: 'step:look',
  kind: 'agent',
  position: 'check',
  block: 'look',
  attempt: 1,
  delay_ms: 0,
  timeout_ms: null,
  prompt: { provider: 'openai', model: 'm', messages: [{ role: 'user', content: 'Judge the files.' }] },
  route: { kind: 'wyrd_gateway', deployment: 'judge' },
  run_config: { max_iterations: 10 },
  tool_names: [],
  inputs: {},
  workspace: [],
  schema: verdictSchema(['doc'], { require_quote: false }),
  decode: 'verdict',
  require_quote: false,
};

export async function openAgentBench(): Promise<AgentBench> {
  const folder = await mkdtemp(join(tmpdir(), 'touchstone-agents-'));
  const store = await openStore(folder);
  const extract = createExtract();
  let server: ModelServer | undefined;

  /** One script at a time: the model of the calls before is gone. */
  async function effects(
    replies: AgentAsked['replies'],
    rows?: AgentAsked['rows'],
    ports: AgentAsked['ports'] = {},
  ): Promise<DrivePorts> {
    await server?.close();
    server = await startModelServer({ judge: replies });
    const deployment = { provider: 'openai-compatible', base_url: server.url('judge') } as const;
    return {
      clock: store.clock,
      log: { info() {}, warn() {}, error() {} },
      evidence: store.evidence,
      artifacts: { file: async () => null },
      models: createModels({ deployments: new Map([['judge', deployment]]), native: new Map() }),
      sandbox: sharedSandbox(),
      extract,
      traces: { read: async () => ({ kind: 'not_found' }) },
      tools: {
        registry: store.registry,
        archives: boundedArchives(),
        recordedRows:
          rows === undefined
            ? recordedRows({ spans: store.spans, observations: store.observations })
            : { read: async (_tenant, table) => rows[table] ?? [] },
        tableQueries: processQueries(),
      },
      ...ports,
    };
  }

  return {
    store,
    async pin(content, format) {
      const bytes = Buffer.from(content);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const declared = { sha256, size_bytes: bytes.byteLength };
      await store.evidence.write(
        tenant,
        declared,
        (async function* () {
          yield bytes;
        })(),
      );
      return { kind: 'file', format, ...declared };
    },
    effects,
    async perform({ replies, work, permissions = rolePermissions.admin, rows, ports }) {
      const effectsNow = await effects(replies, rows, ports);
      const input = {
        tenant,
        permissions: new Set(permissions),
        run: { started_at: '2026-05-04T08:00:00Z' },
      } as unknown as DriveInput;
      const performed = await performAgent(effectsNow, input, { ...agentWork, ...work }, AbortSignal.timeout(60_000));
      return { ...performed, requests: server?.requests('judge') ?? [] };
    },
    async [Symbol.asyncDispose]() {
      await server?.close();
      await extract.close();
      await store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** An answer of the model that asks for tools. */
export function asks(...calls: readonly (readonly [tool: string, given: Json])[]): Reply {
  const tool_calls = calls.map(([tool, given], index) => ({
    id: `call-${index}`,
    type: 'function',
    function: { name: tool.replace('.', '_'), arguments: typeof given === 'string' ? given : JSON.stringify(given) },
  }));
  const message = { role: 'assistant', content: null, tool_calls };
  return {
    raw: {
      id: 'x',
      object: 'chat.completion',
      created: 0,
      model: 'm',
      choices: [{ index: 0, finish_reason: 'tool_calls', message }],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    },
  };
}

export function judges(outcome: string): Reply {
  return { text: JSON.stringify({ outcome, reason: 'r', citations: [] }) };
}

/** What the model was told by its tools in one request, each inside the boundary that its system text names. */
export function toldBy(request: JsonObject | undefined): readonly Json[] {
  const messages = (request?.messages ?? []) as readonly JsonObject[];
  const token = /<<<data ([0-9a-f]{32})>>>/u.exec(String(messages[0]?.content))?.[1] ?? 'none';
  return messages
    .filter(({ role }) => role === 'tool')
    .map(({ content }) => {
      const lines = String(content).split('\n');
      if (lines[0] !== `<<<data ${token}>>>` || lines[2] !== `<<<end of data ${token}>>>` || lines.length !== 3) {
        throw new Error(`not inside its boundary: ${String(content)}`);
      }
      return JSON.parse(lines[1] ?? '') as Json;
    });
}

export function valueFile(path: string, value: Json, slot = 'doc', pointer = ''): WorkspaceFile {
  return { path, content: { kind: 'value', value }, slots: [slot], origin: { pointer } };
}

export function mediaFile(path: string, media: PinnedFile, slot = 'doc'): WorkspaceFile {
  return { path, content: { kind: 'media', slot, media }, slots: [slot] };
}
