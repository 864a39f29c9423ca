import { ListExecutionsCommand, StopExecutionCommand } from '@aws-sdk/client-sfn';
import { v7 } from 'uuid';
import { beforeEach, describe, expect, it } from 'vitest';
import { testSpool } from '#test/ports/spool.ts';
import { type AwsStore, freshAwsStore } from '#test/support/aws-store.ts';

let store: AwsStore;
beforeEach(async () => {
  store = await freshAwsStore();
});

testSpool('AWS', async () => (await freshAwsStore()).ports);

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

  it('happens again, once in two minutes, when a sweep finds that the machine ended and nobody works on it', async () => {
    const { workflow } = store.ports;
    const id = v7();
    const stateMachineArn = store.environment.TOUCHSTONE_ATTEMPT_MACHINE;
    const listed = async () =>
      (await store.clients.sfn.send(new ListExecutionsCommand({ stateMachineArn }))).executions ?? [];
    const names = async () => (await listed()).map(({ name }) => name).sort();
    const sweep = (minute: number) => workflow.start('acme', id, 1, minute * 60_000);
    await workflow.start('acme', id, 1);
    await sweep(10);
    // The first one is at work, or waits for capacity.
    expect(await names()).toEqual([`${id}-1`]);
    const [{ executionArn } = {}] = await listed();
    await store.clients.sfn.send(new StopExecutionCommand({ executionArn }));
    await Promise.all([sweep(10), sweep(10), sweep(11)]);
    expect(await names()).toEqual([`${id}-1`, `${id}-1-5`]);
    await sweep(12);
    expect(await names()).toEqual([`${id}-1`, `${id}-1-5`, `${id}-1-6`]);
    // The stream tells of an admission again, which is no reason to begin anew.
    await workflow.start('acme', id, 1);
    expect(await names()).toHaveLength(3);
  });
});
