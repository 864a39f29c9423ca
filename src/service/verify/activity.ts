import type { BindingState } from '../ports/registry.ts';

/** An owner's exchange keeps its bindings active this long (docs/spec/background.md §3.4). */
const activityMs = 86_400_000;

/**
 * Whether a binding may admit work now. On a host without keys nobody exchanges anything, so every declared owner is
 * active there (docs/spec/background.md §3.4).
 */
export function isActive(binding: BindingState, now: number, keyless: boolean): boolean {
  if (binding.owner_status !== 'active') return false;
  return keyless || (binding.activated_at !== null && now - binding.activated_at <= activityMs);
}
