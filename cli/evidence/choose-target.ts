import { isUuidV7 } from '#contract/ids.ts';
import type { BoundVerifier, Client } from '#sdk/index.ts';
import { UsageError } from '../usage-error.ts';

export interface Target {
  readonly verifierUid: string;
  readonly subjectUid: string;
}

/**
 * The Verifier and the subject that names stand for. Uids are taken as they are; names are looked up in what the newest
 * active Services and Agents bind. Two subjects and no choice between them is refused: a verdict is about one thing.
 */
export async function chooseTarget(
  client: Pick<Client, 'findBindings' | 'getCard'>,
  name: string,
  subject: string | undefined,
): Promise<Target> {
  if (isUuidV7(name)) {
    if (subject !== undefined && isUuidV7(subject)) return { verifierUid: name, subjectUid: subject };
    const { card } = await client.getCard('Verifier', name);
    const bound = await client.findBindings(`${card.metadata.name}@${card.metadata.version}`);
    return only(
      bound.filter(({ verifier }) => verifier.uid === name),
      name,
      subject,
    );
  }
  return only(await client.findBindings(name), name, subject);
}

function only(bound: readonly BoundVerifier[], name: string, subject: string | undefined): Target {
  if (bound.length === 0) throw new UsageError(`no active Service or Agent is verified by ${name}`);
  const fitting = subject === undefined ? bound : bound.filter((binding) => isNamed(binding, subject));
  const targets = new Map(
    fitting.map(({ verifier, subject: judged }) => [
      `${verifier.uid} ${judged.uid}`,
      { verifierUid: verifier.uid, subjectUid: judged.uid },
    ]),
  );
  const [target] = targets.values();
  if (target && targets.size === 1) return target;
  const choices = [...new Set((target ? fitting : bound).map(describe))].join(', ');
  throw new UsageError(
    target
      ? `${name} judges more than one subject; choose with --subject: ${choices}`
      : `${name} does not judge ${subject}, but: ${choices}`,
  );
}

function isNamed({ subject, alias }: BoundVerifier, text: string): boolean {
  const { kind, name, version, uid } = subject;
  return [uid, name, `${name}@${version}`, `${kind}/${name}`, `${kind}/${name}@${version}`, alias].includes(text);
}

function describe({ subject: { kind, name, version }, owner }: BoundVerifier): string {
  return `${kind}/${name}@${version} (bound by ${owner.name}@${owner.version})`;
}
