import { backgroundCalls } from './background.ts';
import { cardCalls } from './cards.ts';
import { connectionCalls } from './connections.ts';
import { evidenceCalls } from './evidence.ts';
import { type BoundVerifier, findBindings } from './find-bindings.ts';
import { recordCalls } from './records.ts';
import { sampleCalls } from './samples.ts';
import { createTransport, type TransportOptions } from './transport.ts';
import { verificationCalls } from './verification.ts';

export interface ClientOptions extends Omit<TransportOptions, 'credential'> {
  /** Exchanged for access tokens. A host without keys takes any text (docs/spec/wire.md §2.6). */
  readonly apiKey?: string;
  /** Used as it is instead of a key. */
  readonly accessToken?: string;
}

export type Client = ReturnType<typeof createClient>;

/**
 * A client of one service; runs in browsers and in Node. Every failure is a `TouchstoneError`.
 *
 * @example
 * const client = createClient({ url: 'http://127.0.0.1:8787', apiKey: 'local' });
 * const [target] = await client.findBindings('refund-complete');
 * const result = await client.execute({
 *   verifier_card_uid: target.verifier.uid,
 *   card_uid: target.subject.uid,
 *   inputs: { refund: { kind: 'json', value: { order: 'A-17', amount: 12.5 } } },
 * });
 * result.outcome.verdict; // 'passed' | 'failed' | 'inconclusive'
 */
export function createClient({ apiKey = 'local', accessToken, ...options }: ClientOptions) {
  const credential = accessToken === undefined ? { apiKey } : { accessToken };
  const transport = createTransport({ ...options, credential });
  const cards = cardCalls(transport);
  const found = {
    /** Where the newest active Services and Agents bind a Verifier, given as `name` or `name@version`. */
    findBindings: (name: string): Promise<readonly BoundVerifier[]> => findBindings(cards, name),
  };
  const judging = Object.assign(verificationCalls(transport), backgroundCalls(transport, options));
  const held = Object.assign(
    evidenceCalls(transport),
    recordCalls(transport),
    connectionCalls(transport),
    sampleCalls(transport),
  );
  return Object.assign(found, cards, held, judging);
}
