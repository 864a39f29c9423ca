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
  if (result !== undefined) return verdictTree(result, citedText(heldOf(result)), paintOut) + dispatchLines(state);
  const why = state.error === undefined ? '' : ` ${printable(state.error.message)} [${printable(state.error.code)}]`;
  return `${state.status}${why}\n`;
}

/** What became of its Operators, a line each. */
function dispatchLines({ dispatches }: ExecutionState): string {
  const lines = dispatches.map(({ dispatch_id, operator, status, error }) => {
    const named = operator.uid === undefined ? `inline ${operator.digest ?? ''}` : `Operator#${operator.uid}`;
    const why = error === null ? '' : ` [${error.code}]`;
    return printable(`dispatch ${dispatch_id} to ${named}: ${status}${why}`);
  });
  return lines.map((line) => `${line}\n`).join('');
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
