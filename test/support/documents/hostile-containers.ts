import { crc32, deflateRawSync } from 'node:zlib';
import { zeros } from './fixtures.ts';
import { mainParts, makeDocx, packageEntries, wordDocument } from './make-office.ts';
import { type MadeEntry, makeEnd, makeZip, noise, place } from './make-zip.ts';

type Maker = () => Uint8Array;

const paragraph = '<w:p><w:r><w:t>fine</w:t></w:r></w:p>';
const whole = () => makeDocx(paragraph);
const withEntry = (...entries: readonly MadeEntry[]) => makeDocx(paragraph, entries);
const named = (name: string) => () => withEntry({ name, content: 'x' });
const extra = (changes: Partial<MadeEntry>) => () =>
  withEntry({ name: 'word/media/extra.bin', content: 'extra', ...changes });

/** Containers made against the reader, by case id of test/fixtures/hostile/cases.yaml. */
export const hostileContainers: Readonly<Record<string, Maker>> = {
  'zip-bomb': () => withEntry(zeros('word/media/zeros.bin', 64)),
  'zip-bomb-in-read-part': () => makeZip([...packageEntries('docx'), { ...zeros(mainParts.docx, 64) }]),
  'zip-bomb-in-many': () =>
    withEntry(
      ...Array.from({ length: 14 }, (_, index) => zeros(`word/media/${index}.bin`, 1)),
      noise('word/media/noise.bin', 3 << 20),
    ),
  'zip-ratio': () => withEntry(zeros('word/media/zeros.bin', 1)),
  'zip-nested': () => withEntry({ name: 'word/embeddings/inner.docx', content: bombInBomb() }),
  'zip-size-lies': () => {
    const bomb = zeros('word/media/zeros.bin', 64);
    return withEntry({ ...bomb, packed: { ...bomb.packed, size: 10 } });
  },
  'zip-size-claims': () => {
    const bytes = deflateRawSync(Buffer.from('small'));
    return extra({ packed: { bytes, size: 0xfffffff0, crc: crc32('small') } })();
  },
  'zip-overlap': overlapping,
  'zip-twice': () => withEntry({ name: mainParts.docx, content: wordDocument('<w:p/>') }),
  'zip-twice-by-case': () => withEntry({ name: 'Word/Document.XML', content: wordDocument('<w:p/>') }),
  'zip-crc': () => {
    const bytes = deflateRawSync(Buffer.from('extra'));
    return extra({ packed: { bytes, size: 5, crc: 1 } })();
  },
  'zip-encrypted-entry': extra({ flags: 0x801 }),
  'zip-bzip2': extra({ method: 12 }),
  'zip-link': extra({ attributes: 0xa1ff0000 }),
  'zip-other-local-name': extra({ localName: 'word/media/other.bin' }),
  'zip-parent-path': named('../../outside.xml'),
  'zip-inner-parent-path': named('word/../../outside.xml'),
  'zip-absolute-path': named('/etc/outside.xml'),
  'zip-drive-path': named('C:/outside.xml'),
  'zip-back-slash': named('word\\..\\outside.xml'),
  'zip-null-in-name': named('word/a\u0000.xml'),
  'zip-file-as-folder': named(`${mainParts.docx}/inner.xml`),
  'zip-bytes-before': () => Buffer.concat([Buffer.from('#!/bin/sh\n'), whole()]),
  'zip-bytes-after': () => Buffer.concat([whole(), Buffer.from('trailing')]),
  'zip-two-ends': () => Buffer.concat([whole(), makeEnd(0, 0, whole().byteLength)]),
  'zip-claims-65535-entries': () => claimed(whole(), 0xffff),
  'zip-claims-too-few-entries': () => claimed(whole(), 1),
  'zip-no-entries': () => makeZip([]),
};

function bombInBomb(): Uint8Array {
  return makeZip([{ name: 'inner.zip', content: makeZip([zeros('zeros.bin', 64)]) }]);
}

/** Every entry of the directory points at the same bytes, as in the bombs that need no nesting. */
function overlapping(): Uint8Array {
  const placed = ['a.bin', 'a.bin'].map((name) => place({ name, content: 'shared' }));
  const [first] = placed;
  const local = first?.local ?? Buffer.alloc(0);
  const directory = Buffer.concat(placed.map(({ central }) => central(0)));
  return Buffer.concat([local, directory, makeEnd(2, directory.byteLength, local.byteLength)]);
}

function claimed(bytes: Uint8Array, count: number): Uint8Array {
  const copy = Buffer.from(bytes);
  copy.writeUInt16LE(count, copy.byteLength - 14);
  copy.writeUInt16LE(count, copy.byteLength - 12);
  return copy;
}
