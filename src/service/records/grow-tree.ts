import type { Checkpoints, Tile, TilePlace } from '../ports/checkpoints.ts';
import type { Clock } from '../ports.ts';
import { appendLeaves, emptyRootHex, hashOfSpan, openPlaces, placesOf, tileKey } from './tile-tree.ts';

interface TreePorts {
  readonly clock: Clock;
  readonly checkpoints: Pick<Checkpoints, 'tiles'>;
}

/** The tree of the first `from` stored leaves and these: every tile that changed, and the root in lower hex. */
export async function growTree(
  { checkpoints, clock }: TreePorts,
  tenant: string,
  from: number,
  leaves: readonly Uint8Array[],
): Promise<{ readonly tiles: readonly Tile[]; readonly root: string }> {
  const changed = new Map<string, Tile>();
  // In slices, so that the other calls of the host get their turn.
  const slice = 4_096;
  for (let at = 0; at < leaves.length; at += slice) {
    const open = await held(checkpoints, tenant, openPlaces(from + at), changed);
    for (const tile of appendLeaves(from + at, leaves.slice(at, at + slice), open)) changed.set(tileKey(tile), tile);
    if (leaves.length > slice) await clock.sleep(0);
  }
  const whole = { start: 0, size: from + leaves.length };
  if (whole.size === 0) return { tiles: [], root: emptyRootHex };
  const root = hashOfSpan(whole, await held(checkpoints, tenant, placesOf(whole), changed));
  return { tiles: [...changed.values()], root: Buffer.from(root).toString('hex') };
}

/** Tiles by their key: those that just changed, the others from the store. */
async function held(
  checkpoints: Pick<Checkpoints, 'tiles'>,
  tenant: string,
  places: readonly TilePlace[],
  changed: ReadonlyMap<string, Tile>,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const wanted = new Map(places.map((place) => [tileKey(place), place]));
  const missing = [...wanted].flatMap(([key, place]) => (changed.has(key) ? [] : [place]));
  const stored = missing.length === 0 ? [] : await checkpoints.tiles(tenant, missing);
  const all = [...stored, ...[...wanted.keys()].flatMap((key) => changed.get(key) ?? [])];
  return new Map(all.map((tile) => [tileKey(tile), tile.hashes]));
}
