import { isJsonObject } from '#contract/cards/shared.ts';
import type { VerificationResult } from '#contract/result.ts';
import type { ExecutionState } from '#sdk/index.ts';
import { citedText, type HeldEvidence } from '../evidence/cited-text.ts';
import type { Terminal } from '../terminal.ts';
import { printable } from './printable.ts';
import { verdictTree } from './verdict-tree.ts';

/** One execution for a person: its verdict tree, or why there is none. */
export function stateText(state: ExecutionState, { paintOut }: Terminal): string {
  const { result } = state;
  if (result !== undefined) return verdictTree(result, citedText(heldOf(result)), paintOut);
  const why = state.error === undefined ? '' : ` ${printable(state.error.message)} [${printable(state.error.code)}]`;
  return `${state.status}${why}\n`;
}

/** The JSON evidence that the result itself shows. */
function heldOf({ outcome }: VerificationResult): ReadonlyMap<string, HeldEvidence> {
  return new Map(
    Object.entries(outcome.evidence).flatMap(([slot, pinned]) =>
      isJsonObject(pinned) && pinned.kind === 'json' && pinned.value !== undefined
        ? [[slot, { kind: 'json', value: pinned.value } as const] as const]
        : [],
    ),
  );
}
