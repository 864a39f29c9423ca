import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type KeySet, keySetSchema, type PublicKey } from '#contract/record.ts';
import { toRfc3339 } from '#service/time.ts';
import { putIf, updateIf } from '../dynamo/conditional-write.ts';
import { rowsOf } from '../dynamo/reads.ts';
import { rootKeyKey, rootKeysPartition } from '../keys.ts';
import type { Item } from '../store-call.ts';

export type PublishedKey = KeySet['keys'][number];

export interface PublishedKeys {
  all(): Promise<readonly PublishedKey[]>;
  /** The row of this key, made when it is new: then the key before it ends within two hours. */
  ensure(kid: string, jwk: PublicKey): Promise<PublishedKey>;
}

const hourMs = 3_600_000;
/** Clocks of functions differ a little; the first key of all has nobody before it. */
const leadMs = { next: 300_000, first: 24 * hourMs };
/** Functions that started before a new key was deployed go on signing with theirs for a while. */
const overlapMs = 2 * hourMs;

/** Root keys that ever signed, in the table of records; a row never goes (docs/spec/records.md §3). */
export function publishedKeys(dynamo: DynamoDBDocumentClient, table: string, now: () => number): PublishedKeys {
  const all = async () => {
    const rows = await rowsOf(dynamo, table, rootKeysPartition);
    return rows.map(toPublished).sort((left, right) => (left.valid_from < right.valid_from ? -1 : 1));
  };
  return {
    all,
    async ensure(kid, jwk) {
      const known = await all();
      const found = known.find((key) => key.kid === kid);
      if (found !== undefined) return found;
      const valid_from = toRfc3339(now() - (known.length === 0 ? leadMs.first : leadMs.next));
      const item = { ...rootKeyKey(kid), jwk: JSON.stringify(jwk), valid_from };
      await putIf(dynamo, { table, item, condition: 'attribute_not_exists(pk)' });
      for (const { kid: before } of known.filter(({ valid_until }) => valid_until === undefined)) {
        await updateIf(dynamo, {
          table,
          key: rootKeyKey(before),
          set: 'valid_until = :until',
          condition: 'attribute_not_exists(valid_until)',
          values: { ':until': toRfc3339(now() + overlapMs) },
        });
      }
      // Another process may have been faster: what is stored counts.
      return (await all()).find((key) => key.kid === kid) ?? toPublished(item);
    },
  };
}

function toPublished(row: Item): PublishedKey {
  const jwk = JSON.parse(String(row.jwk)) as PublicKey;
  const alg = jwk.kty === 'OKP' ? 'EdDSA' : 'ES256';
  const until = row.valid_until === undefined ? {} : { valid_until: row.valid_until };
  return keySetSchema.shape.keys.element.parse({ ...jwk, kid: row.sk, alg, valid_from: row.valid_from, ...until });
}
