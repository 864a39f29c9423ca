/**
 * Cases that cannot pass yet because what they need comes with a later part of the product. A case that passes while it
 * stands here fails its test, so the list can only shrink.
 */
const waitsForDocuments: readonly string[] = [];

const waiting = new Set(waitsForDocuments);

export function waitsForEngine(id: string): boolean {
  return waiting.has(id);
}
