import { isExtractable, nativeKinds } from '#contract/formats.ts';
import { placesOfExtraction } from '#engine/citations/places.ts';
import type { Places, Work } from '#engine/index.ts';
import type { DriveInput, DrivePorts, Performed } from './performing.ts';
import { readMedia } from './read-media.ts';

/** What can be cited in a file (docs/spec/verification.md §5.3), read from its pinned bytes. */
export async function performPlaces(
  ports: Pick<DrivePorts, 'evidence' | 'extract'>,
  input: Pick<DriveInput, 'tenant'>,
  work: Extract<Work, { kind: 'places' }>,
  signal: AbortSignal,
): Promise<Performed> {
  const { format } = work.media;
  const media = await readMedia(ports.evidence, input.tenant, work.media, signal);
  if (media.kind === 'failure') return { result: media };
  // The lines of a csv are those of its source text, so its rows are of no use here.
  if (format === 'csv') return placesResult(textPlaces(media.bytes));
  if (nativeKinds[format] === 'image') return placesResult({ kind: 'pages', texts: [''] });
  if (!isExtractable(format)) return placesResult({ kind: 'none' });
  const reply = await ports.extract.extract({ format, bytes: media.bytes }, signal);
  if (reply.kind === 'output') return placesResult(placesOfExtraction(reply.output));
  return { result: reply };
}

function placesResult(places: Places | null): Performed {
  if (places === null) return { result: { kind: 'failure', code: 'extract_unreadable', retryable: false } };
  return { result: { kind: 'places', places } };
}

function textPlaces(bytes: Uint8Array): Places | null {
  try {
    return { kind: 'text', text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return null;
  }
}
