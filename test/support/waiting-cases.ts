/**
 * Cases that cannot pass yet because what they need comes with a later part of the product. A case that passes while it
 * stands here fails its test, so the lists can only shrink.
 */

/** Wait for baselines. */
const background = new Set(['schedule-unready-skips']);

export function waitsForBackground(id: string): boolean {
  return background.has(id);
}
