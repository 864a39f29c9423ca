import type { JsonObject } from '#contract/json.ts';
import { overLimit, unreadable } from '../archive/archive-limits.ts';
import { ExtractFailure } from '../extract-failure.ts';
import { checkStreams } from '../pdf/check-streams.ts';
import { type TextBudget, textBudget } from '../text-budget.ts';

const maxPages = 500;
const header = Buffer.from('%PDF-');
/** Readers look for the end of a file here; one that lacks it was cut off, and pages may be missing unnoticed. */
const tailBytes = 2_048;

/**
 * `{format, pages}`, the text of each page in content order (docs/spec/verification.md §4.3). Nothing is rendered, no
 * script runs, nothing outside the file is read; what cannot be read in full fails instead of being left out.
 */
export async function extractPdf(bytes: Uint8Array): Promise<JsonObject> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // Behind other bytes it would be one document to this reader and another to the next.
  if (!file.subarray(0, header.length).equals(header)) throw unreadable('the file is not a PDF');
  if (!file.subarray(-tailBytes).includes('startxref')) throw unreadable('the file is not a whole PDF');
  checkStreams(file);
  // Read with the first PDF only: it is larger than all other readers together.
  const { getDocument } = await import('unpdf/pdfjs');
  const tables = noTables();
  const task = getDocument({
    BinaryDataFactory: tables.Factory,
    data: new Uint8Array(bytes),
    verbosity: 0,
    stopAtErrors: true,
    disableFontFace: true,
    useSystemFonts: false,
    useWasm: false,
    useWorkerFetch: false,
    isOffscreenCanvasSupported: false,
    isImageDecoderSupported: false,
    enableXfa: false,
  });
  try {
    return { format: 'pdf', pages: await readPages(await task.promise, tables.wasAsked) };
  } catch (cause) {
    if (cause instanceof ExtractFailure) throw cause;
    if (cause instanceof RangeError) throw overLimit('the document needs over 512 MiB', cause);
    throw unreadable(isNamed(cause, 'PasswordException') ? 'the PDF is encrypted' : 'the PDF is broken', cause);
  } finally {
    await task.destroy();
  }
}

type PdfDocument = Awaited<ReturnType<typeof import('unpdf/pdfjs').getDocument>['promise']>;

/**
 * The reader asks for character tables that some fonts only name, and for outlines of fonts. Without a table it would
 * leave the text out and say nothing, so asking for one is noted.
 */
function noTables() {
  let asked = false;
  return {
    wasAsked: () => asked,
    // Called with `new` by the reader.
    Factory: function makeFactory() {
      return {
        fetch: ({ kind }: { readonly kind: string }) => {
          asked ||= kind === 'cMapUrl';
          return Promise.reject(new Error('nothing outside of the file is read'));
        },
      };
    },
  };
}

async function readPages(
  document: PdfDocument,
  lacksTable: () => boolean,
): Promise<{ number: number; text: string }[]> {
  if (document.numPages < 1) throw unreadable('the PDF has no pages');
  if (document.numPages > maxPages) throw overLimit('the PDF has over 500 pages');
  const { info } = await document.getMetadata();
  // Some are encrypted for everyone to open; what they forbid is forbidden here too.
  if ('EncryptFilterName' in info && info.EncryptFilterName !== null) throw unreadable('the PDF is encrypted');
  const budget = textBudget();
  const pages: { number: number; text: string }[] = [];
  for (let number = 1; number <= document.numPages; number += 1) {
    pages.push({ number, text: await readPage(document, number, budget) });
    if (lacksTable()) throw unreadable('the PDF names a character table that it does not hold');
  }
  return pages;
}

async function readPage(document: PdfDocument, number: number, budget: TextBudget): Promise<string> {
  const page = await document.getPage(number);
  const reader = page.streamTextContent().getReader();
  const lines: string[] = [];
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      for (const item of chunk.value.items) {
        if (!('str' in item)) continue;
        const text = item.hasEOL ? `${item.str}\n` : item.str;
        budget.text(text);
        lines.push(text);
      }
    }
  } catch (cause) {
    // Nothing waits for the rest; without this the document could not be closed.
    await reader.cancel(cause).catch(() => undefined);
    throw cause;
  }
  page.cleanup();
  // A font may map a glyph to half a character, which no JSON text may hold.
  return lines.join('').toWellFormed().trimEnd();
}

function isNamed(cause: unknown, name: string): boolean {
  return cause instanceof Error && cause.name === name;
}
