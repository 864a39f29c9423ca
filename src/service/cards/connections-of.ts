import type { FindConnection } from '#engine/declare/submission/operator-rules.ts';
import type { Connections } from '../ports/connections.ts';
import type { PlacedCard } from './place-card.ts';

/** Cards that are Operators, or may bind them. */
const kinds: ReadonlySet<string> = new Set(['Operator', 'Service', 'Agent']);

/** The tenant's connections, where the submitted Cards may name one (docs/spec/background.md §8.3). */
export async function connectionsOf(
  connections: Connections,
  tenant: string,
  placed: readonly PlacedCard[],
): Promise<FindConnection> {
  const needed = placed.some(({ card }) => kinds.has(card.kind));
  const listed = needed ? await connections.list(tenant) : [];
  const byName = new Map(listed.map((connection) => [`${connection.provider} ${connection.name}`, connection]));
  return (provider, name) => byName.get(`${provider} ${name}`);
}
