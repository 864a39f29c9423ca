import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { ProviderAnswer } from './scripted-provider.ts';

/** One case of test/conformance/background/delivery.yaml; the README beside it says what each key means. */
export interface DeliveryCase {
  readonly id: string;
  readonly title: string;
  readonly given: DeliveryGiven & {
    readonly answers_each?: readonly ProviderAnswer[];
    readonly then?: ProviderAnswer;
    readonly resolves_to_each?: readonly string[];
    readonly operators?: readonly { readonly answers: readonly ProviderAnswer[] }[];
  };
  readonly expect: {
    readonly status?: string;
    readonly attempts?: number;
    readonly attempts_at?: readonly string[];
    readonly attempt_seconds?: number;
    readonly error?: { readonly code: string } | null;
    readonly requests?: number;
    readonly called?: string;
    readonly idempotency_keys?: string;
    readonly found_nowhere?: string;
    readonly dispatches?: readonly { readonly status: string }[];
    readonly verdict?: string;
  };
}

export interface DeliveryGiven {
  readonly answers?: readonly ProviderAnswer[];
  readonly expect_status?: number;
  readonly timeout_seconds?: number;
  readonly resolves_to?: readonly string[];
  readonly resolves_in_turn?: readonly (readonly string[])[];
  readonly auth?: { readonly scheme: 'header'; readonly name: string; readonly value: string };
  readonly events?: readonly { readonly at: string; readonly crash: true }[];
}

export function deliveryCases(): readonly DeliveryCase[] {
  return parse(readFileSync('test/conformance/background/delivery.yaml', 'utf8')) as readonly DeliveryCase[];
}

/** A case with `…_each` is one for each of them. */
export function variantsOf({ given }: DeliveryCase): readonly DeliveryGiven[] {
  const { answers_each, then, resolves_to_each, operators: _operators, ...rest } = given;
  if (answers_each) return answers_each.map((first) => ({ ...rest, answers: [first, ...(then ? [then] : [])] }));
  if (resolves_to_each) return resolves_to_each.map((address) => ({ ...rest, resolves_to: [address] }));
  return [rest];
}
