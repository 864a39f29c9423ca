import type { Json, JsonObject } from '#contract/json.ts';
import { reasonTexts } from '#contract/reason-codes.ts';
import type { Statement } from '#contract/record.ts';
import type { VerdictWord } from '#contract/result.ts';
import { decide } from '../run/decide.ts';
import { equal } from '../values/equal.ts';
import { isList, isObject, memberOf } from '../values/kind.ts';
import type { HeldCard } from './held-cards.ts';
import type { Ledger } from './ledger.ts';
import type { ReadResult } from './read-result.ts';
import { judgedBy, operatorsVersion } from './statement.ts';

const step = 'logic';

type Recorded = Statement['predicate']['requirements'][number];

/** Fourth step of docs/spec/records.md §4: what the record says must follow from itself, the result and the Verifier. */
export function checkLogic(
  statement: Statement,
  result: ReadResult | null,
  verifier: HeldCard | null,
  ledger: Ledger,
): void {
  const { predicate } = statement;
  // Another version of the operators may have other outcomes and codes.
  if (predicate.engine.operators !== operatorsVersion) return;
  ledger.begin(step);
  for (const [position, requirement] of predicate.requirements.entries())
    checkOutcome(requirement, `payload/predicate/requirements/${position}`, ledger);
  if (result !== null) checkAgainstResult(predicate, result, ledger);
  if (verifier === null) checkVerdict(predicate, ledger);
  else checkAgainstCard(predicate, verifier, ledger);
}

const outcomes: Readonly<Record<string, Recorded['outcome']>> = {
  comparison_true: 'passed',
  items_passed: 'passed',
  judged_passed: 'passed',
  drift_none: 'passed',
  comparison_false: 'failed',
  items_failed: 'failed',
  judged_failed: 'failed',
  drift_found: 'failed',
  step_skipped: 'not_applicable',
};

/** Each code has one outcome; every other one is inconclusive (docs/spec/verification.md §15). */
function checkOutcome({ outcome, reason_code }: Recorded, at: string, ledger: Ledger): void {
  if (!Object.hasOwn(reasonTexts, reason_code)) ledger.invalid(step, 'unknown_reason_code', `${at}/reason_code`);
  else if ((Object.hasOwn(outcomes, reason_code) ? outcomes[reason_code] : 'inconclusive') !== outcome)
    ledger.invalid(step, 'outcome_code', `${at}/outcome`);
}

/** True under every rule of docs/spec/verification.md §11, whatever the Card says. */
function checkVerdict({ verdict, requirements }: Statement['predicate'], ledger: Ledger): void {
  if (verdict !== 'inconclusive' && !requirements.some(({ outcome }) => outcome === verdict))
    ledger.invalid(step, 'verdict', 'payload/predicate/verdict');
}

function checkAgainstResult(predicate: Statement['predicate'], result: ReadResult, ledger: Ledger): void {
  const { outcome } = result;
  const { name, version } = predicate.engine;
  const withoutDigest = ({ digest: _digest, ...ref }: Statement['predicate']['verifier']) => ref;
  const pairs: readonly (readonly [string, unknown, unknown])[] = [
    ['execution_id', predicate.execution_id, result.execution_id],
    ['verdict', predicate.verdict, outcome.verdict],
    ['verifier', withoutDigest(predicate.verifier), result.verifier],
    ['subject', withoutDigest(predicate.subject), result.subject],
    ['engine', { name, version }, result.engine],
    [
      'requirements',
      predicate.requirements,
      outcome.requirements.map(({ id, outcome: word, reason_code, check }) => ({
        id,
        outcome: word,
        reason_code,
        judged_by: judgedBy(check),
      })),
    ],
  ];
  for (const [name, said, shown] of pairs)
    if (!equal(said as Json, shown as Json)) ledger.invalid(step, 'result_differs', `payload/predicate/${name}`);
}

function checkAgainstCard(predicate: Statement['predicate'], { spec }: HeldCard, ledger: Ledger): void {
  const declared = requirementsOf(spec);
  const ids = new Set(declared.keys());
  const counted: VerdictWord[] = [];
  for (const [position, { id, outcome, judged_by }] of predicate.requirements.entries()) {
    const at = `payload/predicate/requirements/${position}`;
    const requirement = declared.get(id);
    ids.delete(id);
    if (requirement === undefined) ledger.invalid(step, 'requirement_not_declared', `${at}/id`);
    else if (requirement.kind !== judged_by) ledger.invalid(step, 'judged_by', `${at}/judged_by`);
    if (outcome !== 'not_applicable' && requirement?.severity !== 'advisory') counted.push(outcome);
  }
  for (const id of ids) ledger.invalid(step, 'requirement_missing', `requirement/${id}`);
  if (decide(ruleOf(spec), counted) !== predicate.verdict) ledger.invalid(step, 'verdict', 'payload/predicate/verdict');
}

/** All requirements of a Verifier, those of steps first, by id. */
function requirementsOf(spec: JsonObject): ReadonlyMap<string, { readonly kind: Json; readonly severity: Json }> {
  const steps = listAt(spec, 'steps').flatMap((owner) => listAt(owner, 'requirements'));
  return new Map(
    [...steps, ...listAt(spec, 'requirements')].filter(isObject).flatMap((requirement) => {
      const id = memberOf(requirement, 'id');
      const check = memberOf(requirement, 'check');
      const kind = isObject(check) ? (memberOf(check, 'kind') ?? null) : null;
      return typeof id === 'string'
        ? [[id, { kind, severity: memberOf(requirement, 'severity') ?? null }] as const]
        : [];
    }),
  );
}

function listAt(owner: Json, name: string): readonly Json[] {
  const list = isObject(owner) ? memberOf(owner, name) : undefined;
  return isList(list) ? list : [];
}

function ruleOf(spec: JsonObject): Parameters<typeof decide>[0] {
  const rule = memberOf(spec, 'decide');
  const rate = isObject(rule) ? memberOf(rule, 'pass_rate') : undefined;
  const threshold = isObject(rate) ? memberOf(rate, 'threshold') : undefined;
  return typeof threshold === 'number' ? { pass_rate: { threshold } } : 'all';
}
