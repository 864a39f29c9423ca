import { isNativePrompt, type Prompt, type StructuredPrompt } from '#contract/cards/prompt.ts';
import { memberOf } from '../values/kind.ts';
import { hasMediaInSystem } from './placeholders.ts';
import { readPromptFormat } from './response-format.ts';

export interface PromptProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/**
 * What is wrong with a Prompt besides its keys (docs/spec/verification.md §4.4): shape refusals of an inline Prompt and
 * of a Prompt Card alike.
 */
export function promptProblems(prompt: Prompt): readonly PromptProblem[] {
  if (isNativePrompt(prompt)) return nativeProblems(prompt);
  const problems: PromptProblem[] = [];
  const add = (path: PromptProblem['path'], message: string) => problems.push({ path, message });
  if (prompt.provider === 'gemini') add(['provider'], 'the provider is called google');
  if (hasMediaInSystem(prompt)) add(['system'], 'a media placeholder cannot stand in the system text');
  if (!hasContent(prompt)) add(['messages'], 'no content at all');
  if (prompt.provider === 'anthropic' && prompt.settings?.max_output_tokens === undefined) {
    add(['settings', 'max_output_tokens'], 'anthropic needs max_output_tokens');
  }
  problems.push(...formatProblems(prompt));
  return problems;
}

function nativeProblems(prompt: Extract<Prompt, { body: unknown }>): readonly PromptProblem[] {
  const problems: PromptProblem[] = [];
  if (prompt.provider === 'gemini') problems.push({ path: ['provider'], message: 'the provider is called google' });
  const model = memberOf(prompt.body, 'model');
  if (model !== undefined && model !== prompt.model) {
    problems.push({ path: ['body', 'model'], message: 'the model of the body must be the model of the Prompt' });
  }
  if (Object.keys(prompt.body).length === 0) problems.push({ path: ['body'], message: 'no content at all' });
  return problems;
}

function hasContent(prompt: StructuredPrompt): boolean {
  if ((prompt.system ?? '') !== '') return true;
  return prompt.messages.some(({ content }) =>
    typeof content === 'string'
      ? content !== ''
      : content.some((block) => (block.type === 'text' ? block.text !== '' : true)),
  );
}

function formatProblems(prompt: StructuredPrompt): readonly PromptProblem[] {
  const reading = readPromptFormat(prompt.response_format);
  if (!reading.ok) {
    return [{ path: ['response_format', ...reading.problem.place], message: reading.problem.message }];
  }
  const isFree = prompt.provider === 'google' || prompt.provider === 'vertex';
  if (isFree || reading.format.kind !== 'schema') return [];
  if (memberOf(reading.format.schema, 'type') === 'object') return [];
  return [{ path: ['response_format', 'type'], message: 'the root type must be object' }];
}
