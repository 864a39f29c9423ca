import { parentPort } from 'node:worker_threads';
import { isExtractable, type MediaFormat } from '#contract/formats.ts';
import type { JsonObject } from '#contract/json.ts';
import { isObject } from '#engine/values/kind.ts';
import type { ExtractReply } from '#service/ports.ts';
import { overLimit } from './archive/archive-limits.ts';
import { ExtractFailure } from './extract-failure.ts';
import { extractors } from './formats/index.ts';
import { extractVersion } from './version.ts';

/** docs/spec/verification.md §16. */
const maxOutputBytes = 16 * 1024 * 1024;

/** What the host posts to the worker and gets back, one at a time. */
export interface ExtractTask {
  readonly id: number;
  readonly format: MediaFormat;
  readonly bytes: Uint8Array;
}

export interface ExtractDone {
  readonly id: number;
  readonly reply: ExtractReply;
}

// Of a document given up on, parts of its reader may still fail; its reply is made, or is being made, elsewhere.
process.on('unhandledRejection', () => undefined);

parentPort?.on('message', async ({ id, format, bytes }: ExtractTask) => {
  parentPort?.postMessage({ id, reply: await replyTo(format, bytes) } satisfies ExtractDone);
});

async function replyTo(format: MediaFormat, bytes: Uint8Array): Promise<ExtractReply> {
  if (!isExtractable(format)) return unreadable(`this host does not extract ${format}`);
  try {
    const output = await extractors[format](bytes);
    // Here, before the host holds a second copy of it.
    if (Buffer.byteLength(JSON.stringify(output)) > maxOutputBytes) throw overLimit('the output is above 16 MiB');
    return { kind: 'output', output, warnings: warningsOf(format, output), version: extractVersion };
  } catch (error) {
    if (!(error instanceof ExtractFailure)) return unreadable('the document is broken');
    return { kind: 'failure', code: error.code, retryable: false, reason: error.message };
  }
}

/** A PDF of pictures is read without failure, and says so (docs/spec/verification.md §4.3). */
function warningsOf(format: MediaFormat, output: JsonObject): readonly string[] {
  if (format !== 'pdf' || !Array.isArray(output.pages)) return [];
  const hasText = output.pages.some((page) => isObject(page) && page.text !== '');
  return hasText ? [] : ['no_text_layer'];
}

function unreadable(reason: string): ExtractReply {
  return { kind: 'failure', code: 'extract_unreadable', retryable: false, reason };
}
