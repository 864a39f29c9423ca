/** A file that is read in parts. */
export interface RangedFile {
  readonly size_bytes: number;
  /** The bytes `[from, to)`. Throws when they cannot be read. */
  read(from: number, to: number): Promise<Uint8Array>;
}

/** Integers are doubles, as they are in a window. */
export type ColumnValue = number | string | boolean | null;

/** Held open until it is disposed of. */
export interface ParquetTable extends AsyncDisposable {
  readonly rows: number;
  readonly columns: readonly string[];
  /** The values of one column in row order, a part at a time. May be read again; one column at a time. */
  column(name: string): AsyncIterable<readonly ColumnValue[]>;
}

/** Reads Parquet files that anybody may have made (docs/spec/background.md §6.5). */
export interface Parquet {
  /** Null: no Parquet file, or one that is larger than is read. Throws what reading its bytes threw. */
  open(file: RangedFile): Promise<ParquetTable | null>;
}
