import { type AsyncBuffer, type FileMetaData, parquetMetadataAsync, parquetRead, parquetSchema } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import type { ColumnValue, Parquet, ParquetTable, RangedFile } from '#service/ports/parquet.ts';

/** A file of 2 GiB (docs/spec/background.md §6.5); its footer is small beside its columns. */
const most = { file: 2 * 1_073_741_824, footer: 16 * 1_048_576, page: 256 * 1_048_576 };

/** Parquet by hyparquet: one row group of one column at a time, so that no file is held whole. */
export const parquetFiles: Parquet = {
  async open(file) {
    if (file.size_bytes > most.file || file.size_bytes < 12) return null;
    try {
      await requireFooter(file);
      const buffer = bufferOf(file);
      const metadata = await parquetMetadataAsync(buffer);
      return tableOf(buffer, metadata);
    } catch {
      return null;
    }
  },
};

/** The footer's length is the file's own word: a hostile one would be read whole. */
async function requireFooter({ size_bytes, read }: RangedFile): Promise<void> {
  const tail = Buffer.from(await read(size_bytes - 8, size_bytes));
  const length = tail.readUInt32LE(0);
  const isParquet = tail.subarray(4).toString('latin1') === 'PAR1';
  if (!isParquet || length > most.footer || length > size_bytes - 12) throw new Error('no footer');
}

function bufferOf({ size_bytes, read }: RangedFile): AsyncBuffer {
  return {
    byteLength: size_bytes,
    async slice(from, to = size_bytes) {
      const bytes = await read(Math.max(0, from), Math.min(to, size_bytes));
      return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
    },
  };
}

function tableOf(file: AsyncBuffer, metadata: FileMetaData): ParquetTable {
  const rows = Number(metadata.num_rows);
  const columns = parquetSchema(metadata).children.filter(({ children }) => children.length === 0);
  return {
    rows,
    columns: columns.map(({ element }) => element.name),
    async *column(name) {
      let rowStart = 0;
      for (const { num_rows } of metadata.row_groups) {
        const rowEnd = rowStart + Number(num_rows);
        const chunks: ArrayLike<unknown>[] = [];
        const onChunk = ({ columnData }: { readonly columnData: ArrayLike<unknown> }) => void chunks.push(columnData);
        const of = { file, metadata, columns: [name], compressors: boundedCompressors };
        await parquetRead({ ...of, rowStart, rowEnd, onChunk });
        for (const chunk of chunks) yield Array.from(chunk, toValue);
        rowStart = rowEnd;
      }
    },
  };
}

/** What a page claims to inflate to is bounded before room is made for it. */
const boundedCompressors = Object.fromEntries(
  Object.entries(compressors).map(([codec, inflate]) => [
    codec,
    (input: Uint8Array, length: number) => {
      if (length > most.page) throw new Error('a page inflates too far');
      return inflate(input, length);
    },
  ]),
);

/** Dates, lists and bytes are nothing that drift is measured on. */
function toValue(value: unknown): ColumnValue {
  if (value === undefined || value === null) return null;
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'string') return value;
  return typeof value === 'boolean' ? value : false;
}
