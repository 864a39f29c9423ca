import { readFile } from 'node:fs/promises';
import { z } from 'zod';

const environmentName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/);

const deployment = z.discriminatedUnion('provider', [
  z.strictObject({
    provider: z.enum(['openai-compatible', 'anthropic']),
    base_url: z.url().describe('Origin and path prefix of the provider'),
    model: z.string().min(1).optional().describe("Used instead of the Prompt's model"),
    api_key_env: environmentName.optional().describe('Environment variable that holds the key'),
  }),
  z.strictObject({
    provider: z.literal('bedrock'),
    region: z.string().min(1),
    base_url: z.url().optional(),
    model: z.string().min(1).optional(),
    api_key_env: environmentName.optional(),
  }),
]);

const name = z.string().min(1).max(256);

/** Every setting of the embedded host. Closed: a misspelt name is refused, never ignored. */
export const configSchema = z.strictObject({
  host: z
    .string()
    .min(1)
    .default('127.0.0.1')
    .describe('Address to listen on; another than loopback only once a key exists'),
  port: z.coerce.number().int().min(0).max(65_535).default(8787).describe('Port to listen on; 0 takes a free one'),
  grpc_port: z
    .union([z.literal('off'), z.coerce.number().int().min(0).max(65_535)])
    .optional()
    .describe(
      'Port that takes samples of the published client over gRPC, or `off`; unset: none, `touchstone serve`: 50051',
    ),
  data: z.string().min(1).default('./.touchstone').describe('Folder of the store; one process at a time'),
  deployments: z
    .record(name, deployment)
    .default({})
    .describe('Name in `wyrd_gateway` routes → how the model is reached'),
  native: z.record(name, deployment).default({}).describe('Provider named by a Prompt → how `native` routes reach it'),
  trace_settling_seconds: z.coerce
    .number()
    .min(0)
    .max(60)
    .default(2)
    .describe('Seconds without a new span after which a trace is judged'),
  retention_days: z.coerce
    .number()
    .int()
    .min(1)
    .max(36_500)
    .default(400)
    .describe('Days that evidence and results are kept; records stay'),
  activity_seconds: z.coerce
    .number()
    .int()
    .min(60)
    .max(31_536_000)
    .default(86_400)
    .describe('Seconds for which an owner that exchanged its key is active'),
  allow_loopback_delivery: stringOrBoolean()
    .default(false)
    .describe('Operators may call this machine; for development'),
  providers: z
    .strictObject({
      pager_duty: z.url().default('https://events.pagerduty.com').describe('Where events for PagerDuty go'),
      slack: z.url().default('https://slack.com').describe('Where messages for Slack go'),
    })
    .prefault({}),
  legal_hold: stringOrBoolean().default(false).describe('Delete nothing, neither by age nor on request'),
  keys: z
    .strictObject({
      required: stringOrBoolean().default(false).describe('Refuse to start while no API key exists'),
    })
    .prefault({}),
  limits: z
    .strictObject({
      background: z.coerce
        .number()
        .int()
        .min(0)
        .max(1_000)
        .default(16)
        .describe('Background executions at once; 0 accepts them and runs none'),
      background_per_tenant: z.coerce
        .number()
        .int()
        .min(1)
        .max(1_000)
        .default(4)
        .describe('Background executions of one tenant at once'),
      cached_verifiers: z.coerce
        .number()
        .int()
        .min(1)
        .max(100_000)
        .default(1_000)
        .describe('Compiled Verifiers kept in memory'),
      execute_seconds: z.coerce
        .number()
        .int()
        .min(1)
        .max(60)
        .default(60)
        .describe('Deadline of one direct verification'),
      stop_seconds: z.coerce
        .number()
        .int()
        .min(0)
        .max(600)
        .default(10)
        .describe('How long a stop waits for running calls and attempts'),
    })
    .prefault({}),
});

export type HostConfig = z.infer<typeof configSchema>;
export type DeploymentConfig = z.infer<typeof deployment>;

function stringOrBoolean() {
  return z.union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')]);
}

/** Setting → environment variable. A variable wins over the file; maps are given as YAML or JSON text. */
export const environmentOf: Readonly<Record<string, string>> = {
  host: 'TOUCHSTONE_HOST',
  port: 'TOUCHSTONE_PORT',
  grpc_port: 'TOUCHSTONE_GRPC_PORT',
  data: 'TOUCHSTONE_DATA',
  deployments: 'TOUCHSTONE_DEPLOYMENTS',
  native: 'TOUCHSTONE_NATIVE',
  trace_settling_seconds: 'TOUCHSTONE_TRACE_SETTLING_SECONDS',
  retention_days: 'TOUCHSTONE_RETENTION_DAYS',
  activity_seconds: 'TOUCHSTONE_ACTIVITY_SECONDS',
  allow_loopback_delivery: 'TOUCHSTONE_ALLOW_LOOPBACK_DELIVERY',
  'providers.pager_duty': 'TOUCHSTONE_PROVIDERS_PAGER_DUTY',
  'providers.slack': 'TOUCHSTONE_PROVIDERS_SLACK',
  legal_hold: 'TOUCHSTONE_LEGAL_HOLD',
  'keys.required': 'TOUCHSTONE_KEYS_REQUIRED',
  'limits.background': 'TOUCHSTONE_LIMITS_BACKGROUND',
  'limits.background_per_tenant': 'TOUCHSTONE_LIMITS_BACKGROUND_PER_TENANT',
  'limits.cached_verifiers': 'TOUCHSTONE_LIMITS_CACHED_VERIFIERS',
  'limits.execute_seconds': 'TOUCHSTONE_LIMITS_EXECUTE_SECONDS',
  'limits.stop_seconds': 'TOUCHSTONE_LIMITS_STOP_SECONDS',
};

/** Settings that are maps. */
const mapSettings: ReadonlySet<string> = new Set(['deployments', 'native']);

/** A configuration that cannot be used; the message names every bad setting by its path. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * Reads the file (when one is named) and the environment. `overrides` are settings by dotted path, as a command line
 * gives them; they win over both.
 */
export async function loadConfig(
  file: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
  overrides: Readonly<Record<string, unknown>> = {},
): Promise<HostConfig> {
  const settings = file === undefined ? {} : await readSettings(file);
  for (const [path, variable] of Object.entries(environmentOf)) {
    const text = environment[variable];
    if (text !== undefined && text !== '')
      put(settings, path, mapSettings.has(path) ? await parseYaml(text, variable) : text);
  }
  for (const [path, value] of Object.entries(overrides)) if (value !== undefined) put(settings, path, value);
  return checkConfig(settings);
}

export function checkConfig(settings: unknown): HostConfig {
  const parsed = configSchema.safeParse(settings);
  if (parsed.success) return parsed.data;
  const lines = parsed.error.issues.map((issue) => {
    const path = issue.code === 'unrecognized_keys' ? [...issue.path, ...issue.keys] : issue.path;
    return `${path.join('.') || 'configuration'}: ${issue.code === 'unrecognized_keys' ? 'unknown setting' : issue.message}`;
  });
  throw new ConfigError(lines.join('\n'));
}

async function readSettings(file: string): Promise<Record<string, unknown>> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`${file}: cannot be read`, { cause: error });
  }
  const value = (await parseYaml(text, file)) ?? {};
  if (typeof value !== 'object' || Array.isArray(value))
    throw new ConfigError(`${file}: a map of settings is expected`);
  return { ...value };
}

async function parseYaml(text: string, from: string): Promise<unknown> {
  // Most starts have no file: the parser is loaded when one does.
  const { parse } = await import('yaml');
  try {
    return parse(text, { maxAliasCount: 0 });
  } catch (error) {
    throw new ConfigError(`${from}: ${error instanceof Error ? error.message : 'not YAML'}`, { cause: error });
  }
}

/** Paths come from our own table and command line: one or two names. */
function put(settings: Record<string, unknown>, path: string, value: unknown): void {
  const [first = '', second] = path.split('.', 2);
  if (second === undefined) {
    settings[first] = value;
    return;
  }
  const group = settings[first];
  settings[first] = { ...(typeof group === 'object' && group !== null ? group : {}), [second]: value };
}
