import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

const outcome = z.enum(['passed', 'failed', 'inconclusive', 'not_applicable']);

const expectationSchema = z.strictObject({
  title: z.string(),
  verify: z.string(),
  subject: z.string().optional(),
  /** As `--slot` takes them; files are relative to the example's folder. */
  slots: z.array(z.string()),
  verdict: z.enum(['passed', 'failed', 'inconclusive']),
  requirements: z.record(z.string(), outcome),
  /** Requirement → cited places, as the command line prints them. */
  citations: z.record(z.string(), z.array(z.string())).default({}),
  /** A model has its say, so another model may cite other places. */
  judged: z.boolean().default(false),
});

/** What one piece of an example's evidence must lead to. */
export type Expectation = z.infer<typeof expectationSchema>;

export async function readExpectations(folder: string): Promise<readonly Expectation[]> {
  return z.array(expectationSchema).parse(parse(await readFile(join(folder, 'expected.yaml'), 'utf8')));
}
