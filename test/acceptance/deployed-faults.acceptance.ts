import { DescribeExecutionCommand, StopExecutionCommand } from '@aws-sdk/client-sfn';
import { describe, expect, it } from 'vitest';
import {
  awsEndpoint,
  deadLetters,
  invoke,
  lapseLease,
  stateMachine,
  stepFunctions,
  withoutMemory,
} from './deployment.ts';
import { call, type Desk, declareDesk, file, hasModels, json, settledState, untilStatus, upload } from './target.ts';
import { codeSpec, judged, tableSpec, toneSpec } from './verifiers.ts';

/** Faults that only somebody with rights on the account can make: they need the local AWS (docs/aws-emulator.md). */
const deployed = describe.skipIf(awsEndpoint === undefined);

async function statusOfMachine(name: string): Promise<string | undefined> {
  const executionArn = `${(await stateMachine()).replace(':stateMachine:', ':execution:')}:${name}`;
  const { status } = await stepFunctions.send(new DescribeExecutionCommand({ executionArn }));
  return status;
}

const state = async (id: string) => (await call('GET', `/v1/verification/executions/${id}`)).json;

async function hanging(): Promise<string> {
  const { spec, cards } = judged();
  const desk = await declareDesk(spec, cards);
  const { json: accepted } = await desk.enqueue({ text: json('JUDGE-HANG') });
  await untilStatus(accepted.execution_id, 'running');
  return accepted.execution_id;
}

deployed('a step that is called again after its write', () => {
  it.skipIf(!hasModels)('claims once: the same lease gets the same place, another one nothing', async () => {
    const id = await hanging();
    const claim = (lease: string) =>
      invoke('Advance', { step: 'claim', input: { tenant: 'main', execution_id: id, lease } });
    const first = await claim(`${id}-1.0`);
    expect(first).toMatchObject({ error: undefined, answer: { next: 'advance', place: { attempt: 1 } } });
    expect(await claim(`${id}-1.0`)).toEqual(first);
    expect((await claim('another')).answer).toEqual({ next: 'end' });
    await call('POST', `/v1/verification/executions/${id}/cancel`, { body: null });
  });

  it('settles once: a repeat changes nothing that is stored', async () => {
    const desk = await declareDesk(toneSpec);
    const { json: accepted } = await desk.enqueue({ answer: json('a') });
    const settled = await settledState(accepted.execution_id);
    const place = { tenant: 'main', execution_id: accepted.execution_id, lease: `${accepted.execution_id}-1.0` };
    const again = { step: 'decide', input: { ...place, attempt: 1, deadline: Date.now() + 60_000 } };
    const answers = [await invoke('Settle', again), await invoke('Settle', { ...again, step: 'fail' })];
    expect(answers.map(({ error, answer }) => [error, answer])).toEqual([
      [undefined, { next: 'end' }],
      [undefined, { next: 'end' }],
    ]);
    expect(await state(accepted.execution_id)).toEqual(settled.json);
  });
});

deployed('a state machine that somebody stops', () => {
  it.skipIf(!hasModels)(
    'loses nothing: the lease lapses and the sweep starts the next attempt under a new name',
    async () => {
      const id = await hanging();
      const executionArn = `${(await stateMachine()).replace(':stateMachine:', ':execution:')}:${id}-1`;
      await stepFunctions.send(new StopExecutionCommand({ executionArn }));
      expect(await statusOfMachine(`${id}-1`)).toBe('ABORTED');
      expect(await state(id)).toMatchObject({ status: 'running' });
      // A person learns of it: the queue rings an alarm and has its name.
      await expect.poll(() => deadLetters('AttemptDeadLetters'), { timeout: 10_000 }).toContain(`"${id}-1"`);
      // Before that nobody takes it from a worker that may still be there.
      await invoke('Sweep', {});
      await expect(statusOfMachine(`${id}-2`)).rejects.toThrow();
      await lapseLease('main', id);
      expect((await invoke('Sweep', {})).error).toBeUndefined();
      expect(await statusOfMachine(`${id}-2`)).toBe('RUNNING');
      await expect.poll(async () => (await state(id)).attempts, { timeout: 20_000 }).toBe(2);
      await call('POST', `/v1/verification/executions/${id}/cancel`, { body: null });
      expect((await state(id)).status).toBe('cancelled');
    },
  );
});

deployed('a function that runs out of memory', () => {
  /** Verdict and reason code of the only requirement, directly and in the background. */
  async function judgedTwice(desk: Desk, inputs: Parameters<Desk['execute']>[0]) {
    const direct = await desk.execute(inputs);
    const { json: accepted } = await desk.enqueue(inputs);
    const background = await settledState(accepted.execution_id);
    return [direct.json.outcome, background.json.result?.outcome].map((outcome) => [
      outcome?.verdict,
      outcome?.requirements[0]?.outcome,
      outcome?.requirements[0]?.reason_code,
    ]);
  }

  it('leaves a check in Python inconclusive, with a code, never failed', async () => {
    const desk = await declareDesk(codeSpec);
    const inconclusive = ['inconclusive', 'inconclusive', 'code_unavailable'];
    const answers = await withoutMemory('Sandbox', () => judgedTwice(desk, { amount: json(3) }));
    expect(answers).toEqual([inconclusive, inconclusive]);
    // The same check is judged again as soon as the function lives.
    expect((await desk.execute({ amount: json(3) })).json.outcome.verdict).toBe('failed');
  });

  it('leaves a check of a document inconclusive, with a code', async () => {
    const desk = await declareDesk(tableSpec);
    const bytes = Buffer.from(`item,price\ntea,${Math.random()}\n`);
    await upload(bytes);
    const answers = await withoutMemory('Extract', () => judgedTwice(desk, { lines: file(bytes, 'csv') }));
    const inconclusive = ['inconclusive', 'inconclusive', 'upstream_failed'];
    expect(answers).toEqual([inconclusive, inconclusive]);
    expect((await desk.execute({ lines: file(bytes, 'csv') })).json.outcome.verdict).toBe('passed');
  });
});
