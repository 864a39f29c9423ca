import { describe, expect, it } from 'vitest';
import { settledExecution } from '#test/ports/executions.ts';
import { anotherProcess, freshAwsStore } from '#test/support/aws-store.ts';
import { declarationOf, keyRow, pendingExecution, storedCard } from '#test/support/stored-things.ts';

const at = Date.parse('2026-03-02T09:00:00.000Z');
const held = { now: at, lease_until: at + 360_000 };
const done = {
  status: 'completed',
  verdict: 'passed',
  error: null,
  ended_at: '2026-03-02T09:01:00.000Z',
  record: null,
} as const;

async function twoProcesses() {
  const store = await freshAwsStore();
  return [store.ports, anotherProcess(store).ports] as const;
}

/** Fifty calls at the same time, from two processes in turn. */
async function fifty<Answer>(call: (side: 0 | 1, index: number) => Promise<Answer>): Promise<Answer[]> {
  return Promise.all(Array.from({ length: 50 }, (_unused, index) => call(index % 2 === 0 ? 0 : 1, index)));
}

describe('fifty at once', () => {
  it('one claim gets the execution', async () => {
    const ports = await twoProcesses();
    const execution = pendingExecution();
    await ports[0].attempts.admit('acme', execution, keyRow());
    const claims = await fifty((side, index) =>
      ports[side].attempts.claim('acme', execution.execution_id, { ...held, lease: `l${index}` }),
    );
    const won = claims.flatMap((claim, index) => (claim === null ? [] : [index]));
    expect(won).toHaveLength(1);
    expect((await ports[0].executions.find('acme', execution.execution_id))?.attempts).toBe(1);
    expect(await ports[1].attempts.isStopped('acme', execution.execution_id, `l${won[0]}`)).toBe(false);
  });

  it('one settle is stored', async () => {
    const ports = await twoProcesses();
    const execution = pendingExecution();
    await ports[0].attempts.admit('acme', execution, keyRow());
    await ports[0].attempts.claim('acme', execution.execution_id, { ...held, lease: 'l' });
    const settles = await fifty((side, index) =>
      ports[side].attempts.settle('acme', execution.execution_id, 'l', { ...done, result: `{"n":${index}}` }),
    );
    const won = settles.flatMap((settled, index) => (settled ? [index] : []));
    expect(won).toHaveLength(1);
    expect((await ports[1].executions.find('acme', execution.execution_id))?.result).toBe(`{"n":${won[0]}}`);
  });

  it('one admission gets the key, and nothing of the others is there', async () => {
    const ports = await twoProcesses();
    const row = keyRow();
    const executions = Array.from({ length: 50 }, () => pendingExecution());
    const answers = await fifty((side, index) =>
      ports[side].attempts.admit('acme', executions[index]!, {
        ...row,
        answer: JSON.stringify(executions[index]!.execution_id),
      }),
    );
    expect(answers.filter((answer) => answer === 'admitted')).toHaveLength(1);
    const winner = executions[answers.indexOf('admitted')]!.execution_id;
    expect((await ports[0].idempotency.find('acme', row, 0))?.answer).toBe(JSON.stringify(winner));
    const listed = await ports[0].executions.list('acme', {}, { limit: 200, after: null });
    expect(listed.items.map((item) => item.execution_id)).toEqual([winner]);
    expect(await ports[1].attempts.unsettled('acme')).toBe(1);
  });

  it('one declaration gets the version', async () => {
    const ports = await twoProcesses();
    const answers = await fifty((side) => ports[side].registry.declare('acme', declarationOf([storedCard()])));
    expect(answers.filter((answer) => answer === 'stored')).toHaveLength(1);
    expect(await ports[0].registry.versions('acme', storedCard())).toHaveLength(1);
  });

  it('one removal is the first', async () => {
    const ports = await twoProcesses();
    const card = storedCard();
    await ports[0].registry.declare('acme', declarationOf([card]));
    const removals = await fifty((side) => ports[side].registry.remove('acme', card.uid, 'now'));
    expect(removals.filter(Boolean)).toHaveLength(1);
  });

  it('pages show everything once while more arrives', async () => {
    const [ports, other] = await twoProcesses();
    const stored = Array.from({ length: 50 }, (_unused, index) =>
      settledExecution({ created_at: new Date(at + (index % 7) * 1_000).toISOString() }),
    );
    await Promise.all(stored.map((execution) => ports.executions.storeSettled('acme', execution)));
    const seen: string[] = [];
    let after: string | null = null;
    do {
      const page = await ports.executions.list('acme', {}, { limit: 7, after });
      seen.push(...page.items.map((item) => item.execution_id));
      after = page.next;
      await other.executions.storeSettled(
        'acme',
        settledExecution({ created_at: new Date(at + 60_000).toISOString() }),
      );
    } while (after !== null);
    const order = (id: string) => `${stored.find((execution) => execution.execution_id === id)?.created_at} ${id}`;
    expect(seen).toEqual(
      [...stored.map((execution) => execution.execution_id)].sort((a, b) => (order(a) < order(b) ? 1 : -1)),
    );
  });
});
