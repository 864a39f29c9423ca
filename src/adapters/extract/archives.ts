import type { Archives } from '#service/ports/archives.ts';
import { readArchive } from './archive/read-archive.ts';
import { ExtractFailure } from './extract-failure.ts';

/** The `Archives` port: containers of workspaces. */
export function boundedArchives(): Archives {
  return {
    async read(format, bytes, signal) {
      signal.throwIfAborted();
      try {
        return { kind: 'files', files: await readArchive(format, bytes) };
      } catch (error) {
        const code = error instanceof ExtractFailure ? error.code : 'extract_unreadable';
        return { kind: 'failure', code, retryable: false };
      }
    },
  };
}
