import { type FileMetaData, parquetMetadata } from 'hyparquet';
import { ByteWriter } from 'hyparquet-writer';
import { writeMetadata } from 'hyparquet-writer/src/metadata.js';

const magic = Buffer.from('PAR1');

/** The file with another footer: what its metadata became. */
export function withMetadata(file: Buffer, change: (metadata: FileMetaData) => void): Buffer {
  const bytes = new Uint8Array(file).buffer;
  const metadata = parquetMetadata(bytes);
  const pages = file.subarray(0, file.byteLength - 8 - metadata.metadata_length);
  change(metadata);
  const writer = new ByteWriter();
  // The writer has an older reader's types of its own.
  writeMetadata(writer, metadata as Parameters<typeof writeMetadata>[1]);
  return Buffer.concat([pages, writer.getBytes(), magic]);
}

/** The file with these bytes as its footer, whatever they are. */
export function withFooter(file: Buffer, footer: Uint8Array): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(footer.byteLength);
  return Buffer.concat([file.subarray(0, file.byteLength - 8), footer, length, magic]);
}

/** One required column `x` of doubles, one row group, one data page: this body, said to be of this size and count. */
export function withPage(
  file: Buffer,
  page: { readonly body: Buffer; readonly inflates_to: number; readonly values: number; readonly codec: Codec },
): Buffer {
  const header = pageHeader(page.inflates_to, page.body.byteLength, page.values);
  const start = Buffer.concat([magic, header, page.body]);
  const whole = Buffer.concat([start, file.subarray(file.byteLength - 8 - file.readUInt32LE(file.byteLength - 8))]);
  return withMetadata(whole, (metadata) => {
    metadata.num_rows = BigInt(page.values);
    const [group] = metadata.row_groups;
    const chunk = group?.columns[0]?.meta_data;
    if (group === undefined || chunk === undefined) throw new Error('no column');
    group.num_rows = BigInt(page.values);
    chunk.num_values = BigInt(page.values);
    chunk.codec = page.codec;
    delete chunk.dictionary_page_offset;
    chunk.data_page_offset = 4n;
    chunk.total_compressed_size = BigInt(header.byteLength + page.body.byteLength);
    chunk.total_uncompressed_size = BigInt(header.byteLength + page.inflates_to);
  });
}

type Codec = 'UNCOMPRESSED' | 'SNAPPY' | 'GZIP' | 'ZSTD';

/** Thrift: a data page, its sizes, and its header of a count, PLAIN values and RLE levels. */
function pageHeader(inflates: number, size: number, values: number): Buffer {
  const field = (head: number, value: number) => [head, ...zigzag(value)];
  const inner = [...field(0x15, values), ...field(0x15, 0), ...field(0x15, 3), ...field(0x15, 3), 0];
  return Buffer.from([...field(0x15, 0), ...field(0x15, inflates), ...field(0x15, size), 0x2c, ...inner, 0]);
}

function zigzag(value: number): number[] {
  let left = BigInt(value) * 2n;
  const bytes: number[] = [];
  for (; left > 0x7fn; left >>= 7n) bytes.push(Number(left & 0x7fn) | 0x80);
  return [...bytes, Number(left)];
}
