import type { Checkpoints, LoggedCheckpoint } from '../ports/checkpoints.ts';
import { consistencySpans, hashOfSpan, inclusionSpans, placesOf, type Span, tileKey } from './tile-tree.ts';

/** Siblings in lower hex from the leaf upwards, in the tree of this checkpoint. */
export function inclusionPath(
  checkpoints: Checkpoints,
  tenant: string,
  index: number,
  { size }: Pick<LoggedCheckpoint, 'size'>,
): Promise<readonly string[]> {
  return hashesOf(checkpoints, tenant, inclusionSpans(index, size));
}

/** Nodes from the earlier tree to the later, in lower hex; none from an empty one (RFC 9162 §2.1.4). */
export function consistencyPath(
  checkpoints: Checkpoints,
  tenant: string,
  from: number,
  to: number,
): Promise<readonly string[]> {
  return hashesOf(checkpoints, tenant, from === 0 ? [] : consistencySpans(from, to));
}

/** Lower hex root of the first `size` leaves. */
export async function rootOfSize(checkpoints: Checkpoints, tenant: string, size: number): Promise<string> {
  const [root = ''] = await hashesOf(checkpoints, tenant, [{ start: 0, size }]);
  return root;
}

/** Every tile is read once, whatever number of hashes needs it. */
async function hashesOf(checkpoints: Checkpoints, tenant: string, spans: readonly Span[]): Promise<readonly string[]> {
  const places = new Map(spans.flatMap(placesOf).map((place) => [tileKey(place), place]));
  if (places.size === 0) return [];
  const tiles = await checkpoints.tiles(tenant, [...places.values()]);
  const held = new Map(tiles.map((tile) => [tileKey(tile), tile.hashes]));
  return spans.map((span) => Buffer.from(hashOfSpan(span, held)).toString('hex'));
}
