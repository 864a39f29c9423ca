import type { Json } from '#contract/json.ts';
import type { ReasonCode } from '#contract/reason-codes.ts';
import { isObject } from '#engine/values/kind.ts';
import { perform } from '#service/drive/perform.ts';
import type { Perform, Performed } from '#service/drive/performing.ts';
import type { Script, ScriptedAnswer } from './conformance-case.ts';

/**
 * Answers the scripted blocks of a case and performs every other work for real. `calls` collects the blocks whose
 * executor was called, in order.
 */
export function scriptedPerform(script: Script, calls: string[]): Perform {
  const tries = new Map<string, number>();
  return async (ports, input, work, signal) => {
    if (!('position' in work)) return perform(ports, input, work, signal);
    calls.push(`${work.position === 'step' ? 'action' : 'check'}:${work.block}`);
    const made = (tries.get(work.block) ?? 0) + 1;
    tries.set(work.block, made);
    if (work.position === 'check') {
      const answer = script.checks?.[work.block];
      if (answer === undefined) return perform(ports, input, work, signal);
      return isFailure(answer) ? scripted(answer, signal) : { result: { kind: 'verdict', verdict: answer as Json } };
    }
    const answers = script.actions?.[work.block];
    const answer = answers?.[Math.min(made, answers.length) - 1];
    return answer === undefined ? defaultAnswer(script, ports, input, work, signal) : scripted(answer, signal);
  };
}

/** A step of a scripted case whose own answer is not scripted gives an empty object, as its source says. */
const defaultAnswer = (script: Script, ...rest: Parameters<Perform>): Promise<Performed> | Performed =>
  script.actions === undefined ? perform(...rest) : { result: { kind: 'output', output: {} } };

function isFailure(answer: ScriptedAnswer | Json): answer is ScriptedAnswer {
  return (
    isObject(answer as Json) &&
    ['retryable', 'terminal', 'busy', 'hang'].some((name) => Object.hasOwn(answer as object, name))
  );
}

async function scripted(answer: ScriptedAnswer, signal: AbortSignal): Promise<Performed> {
  if (answer.hang) await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  if (answer.busy !== undefined) return { result: { kind: 'busy' } };
  if (answer.retryable !== undefined) return failure('retryable', true, answer.retryable);
  if (answer.terminal !== undefined) return failure('terminal', false, answer.terminal);
  return { result: { kind: 'output', output: answer.output ?? null } };
}

function failure(code: ReasonCode, retryable: boolean, reason: string): Performed {
  return { result: { kind: 'failure', code, retryable, reason } };
}
