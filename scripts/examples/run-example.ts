import { checkPath } from '#cli/check/check-path.ts';
import { buildInputs } from '#cli/evidence/build-inputs.ts';
import { chooseTarget } from '#cli/evidence/choose-target.ts';
import { type CitedText, citedText, formatPlace, heldEvidence } from '#cli/evidence/cited-text.ts';
import { parseSlots } from '#cli/evidence/parse-slots.ts';
import { sendEvidence } from '#cli/evidence/send-evidence.ts';
import { isJsonObject } from '#contract/cards/shared.ts';
import type { VerificationResult } from '#contract/result.ts';
import type { Client } from '#sdk/index.ts';
import type { Expectation } from './expectations.ts';

/** Declares the Cards of an example's folder; the number of them. Throws when one of them is not good. */
export async function applyExample(client: Client, folder: string): Promise<number> {
  const checked = await checkPath(folder, folder);
  if (!checked.isGood) throw new Error(`${folder}: ${JSON.stringify(checked.issues)}`);
  for (const { cards } of checked.declarations) await client.declare(cards.map(({ card }) => card));
  return checked.cards;
}

export interface Judged {
  readonly result: VerificationResult;
  readonly cited: CitedText;
}

/** Verifies what an expectation names, the way `touchstone verify` does. */
export async function judge(client: Client, folder: string, { verify, subject, slots }: Expectation): Promise<Judged> {
  const target = await chooseTarget(client, verify, subject);
  const { card } = await client.getCard('Verifier', target.verifierUid);
  const { inputs } = card.spec;
  const built = await buildInputs(
    parseSlots(slots),
    inputs !== undefined && isJsonObject(inputs) ? inputs : {},
    folder,
  );
  const result = await client.execute({
    verifier_card_uid: target.verifierUid,
    card_uid: target.subjectUid,
    inputs: await sendEvidence(client, built),
  });
  return { result, cited: citedText(heldEvidence(built)) };
}

/** Every difference between what came and what must come; empty when it is as expected. */
export function differences({ result }: Judged, expected: Expectation, isReplayed: boolean): readonly string[] {
  const { verdict, requirements } = result.outcome;
  const found: string[] = [];
  if (verdict !== expected.verdict) found.push(`verdict is ${verdict}, expected ${expected.verdict}`);
  const outcomes = new Map(requirements.map(({ id, outcome }) => [id, outcome]));
  for (const [id, outcome] of Object.entries(expected.requirements)) {
    if (outcomes.get(id) !== outcome) found.push(`${id} is ${outcomes.get(id) ?? 'absent'}, expected ${outcome}`);
  }
  if (outcomes.size !== Object.keys(expected.requirements).length)
    found.push(`judged ${[...outcomes.keys()].join(', ')}`);
  if (expected.judged && !isReplayed) return found;
  for (const [id, places] of Object.entries(expected.citations)) {
    const citations = requirements.find((requirement) => requirement.id === id)?.citations ?? [];
    const cited = citations.map(formatPlace).join(', ');
    if (cited !== places.join(', ')) found.push(`${id} cites ${cited}, expected ${places.join(', ')}`);
  }
  return found;
}
