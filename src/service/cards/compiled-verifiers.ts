import type { CardRef } from '#contract/cards/reference.ts';
import { Problem } from '#contract/errors.ts';
import { compile } from '#engine/declare/compile.ts';
import type { Verifier } from '#engine/plan.ts';
import { cardDigest } from '#engine/record/card.ts';
import type { BoundedCache } from '../bounded-cache.ts';
import type { Registry, StoredBinding, StoredCard } from '../ports/registry.ts';
import { toResultRef } from '../verify/find-target.ts';
import { gatherReferences } from './gather-references.ts';
import { toCardAnswer } from './view.ts';

/** What a call needs of the two Cards of a binding. Both are immutable, so it never goes stale. */
export interface CompiledVerifier {
  readonly verifier: Verifier;
  readonly verifier_ref: CardRef;
  readonly subject_ref: CardRef;
  /** Digests of the two Cards as records name them (docs/spec/records.md §1). */
  readonly verifier_sha256: string;
  readonly subject_sha256: string;
}

export interface CompilePorts {
  readonly registry: Registry;
  readonly compiledVerifiers: BoundedCache<CompiledVerifier>;
}

/** The compiled Verifier of a binding: from the cache, else compiled from the stored Card. */
export async function compiledVerifier(
  ports: CompilePorts,
  tenant: string,
  binding: Pick<StoredBinding, 'verifier_uid' | 'subject_uid'>,
): Promise<CompiledVerifier> {
  const key = `${tenant} ${binding.verifier_uid} ${binding.subject_uid}`;
  const known = ports.compiledVerifiers.get(key);
  if (known) return known;
  const [card, subject] = await Promise.all([
    ports.registry.byUid(tenant, binding.verifier_uid),
    ports.registry.byUid(tenant, binding.subject_uid),
  ]);
  if (!card || !subject) throw new Problem('WYRD_VERIFICATION_404_TARGET_NOT_FOUND', 'no such Verifier or subject');
  const api = card.api_version === 'touchstone/v1' ? 'touchstone/v1' : 'wyrd/v1';
  const references = await gatherReferences(ports.registry, tenant, [card]);
  const compiled = compile({ api, spec: card.spec, dialect: card.dialect, references });
  if (!compiled.ok) {
    // It compiled when it was declared: a newer engine is stricter, and the caller cannot help it.
    throw new Problem('WYRD_VERIFICATION_502_DEPENDENCY_FAILED', 'the stored Verifier no longer compiles', {
      findings: compiled.findings.map(({ path, rule, message }) => ({ path, rule, message })),
    });
  }
  const target = {
    verifier: compiled.verifier,
    verifier_ref: toResultRef(card),
    subject_ref: toResultRef(subject),
    verifier_sha256: digestOfCard(card),
    subject_sha256: digestOfCard(subject),
  };
  ports.compiledVerifiers.set(key, target);
  return target;
}

/** Whoever reads the Card from the API computes the same, in either dialect. */
function digestOfCard(card: StoredCard): string {
  const digest = cardDigest(toCardAnswer(card, 'flat', []).card);
  if (digest === null) throw new Problem('WYRD_SPEC_500_INTERNAL', 'a stored Card without a form');
  return digest;
}
