import { createHash } from 'node:crypto';
import { systemClock } from '#adapters/embedded/system.ts';
import { createExtract } from '#adapters/extract/extract.ts';
import type { PinnedInput } from '#contract/evidence.ts';
import type { Json, JsonObject } from '#contract/json.ts';
import type { Statement } from '#contract/record.ts';
import type { VerificationResult } from '#contract/result.ts';
import { compile } from '#engine/index.ts';
import { cardDigest } from '#engine/record/card.ts';
import { statementOf } from '#engine/record/statement.ts';
import { assembleTrace } from '#engine/trace/assemble.ts';
import { canonical } from '#engine/values/canonical.ts';
import { drive } from '#service/drive/drive.ts';
import type { DrivePorts } from '#service/drive/performing.ts';
import type { Evidence } from '#service/ports.ts';
import { sharedSandbox } from './shared-sandbox.ts';

/** One execution that was really run, and everything an auditor could hold of it. */
export interface JudgedExecution {
  readonly statement: Statement;
  readonly result: VerificationResult;
  /** Cards as the API answers them. */
  readonly cards: readonly JsonObject[];
  readonly evidence: readonly { readonly name: string; readonly bytes: Uint8Array }[];
}

const startedAt = '2026-05-04T08:00:00.000Z';
const endedAt = '2026-05-04T08:00:02.500Z';

const uid = (position: number) => `01a20000-0000-7000-8000-${String(position).padStart(12, '0')}`;

function card(kind: string, name: string, position: number, spec: JsonObject, apiVersion = 'wyrd/v1'): JsonObject {
  return {
    apiVersion,
    kind,
    metadata: { name, version: '1.0.0', uid: uid(position), spec_hash: 'not attested' },
    spec,
    relationships: {},
    status: { phase: 'active' },
  };
}

function refTo({ kind, metadata }: JsonObject): JsonObject {
  const { name, version, uid: own } = metadata as Record<string, string>;
  return { kind: kind ?? '', name: name ?? '', version: version ?? '', uid: own ?? '' };
}

const judge = card('Agent', 'policy-judge', 3, {
  execution_route: { kind: 'native' },
  prompt: {
    provider: 'openai',
    model: 'm',
    system: 'You check letters against a refund policy.',
    messages: [{ role: 'user', content: '{{letter}}' }],
    response_format: 'verdict',
  },
});
const subject = card('Agent', 'desk-writer', 2, {
  execution_route: { kind: 'native' },
  prompt: { provider: 'openai', model: 'm', messages: [{ role: 'user', content: 'hello' }] },
});

const totalCode = 'def total(refund):\n    return {"sum": sum(item["price"] for item in refund["items"])}\n';
const bookCode = `def check(refund):
    places = [{"slot": "refund", "locator": {"json_pointer": "/paid"}}]
    return {"outcome": "passed" if refund["paid"] > 0 else "failed", "reason": "it was paid", "citations": places}
`;

const spec: JsonObject = {
  inputs: {
    answer: { type: 'json' },
    refund: { type: 'json' },
    letter: { type: 'media', formats: ['markdown'] },
    log: { type: 'trace' },
  },
  steps: [
    { id: 'read', action: { kind: 'extract', from: 'inputs.letter' } },
    {
      id: 'total',
      action: { kind: 'code', entrypoint: 'total', source: { inline: totalCode }, inputs: { refund: 'inputs.refund' } },
      when: { path: 'inputs.refund.paid', operator: 'greater_than', expected: 0 },
      requirements: [
        {
          id: 'total-right',
          statement: 'The prices add up',
          check: { kind: 'assert', path: 'steps.total.output.sum', operator: 'equals', expected: 12 },
        },
      ],
    },
    {
      id: 'escalate',
      action: { kind: 'code', entrypoint: 'total', source: { inline: totalCode }, inputs: { refund: 'inputs.refund' } },
      when: { path: 'inputs.refund.paid', operator: 'greater_than', expected: 1000 },
    },
  ],
  requirements: [
    {
      id: 'no-promise',
      statement: 'The answer promises nothing',
      check: { kind: 'assert', path: 'inputs.answer', operator: 'not_contains', expected: 'sure' },
    },
    {
      id: 'prices',
      statement: 'Every price is positive',
      check: { kind: 'assert', each: 'inputs.refund.items[*].price', operator: 'greater_than', expected: 0 },
    },
    {
      id: 'escalated',
      statement: 'An escalation has a sum',
      check: { kind: 'assert', path: 'steps.escalate.output.sum', operator: 'is_not_null' },
    },
    {
      id: 'policy',
      statement: 'The letter keeps the policy',
      check: { kind: 'agent', agent: refTo(judge), inputs: { letter: 'steps.read.output.text' } },
    },
    {
      id: 'bookable',
      statement: 'It can be booked',
      check: { kind: 'code', entrypoint: 'check', source: { inline: bookCode }, inputs: { refund: 'inputs.refund' } },
    },
    {
      id: 'called-once',
      statement: 'The desk looked the order up once',
      check: {
        kind: 'trace',
        on: 'inputs.log',
        span_selector: "$.spans[?(@.name == 'lookup')].name",
        operator: 'equals',
        expected: 'lookup',
      },
    },
  ],
};

const letter = new TextEncoder().encode('# Your order\n\nWe refund it in full.\nWithin 14 days.\n');
const refund: JsonObject = { items: [{ price: 5 }, { price: 7 }], paid: 12 };
const assembled = assembleTrace('0123456789abcdef0123456789abcdef', [
  { span_id: '0000000000000001', name: 'lookup', start_unix_nano: '1', end_unix_nano: '2000001' },
]);

/** Runs the Verifier with the real driver, sandbox and extraction; only the model's answer is given. */
export async function judgeLetter(
  changes: { readonly capture?: string; readonly paid?: number; readonly decide?: JsonObject } = {},
): Promise<JudgedExecution> {
  const { capture = 'full', paid = 12, decide = 'all' } = changes;
  const verifierCard = card('Verifier', 'letter-check', 1, { ...spec, context_capture: capture, decide });
  const compiled = compile({
    api: 'wyrd/v1',
    spec: verifierCard.spec ?? null,
    dialect: 'flat',
    references: {
      card: () => ({
        ref: { kind: 'Agent', name: 'policy-judge', version: '1.0.0', uid: uid(3) },
        kind: 'Agent',
        spec: judge.spec ?? null,
      }),
    },
  });
  if (!compiled.ok || !assembled.ok) throw new Error(JSON.stringify(compiled));
  const inputs: Readonly<Record<string, PinnedInput>> = {
    answer: { kind: 'json', value: 'We will see.' },
    refund: { kind: 'json', value: { ...refund, paid } },
    letter: {
      kind: 'file',
      sha256: sha256(letter),
      size_bytes: letter.length,
      format: 'markdown',
      filename: 'letter.md',
    },
    log: { kind: 'trace', trace_id: '0123456789abcdef0123456789abcdef' },
  };
  const extract = createExtract();
  try {
    const driven = await drive(
      { ...silentPorts, sandbox: sharedSandbox(), extract },
      {
        tenant: 'local',
        verifier: compiled.verifier,
        run: { started_at: startedAt, inputs },
        deadline: Date.now() + 60_000,
      },
    );
    if (driven.kind !== 'finished') throw new Error(driven.kind);
    const result: VerificationResult = {
      execution_id: uid(20),
      verifier: { kind: 'Verifier', name: 'letter-check', version: '1.0.0', uid: uid(1) },
      subject: { kind: 'Agent', name: 'desk-writer', version: '1.0.0', uid: uid(2) },
      outcome: driven.outcome,
      engine: { name: 'touchstone', version: '0.1.0' },
    };
    return {
      result,
      statement: statementOf({
        tenant: 'local',
        started_at: startedAt,
        ended_at: endedAt,
        result,
        inputs,
        work: driven.work,
        verifier_sha256: cardDigest(verifierCard) ?? '',
        subject_sha256: cardDigest(subject) ?? '',
      }),
      cards: [{ card: verifierCard, created_at: startedAt }, { card: subject }, judge],
      evidence: [
        { name: 'letter.md', bytes: letter },
        { name: 'trace-of-the-desk.json', bytes: jsonBytes(assembled.trace) },
        { name: 'answer.json', bytes: jsonBytes('We will see.') },
        { name: 'refund.json', bytes: jsonBytes({ ...refund, paid }) },
      ],
    };
  } finally {
    await extract.close();
  }
}

function jsonBytes(value: Json): Uint8Array {
  // Not canonical on purpose: a file may be laid out as its owner likes.
  return new TextEncoder().encode(JSON.stringify(JSON.parse(canonical(value)), null, 2));
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

const evidence: Evidence = {
  sizes: async () => new Map(),
  read: async () => letter,
  readPart: async (_tenant, _sha256, from, to) => letter.subarray(from, to),
  write: async () => 'stored',
};

const answer = {
  outcome: 'passed',
  reason: 'It promises nothing that the policy does not give.',
  citations: [{ slot: 'letter', locator: { lines: { start: 3, end: 4 } } }],
};

const silentPorts: Omit<DrivePorts, 'sandbox' | 'extract'> = {
  clock: systemClock,
  log: { info() {}, warn() {}, error() {} },
  evidence,
  artifacts: { file: async () => null },
  models: {
    generate: async () => ({
      kind: 'answer',
      text: JSON.stringify(answer),
      tool_calls: [],
      model_reported: 'm-2026-01',
      request_sha256: 'a'.repeat(64),
      response_sha256: 'b'.repeat(64),
    }),
  },
  traces: {
    read: async () => (assembled.ok ? { kind: 'trace', trace: assembled.trace } : { kind: 'failed' }),
  },
};
