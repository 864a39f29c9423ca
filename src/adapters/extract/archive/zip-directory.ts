import { checkEntryCount, unreadable } from './archive-limits.ts';

/** One entry of the central directory, as the container declares it. Nothing here is believed before it is read. */
export interface ZipEntry {
  readonly name: string;
  readonly method: 'stored' | 'deflated';
  readonly crc: number;
  readonly size: number;
  /** Where its local header begins. */
  readonly start: number;
  readonly dataStart: number;
  readonly dataEnd: number;
}

const signatures = { local: 0x04034b50, central: 0x02014b50, end: 0x06054b50 } as const;
const endBytes = 22;
const maxComment = 0xffff;

/**
 * The entries of a ZIP file, in the order of their bytes (APPNOTE 6.3). Stricter than most readers, since what readers
 * disagree about hides content: one end record that closes the file, a directory right before it, local headers that
 * agree with it, nothing before the first entry, no overlap. Encrypted entries and links are refused.
 */
export function readZipDirectory(bytes: Uint8Array): readonly ZipEntry[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = findEnd(view);
  const count = view.getUint16(end + 10, true);
  checkEntryCount(count);
  const directoryBytes = view.getUint32(end + 12, true);
  const directory = view.getUint32(end + 16, true);
  const whole = view.getUint32(end + 4, true) === 0 && view.getUint16(end + 8, true) === count;
  // A zip64 record or a signature may stand between the two; both are beyond what a document of 100 MiB needs.
  if (!whole || directory + directoryBytes !== end) throw unreadable('the container has no plain directory');
  const entries: ZipEntry[] = [];
  let at = directory;
  for (let index = 0; index < count; index += 1) {
    const central = readCentral(view, bytes, at, end);
    at = central.next;
    entries.push(locate(view, bytes, central, directory));
  }
  if (at !== end) throw unreadable('the directory of the container is broken');
  return withoutOverlap(entries);
}

/** The last end record; its comment has to close the file exactly, so there is one reading only. */
function findEnd(view: DataView): number {
  const first = Math.max(0, view.byteLength - endBytes - maxComment);
  for (let at = view.byteLength - endBytes; at >= first; at -= 1) {
    if (view.getUint32(at, true) !== signatures.end) continue;
    if (at + endBytes + view.getUint16(at + 20, true) === view.byteLength) return at;
  }
  throw unreadable('the file is not a whole ZIP container');
}

interface Central extends Omit<ZipEntry, 'dataStart' | 'dataEnd'> {
  readonly compressed: number;
  readonly flags: number;
  readonly next: number;
}

function readCentral(view: DataView, bytes: Uint8Array, at: number, end: number): Central {
  if (at + 46 > end || view.getUint32(at, true) !== signatures.central)
    throw unreadable('the directory of the container is broken');
  const nameBytes = view.getUint16(at + 28, true);
  const extraStart = at + 46 + nameBytes;
  const extraEnd = extraStart + view.getUint16(at + 30, true);
  const next = extraEnd + view.getUint16(at + 32, true);
  if (next > end) throw unreadable('the directory of the container is broken');
  const flags = view.getUint16(at + 8, true);
  checkKind(flags, view.getUint32(at + 38, true));
  const sizes = zip64Sizes(view, extraStart, extraEnd, view.getUint32(at + 24, true), view.getUint32(at + 20, true));
  return {
    name: decodeName(bytes.subarray(at + 46, extraStart)),
    method: toMethod(view.getUint16(at + 10, true)),
    crc: view.getUint32(at + 16, true),
    ...sizes,
    start: view.getUint32(at + 42, true),
    flags,
    next,
  };
}

function checkKind(flags: number, attributes: number): void {
  // Bits 0, 6, 13: encrypted entry, strong encryption, masked headers.
  if ((flags & 0x2041) !== 0) throw unreadable('the container is encrypted');
  if (((attributes >>> 16) & 0xf000) === 0xa000) throw unreadable('the container holds a link');
}

function toMethod(method: number): ZipEntry['method'] {
  if (method === 0) return 'stored';
  if (method === 8) return 'deflated';
  throw unreadable('the container is packed in a way that is not read');
}

function decodeName(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw unreadable('the container names an entry outside UTF-8', cause);
  }
}

const inZip64 = 0xffffffff;

/** Some writers that stream put small sizes into the zip64 field too: first the size, then the compressed one. */
function zip64Sizes(
  view: DataView,
  start: number,
  end: number,
  size: number,
  compressed: number,
): { readonly size: number; readonly compressed: number } {
  const declared = [size, compressed];
  if (!declared.includes(inZip64)) return { size, compressed };
  let place = zip64Field(view, start, end);
  const [realSize = 0, realCompressed = 0] = declared.map((value) => {
    if (value !== inZip64) return value;
    if (place + 8 > end) throw unreadable('the directory of the container is broken');
    place += 8;
    return Number(view.getBigUint64(place - 8, true));
  });
  return { size: realSize, compressed: realCompressed };
}

function zip64Field(view: DataView, start: number, end: number): number {
  for (let at = start; at + 4 <= end; at += 4 + view.getUint16(at + 2, true)) {
    if (view.getUint16(at, true) === 1) return at + 4;
  }
  return end;
}

/** Finds the data of an entry behind its local header, which has to say the same. */
function locate(view: DataView, bytes: Uint8Array, central: Central, directory: number): ZipEntry {
  const { start, name, method, crc, size, compressed, flags } = central;
  if (start + 30 > directory || view.getUint32(start, true) !== signatures.local)
    throw unreadable('an entry of the container is not where the directory says');
  const nameEnd = start + 30 + view.getUint16(start + 26, true);
  const dataStart = nameEnd + view.getUint16(start + 28, true);
  const dataEnd = dataStart + compressed;
  if (dataEnd > directory) throw unreadable('an entry of the container is not where the directory says');
  const sameName = decodeName(bytes.subarray(start + 30, nameEnd)) === name;
  const sameKind = view.getUint16(start + 8, true) === (method === 'stored' ? 0 : 8);
  if (!sameName || !sameKind || ((view.getUint16(start + 6, true) ^ flags) & 0x2041) !== 0)
    throw unreadable('an entry of the container contradicts the directory');
  return { name, method, crc, size, start, dataStart, dataEnd };
}

function withoutOverlap(entries: readonly ZipEntry[]): readonly ZipEntry[] {
  const sorted = entries.toSorted((left, right) => left.start - right.start);
  let end = 0;
  for (const [index, entry] of sorted.entries()) {
    // Bytes before the first entry belong to another file format.
    if (entry.start < end || (index === 0 && entry.start !== 0))
      throw unreadable('the entries of the container overlap or begin late');
    end = entry.dataEnd;
  }
  return sorted;
}
