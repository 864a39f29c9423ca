import { z } from 'zod';

/** A setting of the deployment that cannot be used; the message names every bad one by its path. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

const listOfText = z.union([z.array(z.string()), z.string().transform((text) => text.split(',').filter(Boolean))]);
const wholeNumber = (least: number, most: number) => z.coerce.number().int().min(least).max(most);
const origin = /^https:\/\/[a-z0-9.-]+(:\d{1,5})?$|^http:\/\/(localhost|127\.0\.0\.1)(:\d{1,5})?$/;
/** The retention times that CloudWatch Logs knows, in days. */
const logDays = [1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 3653] as const;

const route = z.discriminatedUnion('provider', [
  z.strictObject({
    provider: z.enum(['openai-compatible', 'anthropic']),
    base_url: z.url().describe('Origin and path prefix of the provider'),
    model: z.string().min(1).optional().describe("Used instead of the Prompt's model"),
    api_key_secret: z.string().min(1).optional().describe('ARN of the Secrets Manager secret that holds the key'),
  }),
  z.strictObject({
    provider: z.literal('bedrock'),
    region: z.string().min(1),
    base_url: z.url().optional(),
    model: z.string().min(1).optional(),
    api_key_secret: z.string().min(1).optional(),
  }),
]);

const routes = z.preprocess(fromJsonText, z.record(z.string().min(1).max(256), route).default({}));

/** Every setting of the deployment, given as CDK context (`-c name=value` or cdk.json). */
export const settingsSchema = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z][a-z0-9]{0,19}$/)
    .default('touchstone')
    .describe('Prefix of the two stacks and of what needs a name; one deployment a name, account and region'),
  region: z
    .string()
    .regex(/^[a-z]{2}(-[a-z]+)+-\d$/)
    .optional()
    .describe('Region; default is that of the credentials'),
  tenant: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,62}$/)
    .default('main')
    .describe('Tenant of the first administrator key'),
  domain: z
    .string()
    .regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/)
    .optional()
    .describe('Custom domain, which gives clients an origin; needs `certificate`'),
  certificate: z
    .string()
    .regex(/^arn:[a-z-]+:acm:/)
    .optional()
    .describe('ARN of the ACM certificate of `domain`, in the same region'),
  cors_origins: listOfText
    .pipe(z.array(z.string().regex(origin)).max(20))
    .default([])
    .describe('Origins of web pages that may call the API and upload evidence'),
  retention_days: wholeNumber(1, 3_653).default(400).describe('Days that evidence bytes are kept; records stay'),
  activity_seconds: wholeNumber(60, 31_536_000)
    .default(86_400)
    .describe('Seconds for which an owner that exchanged its key is active'),
  legal_hold: z
    .union([z.boolean(), z.stringbool()])
    .default(false)
    .describe('Nothing is deleted, neither by age nor on request'),
  signing_key: wholeNumber(1, 99)
    .default(1)
    .describe('Number of the root key of signatures; one more makes a new key, the ones before stay published'),
  log_retention_days: wholeNumber(1, 3_653)
    .refine((days) => logDays.some((known) => known === days), { error: `one of ${logDays.join(', ')}` })
    .default(90)
    .describe('Days that log lines are kept'),
  object_lock: z
    .enum(['off', 'governance', 'compliance'])
    .default('off')
    .describe('Write-once retention of records and checkpoints; can only be chosen when the data stack is made'),
  object_lock_days: wholeNumber(1, 36_500).default(400).describe('Days of write-once retention'),
  alarm_email: z.email().optional().describe('Address that alarms are sent to; it must confirm the subscription'),
  runbook: z
    .union([z.url(), z.literal('docs/runbook.md')])
    .default('docs/runbook.md')
    .describe('Where the runbook is read; alarm descriptions link to its entries'),
  deployments: routes.describe('Name in `wyrd_gateway` routes → how the model is reached'),
  native: routes.describe('Provider named by a Prompt → how `native` routes reach it'),
  reserved_concurrency: z
    .preprocess(
      fromJsonText,
      z.strictObject({
        verify: wholeNumber(0, 10_000).optional(),
        work: wholeNumber(0, 10_000).optional(),
        models: wholeNumber(0, 10_000).optional(),
        extract: wholeNumber(0, 10_000).optional(),
        sandbox: wholeNumber(0, 10_000).optional(),
      }),
    )
    .default({})
    .describe('Concurrent calls reserved for, and at most given to, a function; unset shares the account'),
  window_part_rows: wholeNumber(100, 1_000_000)
    .default(200_000)
    .describe('Rows of a window of samples that one function counts; a larger window is counted by several'),
  requests_per_second: wholeNumber(1, 100_000).default(500).describe('Throttle of the whole stage'),
});

export type Settings = z.infer<typeof settingsSchema>;

/** Model routes travel in one environment variable of the models function, which holds 4 KB in all. */
const mostRouteBytes = 3_000;

/** Reads every setting by name. Throws a SettingsError that lists all that is wrong. */
export function readSettings(contextOf: (name: string) => unknown): Settings {
  const given = Object.keys(settingsSchema.shape).flatMap((name) => {
    const value = contextOf(name);
    return value === undefined || value === '' ? [] : [[name, value] as const];
  });
  const parsed = settingsSchema.safeParse(Object.fromEntries(given));
  const problems = parsed.success
    ? conflicts(parsed.data)
    : parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  if (!parsed.success || problems.length > 0) throw new SettingsError(problems.join('\n'));
  return parsed.data;
}

function conflicts(settings: Settings): string[] {
  const found: string[] = [];
  if ((settings.domain === undefined) !== (settings.certificate === undefined)) {
    found.push('domain: `domain` and `certificate` are given together or not at all');
  }
  const size = Buffer.byteLength(JSON.stringify([settings.deployments, settings.native]));
  if (size > mostRouteBytes) {
    found.push(`deployments: with \`native\` ${size} bytes of JSON, ${mostRouteBytes} fit`);
  }
  return found;
}

function fromJsonText(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
