import { parentPort } from 'node:worker_threads';
import type { MediaFormat } from '#contract/formats.ts';
import type { ExtractReply } from '#service/ports.ts';
import { ExtractFailure } from './extract-failure.ts';
import { extractors } from './formats/index.ts';
import { extractVersion } from './version.ts';

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

parentPort?.on('message', ({ id, format, bytes }: ExtractTask) => {
  parentPort?.postMessage({ id, reply: replyTo(format, bytes) } satisfies ExtractDone);
});

function replyTo(format: MediaFormat, bytes: Uint8Array): ExtractReply {
  const extractor = extractors[format];
  if (extractor === undefined) return unreadable(`this host does not extract ${format}`);
  try {
    return { kind: 'output', output: extractor(bytes), warnings: [], version: extractVersion };
  } catch (error) {
    if (!(error instanceof ExtractFailure)) return unreadable('the document is broken');
    return { kind: 'failure', code: error.code, retryable: false, reason: error.message };
  }
}

function unreadable(reason: string): ExtractReply {
  return { kind: 'failure', code: 'extract_unreadable', retryable: false, reason };
}
