import { firstLine, headersOf, preparedLoad, spawnHost } from './http.ts';

const spans = 10_000;
const traceId = 'a'.repeat(32);

/** The trace has landed after two seconds without a span. */
const settlingMs = 2_500;

/** Milliseconds of the median `execute` of one trace check over a trace of 10,000 spans, on the embedded host. */
export async function benchTrace(data: string): Promise<number> {
  const child = spawnHost(data);
  try {
    const { url, token } = await preparedLoad(await firstLine(child));
    const call = async (path: string, body: unknown) => {
      const headers = headersOf(token, { 'idempotency-key': `card-declaration-${crypto.randomUUID()}` });
      const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
      if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
      return answer.json();
    };
    const declared = (await call('/v1/cards', { submissions })) as Declared;
    const uidOf = (name: string) => declared.outcomes.find(({ card_ref }) => card_ref.name === name)?.card_ref.uid;
    await call('/v1/traces', {
      resourceSpans: [{ resource: {}, scopeSpans: [{ scope: { name: 'bench' }, spans: sent() }] }],
    });
    await new Promise((resolve) => setTimeout(resolve, settlingMs));
    const body = {
      verifier_card_uid: uidOf('trace-check'),
      card_uid: uidOf('traced'),
      inputs: { run: { kind: 'trace', trace_id: traceId } },
    };
    const took: number[] = [];
    for (let round = 0; round < 11; round += 1) {
      const from = performance.now();
      const { outcome } = (await call('/v1/verification/execute', body)) as {
        readonly outcome: { readonly verdict: string };
      };
      took.push(performance.now() - from);
      if (outcome.verdict !== 'passed') throw new Error(JSON.stringify(outcome).slice(0, 500));
    }
    return took.sort((left, right) => left - right)[5] ?? 0;
  } finally {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
  }
}

interface Declared {
  readonly outcomes: readonly { readonly card_ref: { readonly name: string; readonly uid: string } }[];
}

const submissions = [
  {
    apiVersion: 'wyrd/v1',
    kind: 'Verifier',
    metadata: { name: 'trace-check', version: '1.0.0' },
    spec: {
      inputs: { run: { type: 'trace' } },
      requirements: [
        {
          id: 'no-refund',
          statement: 'Nothing was refunded',
          check: {
            kind: 'trace',
            on: 'inputs.run',
            span_selector: "$.spans[?(@.attributes['tool'] == 'refund')].name",
            operator: 'is_null',
          },
        },
      ],
    },
  },
  {
    apiVersion: 'wyrd/v1',
    kind: 'Service',
    metadata: { name: 'traced', version: '1.0.0' },
    spec: { verified_by: [{ verifier: { sibling: { kind: 'Verifier', name: 'trace-check', version: '1.0.0' } } }] },
  },
];

function sent(): readonly object[] {
  const began = 1_780_000_000_000_000_000n;
  return Array.from({ length: spans }, (_none, index) => ({
    traceId,
    spanId: (index + 1).toString(16).padStart(16, '0'),
    ...(index === 0 ? {} : { parentSpanId: '1'.padStart(16, '0') }),
    name: `step-${index}`,
    kind: 1,
    startTimeUnixNano: String(began + BigInt(index) * 1_000n),
    endTimeUnixNano: String(began + BigInt(index) * 1_000n + 500n),
    attributes: [{ key: 'tool', value: { stringValue: 'lookup' } }],
  }));
}
