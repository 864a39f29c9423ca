import type { z } from 'zod';
import type { CardKind } from '#contract/cards/kinds.ts';
import type { JsonObject } from '#contract/json.ts';
import {
  cardAnswerSchema,
  cardsPageSchema,
  type DeclarationAnswer,
  declarationSchema,
  deletedSchema,
} from '#contract/requests/cards.ts';
import { toQuery } from './query.ts';
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

/** Declaring and reading Cards (docs/spec/wire.md §4). */
export function cardCalls(transport: Transport) {
  return {
    /** All or nothing; exactly one of the Cards is referenced by no other. */
    declare(submissions: readonly JsonObject[]): Promise<DeclarationAnswer> {
      const request = {
        method: 'POST',
        path: '/v1/cards',
        headers: { 'content-type': 'application/json', 'idempotency-key': `card-declaration-${uuidV7()}` },
        body: JSON.stringify({ submissions }),
        repeatable: true,
      } as const;
      return transport.call(request, declarationSchema);
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
