import { crc32, deflateRawSync } from 'node:zlib';

export interface MadeEntry {
  readonly name: string;
  readonly content: string | Uint8Array;
  readonly stored?: boolean;
  /** Written as given in place of what `content` deflates to; `size` and `crc` then say what it inflates to. */
  readonly packed?: { readonly bytes: Uint8Array; readonly size: number; readonly crc: number };
  /** Name in the local header, where it differs from the directory's. */
  readonly localName?: string;
  readonly flags?: number;
  readonly attributes?: number;
  readonly method?: number;
}

interface Placed {
  readonly local: Buffer;
  readonly central: (start: number) => Buffer;
}

/** A ZIP file of these entries, in this order, with nothing but them. */
export function makeZip(entries: readonly MadeEntry[]): Uint8Array {
  const locals: Buffer[] = [];
  const centrals: Buffer[] = [];
  let start = 0;
  for (const entry of entries) {
    const { local, central } = place(entry);
    locals.push(local);
    centrals.push(central(start));
    start += local.byteLength;
  }
  const directory = Buffer.concat(centrals);
  return Buffer.concat([...locals, directory, makeEnd(entries.length, directory.byteLength, start)]);
}

export function makeEnd(count: number, directoryBytes: number, directoryStart: number): Buffer {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Math.min(count, 0xffff), 8);
  end.writeUInt16LE(Math.min(count, 0xffff), 10);
  end.writeUInt32LE(directoryBytes, 12);
  end.writeUInt32LE(directoryStart, 16);
  return end;
}

export function place({ name, content, stored, packed, localName, flags, attributes, method }: MadeEntry): Placed {
  const bytes = Buffer.from(content as Uint8Array);
  const data = packed?.bytes ?? (stored === true ? bytes : deflateRawSync(bytes));
  const shared = Buffer.alloc(26);
  shared.writeUInt16LE(20, 0);
  shared.writeUInt16LE(flags ?? 0x800, 2);
  shared.writeUInt16LE(method ?? (stored === true ? 0 : 8), 4);
  shared.writeUInt16LE(0x21, 8);
  shared.writeUInt32LE(packed?.crc ?? crc32(bytes), 10);
  shared.writeUInt32LE(data.byteLength, 14);
  shared.writeUInt32LE(packed?.size ?? bytes.byteLength, 18);
  const nameBytes = Buffer.from(name);
  const localNameBytes = Buffer.from(localName ?? name);
  const localHeader = Buffer.from(shared);
  localHeader.writeUInt16LE(localNameBytes.byteLength, 22);
  shared.writeUInt16LE(nameBytes.byteLength, 22);
  const local = Buffer.concat([Buffer.from([0x50, 0x4b, 3, 4]), localHeader, localNameBytes, data]);
  return {
    local,
    central: (start) => {
      const rest = Buffer.alloc(14);
      rest.writeUInt32LE(attributes ?? 0, 6);
      rest.writeUInt32LE(start, 10);
      return Buffer.concat([Buffer.from([0x50, 0x4b, 1, 2, 20, 0]), shared, rest, nameBytes]);
    },
  };
}

/** Bytes that do not deflate, so that the ratio stays low. */
export function noise(name: string, length: number): MadeEntry {
  const content = Buffer.alloc(length);
  let state = 1;
  for (let at = 0; at + 4 <= length; at += 4) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    content.writeUInt32LE(state, at);
  }
  return { name, content, stored: true };
}
