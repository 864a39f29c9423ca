import { identifierPattern } from '#contract/cards/prompt.ts';
import { toCardRef } from '#contract/cards/reference.ts';
import { cardLimits } from '#contract/cards/shared.ts';
import type { AuthoredAction, AuthoredCheck } from '#contract/cards/verifier.ts';
import type { Json } from '#contract/json.ts';
import { utf8Length } from '../../values/canonical.ts';
import { type Context, report, resolveCard } from '../context.ts';
import { readNamedFormat } from '../response-format.ts';
import { callReferences, type Graph } from './graph.ts';
import { checkReference, type Position } from './references.ts';

export type CodeCall = Extract<AuthoredAction | AuthoredCheck, { kind: 'code' }>;

/** Source, entrypoint, references, response format (docs/spec/verification.md §4.5, §14.3). */
export function checkCodeCall(context: Context, call: CodeCall, position: Position, graph: Graph | null): void {
  const { path } = position;
  checkSource(context, call.source, path);
  if (!identifierPattern.test(call.entrypoint)) {
    report(context, 'code_entrypoint', path, 'an entrypoint is a name of letters, digits and _');
  }
  for (const reference of callReferences(call.inputs, undefined)) checkReference(context, reference, position, graph);
  if (!('response_format' in call)) return;
  const reading = readNamedFormat(formatOf(call));
  if (reading.ok) return;
  const { place, message } = reading.problem;
  report(context, 'check_response_format', [path, 'response_format', ...place].join('.'), message);
}

/** As JSON: absent members are not there. */
export function formatOf(call: CodeCall): Json | undefined {
  const format = 'response_format' in call ? call.response_format : undefined;
  return typeof format === 'object' ? { kind: format.kind, data: format.data ?? null } : format;
}

function checkSource(context: Context, source: CodeCall['source'], path: string): void {
  if ('inline' in source) {
    if (source.inline.trim() === '') report(context, 'code_source', path, 'the source is blank');
    if (source.inline.length > cardLimits.inlineCodeBytes || utf8Length(source.inline) > cardLimits.inlineCodeBytes) {
      report(context, 'code_source', path, `an inline source has at most ${cardLimits.inlineCodeBytes} bytes`);
    }
    return;
  }
  const kind = toCardRef(source.artifact.card)?.kind;
  if (kind !== undefined && kind !== 'Artifact') {
    report(context, 'code_source', path, `a ${kind} holds no code`);
    return;
  }
  resolveCard(context, source.artifact.card, path);
}
