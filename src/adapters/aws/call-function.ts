import { InvokeCommand, type LambdaClient, TooManyRequestsException } from '@aws-sdk/client-lambda';
import { fromJsonBytes } from './carrier.ts';

/** Calls another function of the deployment and waits. `busy`: the platform refused it capacity. */
export type CallFunction = (payload: unknown, signal: AbortSignal) => Promise<unknown | 'busy'>;

/** Throws when the function failed: its own words stay in its log, since they may quote what it worked on. */
export function callFunction(lambda: LambdaClient, functionName: string): CallFunction {
  return async (payload, signal) => {
    const command = new InvokeCommand({ FunctionName: functionName, Payload: Buffer.from(JSON.stringify(payload)) });
    try {
      const answer = await lambda.send(command, { abortSignal: signal });
      if (answer.FunctionError !== undefined) throw new Error(`${functionName} failed: ${answer.FunctionError}`);
      return fromJsonBytes(answer.Payload ?? new Uint8Array());
    } catch (error) {
      if (error instanceof TooManyRequestsException) return 'busy';
      throw error;
    }
  };
}
