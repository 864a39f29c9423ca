import type { Page, PageRequest } from '#service/ports/page.ts';
import type {
  BindingState,
  CardFilter,
  CardName,
  CardStatus,
  Declaration,
  Registry,
  StoredBinding,
  StoredCard,
} from '#service/ports/registry.ts';
import { insertBaseline } from './baselines.ts';
import { type Database, isUniqueViolation } from './database.ts';
import { isKeyOfAnother, saveIdempotency } from './idempotency.ts';
import { insertSchedule } from './schedules.ts';
import { saveUpload } from './uploads.ts';

type Row = Record<string, unknown>;

const conflict = Symbol('conflict');

/** Cards and bindings in SQLite. */
export function sqliteRegistry(database: Database): Registry {
  return {
    async byUid(tenant, uid) {
      return cardOf(database.prepare('SELECT document FROM cards WHERE tenant = ? AND uid = ?').get(tenant, uid));
    },
    async versions(tenant, name) {
      return versionsOf(database, tenant, name);
    },
    async list(tenant, filter, page) {
      return listCards(database, tenant, filter, page);
    },
    async declare(tenant, declaration) {
      try {
        await database.write(() => storeDeclaration(database, tenant, declaration));
        return 'stored';
      } catch (error) {
        if (error === conflict || isUniqueViolation(error)) return 'conflict';
        throw error;
      }
    },
    settlePending(tenant, uid, status, at, idempotency) {
      return database.write(() => {
        const card = cardOf(
          database.prepare('SELECT document FROM cards WHERE tenant = ? AND uid = ?').get(tenant, uid),
        );
        if (card?.status !== 'pending') return false;
        if (idempotency && isKeyOfAnother(database, tenant, idempotency)) return false;
        replaceStatus(database, tenant, card, status, at);
        if (idempotency) saveIdempotency(database, tenant, idempotency);
        return true;
      });
    },
    remove(tenant, uid, at) {
      return database.write(() => {
        const card = cardOf(
          database.prepare('SELECT document FROM cards WHERE tenant = ? AND uid = ?').get(tenant, uid),
        );
        if (!card || card.status === 'deleted') return false;
        replaceStatus(database, tenant, card, 'deleted', at);
        return true;
      });
    },
    async binding(tenant, bindingId) {
      const row = database.prepare(`${bindingQuery} AND b.binding_id = ?`).get(tenant, bindingId);
      return row ? bindingOf(row) : null;
    },
    async bindingsOf(tenant, ownerUid) {
      const rows = database.prepare(`${bindingQuery} AND b.owner_uid = ? ORDER BY b.position`).all(tenant, ownerUid);
      return rows.map(bindingOf);
    },
    async bindingsFor(tenant, verifierUid, subjectUid) {
      const rows = database
        .prepare(
          `${bindingQuery} AND b.verifier_uid = ? AND b.subject_uid = ? AND o.status <> 'deleted' ORDER BY b.owner_uid DESC`,
        )
        .all(tenant, verifierUid, subjectUid);
      return rows.map(bindingOf);
    },
    async listBindings(tenant, filter, page) {
      const rows = database
        .prepare(
          `${bindingQuery} AND (? IS NULL OR b.owner_uid = ?) AND (? IS NULL OR b.subject_uid = ?)
             AND (? IS NULL OR b.verifier_uid = ?) AND (? IS NULL OR b.binding_id < ?)
           ORDER BY b.binding_id DESC LIMIT ?`,
        )
        .all(tenant, ...[filter.owner, filter.subject, filter.verifier, page.after].flatMap(twice), page.limit + 1);
      const items = rows.slice(0, page.limit).map(bindingOf);
      return { items, next: rows.length > page.limit ? (items.at(-1)?.binding_id ?? null) : null };
    },
    async activate(tenant, ownerUid, at) {
      await database.write(() => {
        database
          .prepare(
            `INSERT INTO activations (tenant, owner_uid, activated_at) VALUES (?, ?, ?)
             ON CONFLICT DO UPDATE SET activated_at = max(activated_at, excluded.activated_at)`,
          )
          .run(tenant, ownerUid, at);
      });
    },
  };
}

/** A value that its clause names twice; absent is null. */
function twice(value: string | null | undefined): (string | null)[] {
  return [value ?? null, value ?? null];
}

const bindingQuery = `
  SELECT b.document AS document, o.status AS owner_status, s.status AS subject_status, v.status AS verifier_status, a.activated_at AS activated_at
  FROM bindings b
  JOIN cards o ON o.tenant = b.tenant AND o.uid = b.owner_uid
  JOIN cards s ON s.tenant = b.tenant AND s.uid = b.subject_uid
  JOIN cards v ON v.tenant = b.tenant AND v.uid = b.verifier_uid
  LEFT JOIN activations a ON a.tenant = b.tenant AND a.owner_uid = b.owner_uid
  WHERE b.tenant = ?`;

function bindingOf(row: Row): BindingState {
  const stored = JSON.parse(String(row.document)) as StoredBinding;
  return {
    ...stored,
    owner_status: String(row.owner_status) as CardStatus,
    subject_status: String(row.subject_status) as CardStatus,
    verifier_status: String(row.verifier_status) as CardStatus,
    activated_at: row.activated_at === null ? null : Number(row.activated_at),
  };
}

function cardOf(row: Row | undefined): StoredCard | null {
  return row ? (JSON.parse(String(row.document)) as StoredCard) : null;
}

function versionsOf(database: Database, tenant: string, name: CardName): StoredCard[] {
  return database
    .prepare('SELECT document FROM cards WHERE tenant = ? AND kind = ? AND space = ? AND name = ? ORDER BY uid DESC')
    .all(tenant, name.kind, name.space, name.name)
    .map((row) => JSON.parse(String(row.document)) as StoredCard);
}

function listCards(database: Database, tenant: string, filter: CardFilter, page: PageRequest): Page<StoredCard> {
  // Uids are UUIDv7 made at declaration: their order is the order of (created, uid).
  const rows = database
    .prepare(
      `SELECT document FROM cards WHERE tenant = :tenant
         AND (:kind IS NULL OR kind = :kind) AND (:space IS NULL OR space = :space)
         AND (:name IS NULL OR name = :name) AND (:status IS NULL OR status = :status)
         AND (:after IS NULL OR uid < :after)
       ORDER BY uid DESC LIMIT :limit`,
    )
    .all({
      tenant,
      kind: filter.kind ?? null,
      space: filter.space ?? null,
      name: filter.name ?? null,
      status: filter.status ?? null,
      after: page.after,
      limit: page.limit + 1,
    });
  const cards = rows.map((row) => JSON.parse(String(row.document)) as StoredCard);
  const items = cards.slice(0, page.limit);
  return { items, next: cards.length > page.limit ? (items.at(-1)?.uid ?? null) : null };
}

function storeDeclaration(database: Database, tenant: string, declaration: Declaration): void {
  if (isKeyOfAnother(database, tenant, declaration.idempotency)) throw conflict;
  for (const uid of declaration.relies_on) {
    const row = database.prepare('SELECT status FROM cards WHERE tenant = ? AND uid = ?').get(tenant, uid);
    if (!row || !['active', 'deprecated', 'pending'].includes(String(row.status))) throw conflict;
  }
  for (const card of declaration.cards) insertCard(database, tenant, card);
  declaration.bindings.forEach((binding, position) => {
    database
      .prepare(
        `INSERT INTO bindings (tenant, binding_id, owner_uid, occurrence, subject_uid, verifier_uid, position, document)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        tenant,
        binding.binding_id,
        binding.owner_uid,
        binding.occurrence,
        binding.subject_uid,
        binding.verifier_uid,
        position,
        JSON.stringify(binding),
      );
  });
  for (const { due_at, ...place } of declaration.baselines ?? []) insertBaseline(database, tenant, place, due_at);
  for (const schedule of declaration.schedules ?? []) insertSchedule(database, tenant, schedule);
  for (const upload of declaration.uploads) saveUpload(database, tenant, upload);
  saveIdempotency(database, tenant, declaration.idempotency);
}

function insertCard(database: Database, tenant: string, card: StoredCard): void {
  database
    .prepare(
      `INSERT INTO cards (tenant, uid, kind, space, name, version, status, created_at, document)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      tenant,
      card.uid,
      card.kind,
      card.space,
      card.name,
      card.version,
      card.status,
      card.created_at,
      JSON.stringify(card),
    );
}

function replaceStatus(database: Database, tenant: string, card: StoredCard, status: CardStatus, at: string): void {
  const document = JSON.stringify({ ...card, status, updated_at: at });
  database
    .prepare('UPDATE cards SET status = ?, document = ? WHERE tenant = ? AND uid = ?')
    .run(status, document, tenant, card.uid);
}
