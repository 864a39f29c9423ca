import { describe, expect, it } from 'vitest';
import {
  attemptDefinition,
  eventsOfItem,
  eventsOfRound,
  historyLimit,
  retries,
  spentLimit,
} from '../../lib/machine/definition.ts';

/** One state, as far as a walk over the machine reads it. */
interface State {
  readonly Type: string;
  readonly Next?: string;
  readonly End?: boolean;
  readonly Default?: string;
  readonly Choices?: readonly { readonly Next: string; readonly Condition: string }[];
  readonly Catch?: readonly { readonly Next: string; readonly ErrorEquals: readonly string[] }[];
  readonly Retry?: readonly { readonly ErrorEquals: readonly string[] }[];
  readonly TimeoutSeconds?: number | string;
  readonly ItemProcessor?: { readonly StartAt: string; readonly States: Readonly<Record<string, State>> };
}

const states: Readonly<Record<string, State>> = attemptDefinition.States;
const entries = Object.entries(states);

/** Answers of the steps, in the order in which they are asked. */
type Answers = readonly ('advance' | 'end' | 'claim' | 'work' | 'count' | 'decide')[];

/** Names of the states that a run with these answers enters. */
function walk(answers: Answers, itemsOfRound = 1, pauses = false): readonly string[] {
  const left = [...answers];
  const entered: string[] = [];
  let last = '';
  for (let name: string | undefined = attemptDefinition.StartAt; name !== undefined; ) {
    entered.push(name);
    const state: State | undefined = states[name];
    if (state === undefined) throw new Error(`no state ${name}`);
    if (state.Type === 'Map' && name !== 'Deliver') {
      for (let item = 0; item < itemsOfRound; item += 1)
        entered.push(...Object.keys(state.ItemProcessor?.States ?? {}));
    }
    if (['Claim', 'Advance', 'Decide', 'Fail', 'TimeOut'].includes(name)) last = left.shift() ?? 'end';
    name = state.Type === 'Choice' ? chosen(name, state, last, pauses) : state.Next;
  }
  return entered;
}

function chosen(name: string, state: State, answer: string, pauses: boolean): string | undefined {
  if (name === 'Begin') return state.Default;
  const rule = state.Choices?.find(({ Condition, Next }) => {
    if (!Condition.includes(`'${answer}'`)) return false;
    if (Next === 'GoOn') return false;
    return Next !== 'WorkWithPauses' || pauses;
  });
  return rule?.Next ?? state.Default;
}

describe('state machine', () => {
  it('names only states that exist', () => {
    for (const [name, state] of entries) {
      const targets = [
        state.Next,
        state.Default,
        ...[...(state.Choices ?? []), ...(state.Catch ?? [])].map((to) => to.Next),
      ];
      for (const target of targets)
        if (target !== undefined) expect([name, Object.hasOwn(states, target)]).toEqual([name, true]);
    }
  });

  it('judges a submit of assertions in fewer than 15 transitions', () => {
    const entered = walk(['advance', 'decide', 'end']);
    expect(entered).toEqual([
      'Begin',
      'Claim',
      'AfterClaim',
      'Advance',
      'AfterAdvance',
      'Decide',
      'AfterDecide',
      'Done',
    ]);
    expect(entered.length).toBeLessThan(15);
  });

  it('pays at most four transitions more for each other block', () => {
    const assertions = walk(['advance', 'decide', 'end']).length;
    const one = walk(['advance', 'work', 'decide', 'end']).length;
    expect(one - assertions).toBeLessThanOrEqual(4);
    const twenty = walk(['advance', ...Array<'work'>(20).fill('work'), 'decide', 'end']).length;
    expect(twenty - assertions).toBeLessThanOrEqual(4 * 20);
    const together = walk(['advance', 'work', 'decide', 'end'], 8).length;
    expect(together - assertions).toBeLessThanOrEqual(4 * 8);
  });

  it('counts a window of any number of parts in three transitions more a round, and retries none for ever', () => {
    const one = walk(['advance', 'work', 'decide', 'end'], 0).length;
    const counted = walk(['advance', 'count', 'count', 'work', 'decide', 'end'], 0).length;
    expect(counted - one).toBeLessThanOrEqual(3 * 2);
    const { Count, CountFailed } = states;
    expect(Count?.Catch?.map(({ Next }) => Next)).toEqual(['CountFailed']);
    expect([CountFailed?.Choices?.map(({ Next }) => Next), CountFailed?.Default]).toEqual([['TimeOut'], 'Fail']);
  });

  it('ends below the limit of a history for the largest Verifier', () => {
    // 100 steps and 500 checks (docs/spec/verification.md §16.3), all ready in one round, when `spent` is just not over.
    const items = 100 + 500;
    const retried = items * retries * 3;
    const end = 60;
    expect(spentLimit + eventsOfRound + items * eventsOfItem + retried + end).toBeLessThan(historyLimit);
  });

  it('counts no round and no item for less than it writes', () => {
    // Entered and exited: Map 2 + started and succeeded 2, Advance 5, two Choices 4, with each retry of Advance 3.
    expect(4 + 5 + 4 + retries * 3).toBeLessThanOrEqual(eventsOfRound);
    // Iteration started and succeeded, the Wait's two, the Task's five.
    expect(2 + 2 + 5).toBeLessThanOrEqual(eventsOfItem);
  });

  it('retries faults of the platform only, and ends every error somewhere', () => {
    const tasks = entries.flatMap(([name, state]) => [
      [name, state] as const,
      ...Object.entries(state.ItemProcessor?.States ?? {}),
    ]);
    for (const [name, state] of tasks.filter(([, { Type }]) => Type === 'Task')) {
      const retried = (state.Retry ?? []).flatMap(({ ErrorEquals }) => ErrorEquals);
      if (name !== 'GoOn') expect(retried.every((error) => /^(Lambda\.|StoreFailure$)/.test(error))).toBe(true);
      if (name !== 'Perform') {
        expect([name, state.Catch?.some(({ ErrorEquals }) => ErrorEquals.includes('States.ALL'))]).toEqual([
          name,
          true,
        ]);
      }
      if (name !== 'GoOn') expect([name, state.TimeoutSeconds !== undefined]).toEqual([name, true]);
    }
  });

  it('settles an attempt that is late as timed out, and one that broke as failed', () => {
    for (const name of ['Advance', 'Work', 'WorkWithPauses', 'Decide']) {
      expect(states[name]?.Catch?.map(({ ErrorEquals, Next }) => [ErrorEquals[0], Next])).toEqual([
        ['States.Timeout', 'TimeOut'],
        ['States.ALL', 'Fail'],
      ]);
    }
    expect(walk(['advance', 'claim', 'advance', 'decide', 'end'])).toContain('WaitToClaim');
  });

  it('carries names and references only', () => {
    const text = JSON.stringify(attemptDefinition);
    expect(text).not.toMatch(/evidence|inputs|result"|secret|token/i);
  });
});
