import type { BaselineFit } from '#engine/drift/statistics.ts';

export type { BaselineFit };

/** A baseline belongs to one drift requirement of one Verifier version (docs/spec/background.md §6.5). */
export interface BaselinePlace {
  readonly verifier_uid: string;
  readonly requirement: string;
}

export type BaselineState =
  | { readonly status: 'pending' }
  /** Taken over when its lease has lapsed. */
  | { readonly status: 'building' }
  | { readonly status: 'ready'; readonly fit: BaselineFit; readonly format: number }
  | { readonly status: 'failed'; readonly reason: string };

/** Fits are written whole, and never again under another rule. */
export const baselineFormat = 2;

/** How long a fit may take before another process begins anew, in milliseconds. */
export const fittingMs = 15 * 60_000;

export interface Baselines {
  /** Null: nobody asked for it. */
  find(tenant: string, place: BaselinePlace): Promise<BaselineState | null>;
  /** `pending`, or `building` past its lease: becomes `building` under this lease until `until`. False: not so any more. */
  begin(
    tenant: string,
    place: BaselinePlace,
    claim: { readonly lease: string; readonly now: number; readonly until: number },
  ): Promise<boolean>;
  /** `building` under this lease: ends. False: nothing was written. */
  end(tenant: string, place: BaselinePlace, lease: string, ended: FitEnd): Promise<boolean>;
  /** A failed one waits to be fitted again. False: it has not failed. */
  retry(tenant: string, place: BaselinePlace, at: number): Promise<boolean>;
}

export type FitEnd =
  | { readonly status: 'ready'; readonly fit: BaselineFit }
  | { readonly status: 'failed'; readonly reason: string };

/** As `Due.id` names a baseline. A Verifier's uid is a UUID: 36 characters. */
export function baselineDueId({ verifier_uid, requirement }: BaselinePlace): string {
  return `${verifier_uid}#${requirement}`;
}

export function baselineOfDueId(id: string): BaselinePlace {
  return { verifier_uid: id.slice(0, 36), requirement: id.slice(37) };
}
