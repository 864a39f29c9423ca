import type { FileMetaData, RowGroup } from 'hyparquet';

/** What is read of any file (docs/spec/background.md §6.5): writers stay far below all but the first. */
const most = {
  rows: 50_000_000n,
  groups: 100_000,
  /** Columns, with everything that holds other columns, and how deep they stand. */
  elements: 20_000,
  depth: 32,
};

/** What can be known before any page is decoded. Throws on counts that contradict each other, or are never read. */
export function checkMetadata({ schema, num_rows, row_groups }: FileMetaData): void {
  if (schema.length > most.elements || row_groups.length > most.groups) throw new Error('too many columns or groups');
  checkDepth(schema);
  let rows = 0n;
  for (const group of row_groups) {
    if (group.num_rows < 0n) throw new Error('a group of fewer than no rows');
    rows += group.num_rows;
  }
  if (rows !== num_rows || rows > most.rows) throw new Error('another number of rows');
}

/** Every element says how many of the next ones it holds. */
function checkDepth(schema: FileMetaData['schema']): void {
  /** Of each element that is open: how many are still to come. */
  const left: number[] = [];
  for (const { num_children } of schema) {
    while (left.at(-1) === 0) left.pop();
    const last = left.pop();
    if (last !== undefined) left.push(last - 1);
    if (num_children !== undefined && num_children < 0) throw new Error('fewer than no columns');
    if (num_children) left.push(num_children);
    if (left.length > most.depth) throw new Error('columns stand too deep');
  }
  if (left.some((missing) => missing > 0)) throw new Error('columns are missing');
}

/** One chunk for one column of a group, with one value a row, null or not. Throws on anything else. */
export function checkChunks({ columns, num_rows }: RowGroup, name: string): void {
  const [chunk, ...others] = columns.filter(({ meta_data }) => meta_data?.path_in_schema[0] === name);
  if (chunk?.meta_data === undefined || others.length > 0) throw new Error('not one chunk');
  const { num_values, path_in_schema } = chunk.meta_data;
  if (path_in_schema.length !== 1 || num_values !== num_rows) throw new Error('not one value a row');
}
