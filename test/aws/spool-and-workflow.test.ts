import { ListExecutionsCommand } from '@aws-sdk/client-sfn';
import { v7 } from 'uuid';
import { beforeEach, describe, expect, it } from 'vitest';
import { settledExecution } from '#test/ports/executions.ts';
import { type AwsStore, freshAwsStore } from '#test/support/aws-store.ts';

let store: AwsStore;
beforeEach(async () => {
  store = await freshAwsStore();
});

describe('the spool', () => {
  it('hands everything on once, large results too', async () => {
    const { spool, executions } = store.ports;
    const waiting = [settledExecution(), settledExecution({ result: `"${'é'.repeat(600_000)}"` })];
    for (const execution of waiting) await spool.put('acme', execution);
    const handed: string[] = [];
    const left = await spool.drain(async (tenant, execution) => {
      handed.push(tenant);
      await executions.storeSettled(tenant, execution);
    });
    expect([left, handed]).toEqual([0, ['acme', 'acme']]);
    for (const execution of waiting) expect(await executions.find('acme', execution.execution_id)).toEqual(execution);
    expect(await spool.drain(async () => expect.unreachable())).toBe(0);
  });

  it('keeps what the store refuses', async () => {
    const { spool } = store.ports;
    const execution = settledExecution();
    await spool.put('acme', execution);
    const refusing = spool.drain(async () => {
      throw new Error('still refused');
    });
    await expect(refusing).rejects.toThrow('still refused');
    const seen: unknown[] = [];
    await spool.drain(async (_tenant, found) => {
      seen.push(found);
    });
    expect(seen).toEqual([execution]);
  });
});

describe('the start of work', () => {
  it('happens once an attempt, and again for the next one', async () => {
    const { workflow } = store.ports;
    const id = v7();
    await Promise.all(Array.from({ length: 5 }, () => workflow.start('acme', id, 1)));
    await workflow.start('acme', id, 2);
    const stateMachineArn = store.environment.TOUCHSTONE_ATTEMPT_MACHINE;
    const { executions } = await store.clients.sfn.send(new ListExecutionsCommand({ stateMachineArn }));
    expect(executions?.map((execution) => execution.name).sort()).toEqual([`${id}-1`, `${id}-2`]);
  });

  it('is a no-op when the attempt has ended', async () => {
    const { workflow } = store.ports;
    const id = v7();
    const stateMachineArn = store.environment.TOUCHSTONE_ATTEMPT_MACHINE;
    await workflow.start('acme', id, 1);
    const ended = async () =>
      (await store.clients.sfn.send(new ListExecutionsCommand({ stateMachineArn, statusFilter: 'SUCCEEDED' })))
        .executions;
    await expect.poll(ended, { timeout: 10_000 }).toHaveLength(1);
    await workflow.start('acme', id, 1);
    await new Promise((resolve) => setTimeout(resolve, 200));
    const { executions } = await store.clients.sfn.send(new ListExecutionsCommand({ stateMachineArn }));
    expect(executions).toHaveLength(1);
  });
});
