import { z } from 'zod';
import { Problem } from '#contract/errors.ts';
import type { JsonObject } from '#contract/json.ts';
import type { Principal } from '../../auth/principal.ts';
import { listCards, type ReadPorts, readCardByName, readCardByUid } from '../../cards/read-cards.ts';
import { makeTool, type ToolAnswer, type ToolCaller, type ToolPorts, toolError, toolResult } from './tool.ts';

const pageSize = 100;
const kind = z.string().min(1).max(64).describe('kind of Card, for example Agent or Verifier');
const name = z.string().min(1).max(256);

export const listCardsTool = makeTool({
  name: 'cards.list',
  description: 'Lists Cards of this tenant, newest first, 100 a page. Pass `next` of an answer as `cursor` for more.',
  needs: 'cards:read',
  arguments: z.strictObject({
    kind: kind.optional(),
    name_contains: name.optional(),
    cursor: z.string().max(1_024).optional(),
  }),
  run: (ports, caller, { kind: only, name_contains, cursor }) =>
    answering(async () => {
      const request = {
        include_prerelease: true,
        ...(only !== undefined && { kind: only }),
        ...(name_contains !== undefined && { name_contains }),
      };
      const page = await listCards(readPorts(ports), principalOf(caller), request, {
        limit: pageSize,
        after: cursor ?? null,
      });
      return { cards: [...page.items], next: page.next };
    }),
});

export const getCardTool = makeTool({
  name: 'cards.get',
  description: 'Reads one Card, by `uid`, or by `kind`, `name` and optionally `version`.',
  needs: 'cards:read',
  arguments: z.union([
    z.strictObject({ kind, uid: z.string().max(64) }),
    z.strictObject({ kind, name, version: z.string().max(64).optional() }),
  ]),
  run: (ports, caller, given) =>
    answering(async () => {
      const principal = principalOf(caller);
      const found =
        'uid' in given
          ? await readCardByUid(readPorts(ports), principal, given.kind, given.uid)
          : await readCardByName(readPorts(ports), principal, given);
      return { card: found.card, created_at: found.created_at };
    }),
});

function readPorts(ports: ToolPorts): ReadPorts {
  return { clock: ports.clock, registry: ports.registry };
}

function principalOf({ tenant, permissions }: ToolCaller): Principal {
  return { tenant, permissions, id: 'tool', verifier_uids: null, card_uid: null };
}

/** A refusal of ours is told with its code; what the store throws is not. */
async function answering(read: () => Promise<JsonObject>): Promise<ToolAnswer> {
  try {
    return toolResult(await read());
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return toolError('card_refused', error.detail);
  }
}
