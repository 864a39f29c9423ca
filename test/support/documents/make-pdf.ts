import { constants, deflateRawSync } from 'node:zlib';

/** A PDF of these objects, numbered from 1; the first is its catalog. Bytes that are no text come as `Buffer`. */
export function makePdf(objects: readonly (string | Buffer)[], trailer = ''): Uint8Array {
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n%\u00e2\u00e3\n', 'latin1')];
  const starts: number[] = [];
  let length = parts[0]?.byteLength ?? 0;
  for (const [index, object] of objects.entries()) {
    starts.push(length);
    const body = Buffer.concat([
      Buffer.from(`${index + 1} 0 obj\n`),
      Buffer.from(object as Buffer),
      Buffer.from('\nendobj\n'),
    ]);
    parts.push(body);
    length += body.byteLength;
  }
  const rows = starts.map((start) => `${String(start).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  parts.push(
    Buffer.from(
      `xref\n0 ${size}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${size} /Root 1 0 R ${trailer} >>\nstartxref\n${length}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(parts);
}

export function stream(data: string | Buffer, entries = ''): Buffer {
  const bytes = Buffer.from(data as Buffer);
  return Buffer.concat([
    Buffer.from(`<< /Length ${bytes.byteLength} ${entries} >>\nstream\n`),
    bytes,
    Buffer.from('\nendstream'),
  ]);
}

/** One page a text, each with the lines of it. */
export function makePages(texts: readonly string[]): Uint8Array {
  const font = '3 0 R';
  const kids = texts.map((_, index) => `${4 + 2 * index} 0 R`);
  return makePdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids.join(' ')}] /Count ${texts.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...texts.flatMap((text, index) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 ${font} >> >> /Contents ${5 + 2 * index} 0 R >>`,
      stream(
        `BT /F1 12 Tf 72 770 Td 14 TL ${text
          .split('\n')
          .map((line) => `(${line}) Tj T*`)
          .join(' ')} ET`,
      ),
    ]),
  ]);
}

/** One page with the given stream as its content. */
export function makePageOf(content: Buffer, resources = '<< >>'): Uint8Array {
  return makePdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources ${resources} /Contents 4 0 R >>`,
    content,
  ]);
}

/** One page that shows a picture and nothing else, as a scanner makes it. */
export function makeScan(): Uint8Array {
  return makePdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /XObject << /Im 5 0 R >> >> /Contents 4 0 R >>',
    stream('q 595 0 0 842 0 0 cm /Im Do Q'),
    stream(
      Buffer.from([0x10, 0x80, 0xf0, 0x40]),
      '/Type /XObject /Subtype /Image /Width 2 /Height 2 /ColorSpace /DeviceGray /BitsPerComponent 8',
    ),
  ]);
}

const unitBytes = 1 << 24;

/** A deflated run of zero bytes (a multiple of 16 MiB), without ever holding them. */
export function deflatedZeros(units: number): { readonly raw: Buffer; readonly zlib: Buffer; readonly bytes: number } {
  const block = deflateRawSync(Buffer.alloc(unitBytes), { level: 9, finishFlush: constants.Z_FULL_FLUSH });
  const bytes = units * unitBytes;
  const raw = Buffer.concat([...Array<Buffer>(units).fill(block), Buffer.from([3, 0])]);
  // Adler-32 of zeros: the first sum stays 1, the second counts the bytes.
  const check = Buffer.alloc(4);
  check.writeUInt16BE(bytes % 65521, 0);
  check.writeUInt16BE(1, 2);
  return { raw, zlib: Buffer.concat([Buffer.from([0x78, 0xda]), raw, check]), bytes };
}
