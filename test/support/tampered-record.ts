import { createHash } from 'node:crypto';
import type { Json, JsonObject } from '#contract/json.ts';
import { type Envelope, payloadTypes } from '#contract/record.ts';
import type { RecordCheck } from '#engine/record/check-record.ts';
import { buildTree, consistencyProof, inclusionProof, leafHash, rootOf } from '#engine/record/merkle.ts';
import { preAuthenticationEncoding } from '#engine/record/pre-authentication-encoding.ts';
import { resultDigest } from '#engine/record/statement.ts';
import { canonical } from '#engine/values/canonical.ts';
import type { JudgedExecution } from './judged-letter.ts';
import { envelopeOf, makeKey, published, type SigningKey, signJson } from './record-signing.ts';

/**
 * One change of a case. Before signing: `result`, `statement`, `statement_text`, `delegation`, `checkpoint`, `earlier`.
 * After: `record`, `record_text`, `keys`, `result_held`, `inclusion`, `consistency`, `cards`, `evidence`.
 */
export interface Change {
  readonly in: string;
  readonly op: 'set' | 'remove' | 'swap' | 'insert' | 'replace_text' | 'truncate' | 'repeat' | 'sign' | 'flip';
  readonly path?: string;
  readonly with?: string;
  readonly value?: Json;
  readonly find?: string;
  readonly by?: string;
  readonly form?: string;
  readonly times?: number;
  readonly length?: number;
}

const root = makeKey('p256');
const edRoot = makeKey('ed25519');
const hourly = makeKey('ed25519');
const stranger = makeKey('ed25519');
const strangeRoot = makeKey('p256');
const signers: Readonly<Record<string, SigningKey>> = {
  root,
  ed_root: edRoot,
  hourly,
  stranger,
  strange_root: strangeRoot,
};

const leaves = ['one', 'two', 'three', 'five'].map((text) => leafHash(createHash('sha256').update(text).digest()));

/** The check of a record that was changed at the named places, everything else made anew and rightly signed around it. */
export function tamper(judged: JudgedExecution, changes: readonly Change[]): RecordCheck {
  const at = (place: string, value: Json) => changes.filter((change) => change.in === place).reduce(applyChange, value);
  const result = at('result', toJson(judged.result));
  const statement = at('statement', withResult(toJson(judged.statement), result));
  const payload = Buffer.from(textAt(changes, 'statement_text', canonical(statement)));
  const signing = changes.find(({ op }) => op === 'sign') ?? { in: 'statement', op: 'sign' };
  const envelope = signAs(signing, payload);
  const delegation = at('delegation', {
    version: 1,
    key: hourly.jwk,
    tenant_scope: '*',
    purpose: 'records',
    valid_from: '2026-05-04T07:30:00Z',
    valid_until: '2026-05-04T08:30:00Z',
  });
  const delegationBy = changes.find((change) => change.in === 'delegation' && change.by !== undefined)?.by ?? 'root';
  const record = at('record', {
    envelope: toJson(envelope),
    delegation: toJson(signJson('delegation', delegation, signers[delegationBy] ?? root)),
  });
  const { checkpoint, needsProof } = proofs(changes, at, payload);
  return {
    record: textAt(changes, 'record_text', JSON.stringify(record)),
    keys: at('keys', {
      keys: [
        published(root, { valid_from: '2026-01-01T00:00:00Z' }),
        published(edRoot, { valid_from: '2026-01-01T00:00:00Z' }),
      ],
    }),
    result: textAt(changes, 'result_text', JSON.stringify(at('result_held', result))),
    cards: listAt(at('cards', judged.cards)).map((card) => JSON.stringify(card)),
    evidence: judged.evidence.map(({ name, bytes }) => {
      const text = Buffer.from(bytes).toString('utf8');
      const change = changes.find((candidate) => candidate.in === `evidence/${name}`);
      if (change?.op === 'remove') return { name: 'nothing', bytes: new Uint8Array() };
      return {
        name,
        bytes: change === undefined ? bytes : Buffer.from(text.replace(change.find ?? '', change.with ?? '')),
      };
    }),
    ...(needsProof && { checkpoint: JSON.stringify(checkpoint) }),
  };
}

/** An inclusion in a tree of five, of which this record is the fourth; or the step from its first three to all five. */
function proofs(changes: readonly Change[], at: (place: string, value: Json) => Json, payload: Uint8Array) {
  const own = leafHash(createHash('sha256').update(payload).digest());
  const all = [...leaves.slice(0, 3), own, ...leaves.slice(3)];
  const removed = changes.some(({ in: place, op }) => place === 'leaves' && op === 'remove');
  const swapped = changes.some(({ in: place, op }) => place === 'leaves' && op === 'swap');
  const logged = removed ? all.slice(1) : swapped ? [all[1] ?? own, all[0] ?? own, ...all.slice(2)] : all;
  const [whole, part] = [buildTree(logged), buildTree(all.slice(0, 3))];
  const earlier = at(
    'earlier',
    checkpointOf(3, rootOf(part), { opened_at: '2026-05-04T06:00:00Z', closed_at: '2026-05-04T07:00:00Z' }),
  );
  const earlierEnvelope = signJson('checkpoint', earlier, root);
  const previous = createHash('sha256').update(canonical(earlier)).digest('hex');
  const later = at('checkpoint', { ...checkpointOf(logged.length, rootOf(whole), {}), previous, first_index: 3 });
  const by = changes.find((change) => change.in === 'checkpoint' && change.by !== undefined)?.by ?? 'root';
  const laterEnvelope = signJson('checkpoint', later, signers[by] ?? root);
  const position = logged.indexOf(own);
  const isConsistency = changes.some(
    ({ in: place }) => place === 'consistency' || place === 'earlier' || place === 'leaves',
  );
  const checkpoint = isConsistency
    ? at('consistency', {
        from: toJson(earlierEnvelope),
        to: toJson(laterEnvelope),
        path: (consistencyProof(whole, 3) ?? []).map(hex),
      })
    : at('inclusion', {
        index: position,
        size: logged.length,
        path: (inclusionProof(whole, position) ?? []).map(hex),
        checkpoint: toJson(laterEnvelope),
      });
  const needsProof = ['inclusion', 'checkpoint', 'consistency', 'earlier', 'leaves'].some((place) =>
    changes.some((change) => change.in === place),
  );
  return { checkpoint, needsProof };
}

function checkpointOf(size: number, treeRoot: Uint8Array, more: JsonObject): JsonObject {
  return {
    version: 1,
    tenant: 'local',
    size,
    root: hex(treeRoot),
    previous: null,
    first_index: 0,
    opened_at: '2026-05-04T07:00:00Z',
    closed_at: '2026-05-04T09:00:00Z',
    ...more,
  };
}

/** A result that its holder of the key changed before signing: its digest is right. */
function withResult(statement: Json, result: Json): Json {
  const { subject, ...rest } = statement as { subject: JsonObject[] } & JsonObject;
  const [first, ...inputs] = subject;
  return { ...rest, subject: [{ ...first, digest: { sha256: resultDigest(result as object) } }, ...inputs] };
}

const groupOrder = 2n ** 252n + 27742317777372353535851937790883648493n;

function signAs({ by = 'hourly', form = 'raw', value }: Change, payload: Uint8Array): Envelope {
  const key = signers[by] ?? hourly;
  const type = typeof value === 'string' ? value : payloadTypes.statement;
  const envelope = envelopeOf(type, payload, key);
  const message = preAuthenticationEncoding(type, payload);
  const raw = key.sign(message);
  const forms: Readonly<Record<string, Buffer>> = {
    raw,
    der: key.signDer(message),
    truncated: raw.subarray(0, 63),
    long: Buffer.concat([raw, Buffer.of(0)]),
    empty: Buffer.alloc(0),
    zero: Buffer.alloc(64),
    flipped: flipped(raw),
    malleated: malleated(raw),
    other_s: otherS(raw),
    without_type: key.sign(payload),
  };
  const sig = (forms[form] ?? raw).toString('base64');
  return { ...envelope, signatures: [{ keyid: key.kid, sig }] };
}

function flipped(raw: Buffer): Buffer {
  const copy = Buffer.from(raw);
  copy[10] = (copy[10] ?? 0) ^ 1;
  return copy;
}

/** Ed25519 with S + L: the same point equation, another text. */
function malleated(raw: Buffer): Buffer {
  const s = BigInt(`0x${Buffer.from(raw.subarray(32)).reverse().toString('hex')}`) + groupOrder;
  const bytes = Buffer.from(s.toString(16).padStart(64, '0'), 'hex').reverse();
  return Buffer.concat([raw.subarray(0, 32), bytes]);
}

const p256Order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/** P-256 with n − s: as valid as the first (docs/spec/records.md §4, low-S not required). */
function otherS(raw: Buffer): Buffer {
  const s = p256Order - BigInt(`0x${raw.subarray(32).toString('hex')}`);
  return Buffer.concat([raw.subarray(0, 32), Buffer.from(s.toString(16).padStart(64, '0'), 'hex')]);
}

function textAt(changes: readonly Change[], place: string, text: string): string {
  return changes.filter((change) => change.in === place).reduce(applyToText, text);
}

function applyToText(text: string, { op, find = '', with: replacement = '', length = 0, times = 1 }: Change): string {
  if (op === 'truncate') return text.slice(0, length);
  if (op === 'repeat') return replacement.repeat(times);
  if (!text.includes(find)) throw new Error(`the text holds no ${find}`);
  return text.replace(find, () => replacement);
}

/** Pointers are `/a/0/b`; `-` is no index. A change that changes nothing is a mistake of the case. */
function applyChange(root: Json, change: Change): Json {
  if (change.path === undefined) return root;
  const copy = structuredClone(root) as Json;
  const tokens = change.path.split('/').slice(1);
  const last = tokens.pop() ?? '';
  let owner = copy as Record<string, Json>;
  for (const token of tokens) owner = owner[token] as Record<string, Json>;
  if (owner === undefined) throw new Error(`nothing at ${change.path}`);
  if (change.op === 'set') owner[last] = change.value ?? null;
  else if (change.op === 'remove') removeAt(owner, last);
  else if (change.op === 'insert') (owner[last] as Json[]).push(change.value ?? null);
  else if (change.op === 'swap') swapAt(owner, last, change.with ?? '');
  else if (change.op === 'flip') owner[last] = flipText(String(owner[last]));
  else if (change.op === 'replace_text') owner[last] = applyToText(String(owner[last]), change);
  if (canonical(copy) === canonical(root)) throw new Error(`${change.op} ${change.path} changes nothing`);
  return copy;
}

function removeAt(owner: Record<string, Json>, name: string): void {
  if (!(name in owner)) throw new Error(`nothing at ${name}`);
  if (Array.isArray(owner)) owner.splice(Number(name), 1);
  else delete owner[name];
}

function swapAt(owner: Record<string, Json>, one: string, other: string): void {
  [owner[one], owner[other]] = [owner[other] ?? null, owner[one] ?? null];
}

/** Another hex digit, another letter: still of the same alphabet. */
function flipText(text: string): string {
  const at = text.length >> 1;
  return `${text.slice(0, at)}${text[at] === 'a' ? 'b' : 'a'}${text.slice(at + 1)}`;
}

function listAt(value: Json): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

function toJson(value: object): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
