/**
 * An interpreter's memory as bytes: stack pointer, pages in all, pages kept (three u32, little endian), the number of
 * each kept page (u32), then their contents. Pages of zeros, half of them, are left out: fresh memory is zero.
 */
export const pageBytes = 65_536;
const fieldBytes = 4;
const fields = 3;

export function takeSnapshot(memory: Uint8Array, stack: number): Uint8Array {
  const zero = new Uint8Array(pageBytes);
  const pages = memory.length / pageBytes;
  const kept: number[] = [];
  for (let page = 0; page < pages; page += 1) if (!equal(pageOf(memory, page), zero)) kept.push(page);
  const header = fieldBytes * (fields + kept.length);
  const snapshot = new Uint8Array(header + kept.length * pageBytes);
  const view = new DataView(snapshot.buffer);
  for (const [index, value] of [stack, pages, kept.length, ...kept].entries())
    view.setUint32(fieldBytes * index, value, true);
  for (const [index, page] of kept.entries()) snapshot.set(pageOf(memory, page), header + index * pageBytes);
  return snapshot;
}

export function snapshotPages(snapshot: Uint8Array): number {
  return field(snapshot, 1);
}

/** Over memory of a fresh instance of the same module: what its start wrote is overwritten or was zero. */
export function restoreMemory(memory: Uint8Array, snapshot: Uint8Array): number {
  const count = field(snapshot, 2);
  const header = fieldBytes * (fields + count);
  let next = 0;
  for (let index = 0; index < count; index += 1) {
    const page = field(snapshot, fields + index);
    const from = header + index * pageBytes;
    memory.fill(0, next * pageBytes, page * pageBytes);
    memory.set(snapshot.subarray(from, from + pageBytes), page * pageBytes);
    next = page + 1;
  }
  memory.fill(0, next * pageBytes);
  return field(snapshot, 0);
}

function pageOf(memory: Uint8Array, page: number): Uint8Array {
  return memory.subarray(page * pageBytes, (page + 1) * pageBytes);
}

function equal(left: Uint8Array, right: Uint8Array): boolean {
  for (let at = 0; at < left.length; at += 1) if (left[at] !== right[at]) return false;
  return true;
}

function field(snapshot: Uint8Array, index: number): number {
  return new DataView(snapshot.buffer, snapshot.byteOffset).getUint32(fieldBytes * index, true);
}
