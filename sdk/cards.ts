import type { z } from 'zod';
import type { CardKind } from '#contract/cards/kinds.ts';
import type { CardRef } from '#contract/cards/reference.ts';
import type { Json, JsonObject } from '#contract/json.ts';
import {
  cardAnswerSchema,
  cardsPageSchema,
  type DeclarationAnswer,
  declarationSchema,
  deletedSchema,
} from '#contract/requests/cards.ts';
import { toQuery } from './query.ts';
import type { WireRequest } from './send-once.ts';
import { inParallel, sendUpload } from './send-upload.ts';
import type { Transport } from './transport.ts';
import { uuidV7 } from './uuid-v7.ts';

export type CardAnswer = z.infer<typeof cardAnswerSchema>;
export type CardsPage = z.infer<typeof cardsPageSchema>;

/** A Card by name; the newest version when none is given. */
export interface CardName {
  readonly kind: CardKind;
  readonly name: string;
  readonly version?: string;
  readonly space?: string;
}

export interface CardsQuery {
  readonly kind?: CardKind;
  readonly space?: string;
  readonly name?: string;
  readonly version_range?: string;
  readonly status?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

export interface DeclareOptions {
  /** The bytes of one file of a Card's manifest. */
  readonly readFile?: (relativePath: string, card: CardRef) => Promise<Uint8Array<ArrayBuffer>>;
}

/** Declaring and reading Cards (docs/spec/wire.md §4). */
export function cardCalls(transport: Transport) {
  return {
    /**
     * All or nothing; exactly one of the Cards is referenced by no other. A Card with a manifest becomes active once its
     * files have arrived: `readFile` gives their bytes.
     */
    async declare(submissions: readonly JsonObject[], options: DeclareOptions = {}): Promise<DeclarationAnswer> {
      // One key for all of it (docs/spec/wire.md §4.5): a key is scoped by method and path.
      const key = `card-declaration-${uuidV7()}`;
      const answer = await transport.call(post('/v1/cards', { submissions }, key), declarationSchema);
      for (const { card_ref, entries } of answer.upload_plans) {
        const { readFile } = options;
        if (readFile === undefined) continue;
        await inParallel(entries, async (entry) => {
          await sendUpload(transport, entry, await readFile(entry.relative_path, card_ref), key);
        });
        const done = await transport.call(
          post(`/v1/cards/${card_ref.uid ?? ''}/complete`, null, key),
          declarationSchema,
        );
        answer.outcomes = answer.outcomes.map((outcome) => {
          const completed = done.outcomes.find((other) => other.card_ref.uid === outcome.card_ref.uid);
          return completed ? { ...outcome, status: completed.status } : outcome;
        });
      }
      return answer;
    },
    getCard(kind: CardKind, uid: string): Promise<CardAnswer> {
      return get(transport, `/v1/cards/by-uid/${kind}/${encodeURIComponent(uid)}`, cardAnswerSchema);
    },
    getCardByName({ kind, name, version, space }: CardName): Promise<CardAnswer> {
      return get(transport, `/v1/cards/by-ref${toQuery({ kind, name, version, space })}`, cardAnswerSchema);
    },
    getLatestCard({ kind, name, space }: Omit<CardName, 'version'>): Promise<CardAnswer> {
      const path = [kind, ...(space === undefined ? [] : [space]), name].map(encodeURIComponent).join('/');
      return get(transport, `/v1/cards/${path}/latest`, cardAnswerSchema);
    },
    /** One page, newest first. */
    listCards(query: CardsQuery = {}): Promise<CardsPage> {
      return get(transport, `/v1/cards${toQuery({ ...query })}`, cardsPageSchema);
    },
    deleteCard(kind: CardKind, uid: string): Promise<z.infer<typeof deletedSchema>> {
      const path = `/v1/cards/by-uid/${kind}/${encodeURIComponent(uid)}`;
      return transport.call({ method: 'DELETE', path, repeatable: true }, deletedSchema);
    },
  };
}

function get<Shape extends z.ZodType>(transport: Transport, path: string, schema: Shape): Promise<z.output<Shape>> {
  return transport.call({ method: 'GET', path, repeatable: true }, schema);
}

function post(path: string, body: Json, key: string): WireRequest {
  const headers = { 'content-type': 'application/json', 'idempotency-key': key };
  return { method: 'POST', path, headers, body: JSON.stringify(body), repeatable: true };
}
