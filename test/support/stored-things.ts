import { v7 } from 'uuid';
import type { Execution } from '#service/ports/executions.ts';
import type { IdempotencyRow } from '#service/ports/idempotency.ts';
import type { Declaration, StoredBinding, StoredCard } from '#service/ports/registry.ts';
import type { Upload } from '#service/ports/uploads.ts';
import { settledExecution } from '#test/ports/executions.ts';

/** Things to store, valid and small; what a test is about is given. */

const at = '2026-03-02T09:00:00.000Z';

export function pendingExecution(more: Partial<Execution> = {}): Execution {
  const born = { status: 'pending', verdict: null, origin: 'enqueue', ended_at: null, result: null } as const;
  return settledExecution({ ...born, ...more });
}

export function keyRow(more: Partial<IdempotencyRow> = {}): IdempotencyRow {
  const scope = { principal: 'p', method: 'POST', path: '/v1/x', key: `key-${v7()}` };
  return { ...scope, body_sha256: 'ab'.repeat(32), answer: '{}', created_at: Date.parse(at), ...more };
}

export function pendingUpload(more: Partial<Upload> = {}): Upload {
  return {
    upload_id: `wyu_${v7()}`,
    purpose: 'evidence',
    sha256: 'a'.repeat(64),
    size_bytes: 3,
    content_type: null,
    card_uid: null,
    relative_path: null,
    status: 'pending',
    created_at: Date.parse(at),
    ...more,
  };
}

export function storedCard(more: Partial<StoredCard> = {}): StoredCard {
  return {
    kind: 'Verifier',
    space: 'default',
    name: 'tone',
    version: '1.0.0',
    uid: v7(),
    api_version: 'wyrd/v1',
    dialect: 'flat',
    metadata: {},
    spec: { requirements: [] },
    spec_hash: 'a'.repeat(64),
    artifact_hash: null,
    manifest: [],
    references: [],
    status: 'active',
    created_at: at,
    updated_at: at,
    ...more,
  };
}

export function storedBinding(
  owner: StoredCard,
  verifier: StoredCard,
  more: Partial<StoredBinding> = {},
): StoredBinding {
  return {
    binding_id: v7(),
    owner_uid: owner.uid,
    occurrence: '$owner',
    subject_uid: owner.uid,
    verifier_uid: verifier.uid,
    frozen: {},
    created_at: at,
    ...more,
  };
}

export function declarationOf(cards: readonly StoredCard[], more: Partial<Declaration> = {}): Declaration {
  return { cards, bindings: [], uploads: [], relies_on: [], idempotency: keyRow(), ...more };
}
