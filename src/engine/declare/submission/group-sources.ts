import { refuse, type Sink } from './sink.ts';
import type { BoundVerifier, Source } from './verifier-facts.ts';

/**
 * Source slots find their Verifier among the bindings of the same subject occurrence (docs/spec/background.md §5.2):
 * exactly one of that name, with the slot or requirement, and no chain that leads back.
 */
export function checkSources(sink: Sink, bound: readonly BoundVerifier[]): void {
  const byName = new Map<string, BoundVerifier[]>();
  for (const binding of bound) byName.set(binding.name, [...(byName.get(binding.name) ?? []), binding]);
  for (const binding of bound) {
    for (const [slot, source] of binding.facts.sources) {
      const problem = sourceProblem(source, byName.get(source.verifier) ?? []);
      if (problem !== undefined) {
        refuse(sink, 'WYRD_SPEC_400_VALIDATION', problem[0], binding.path, `source slot ${slot}: ${problem[1]}`);
      }
    }
  }
  reportCycles(sink, bound, byName);
}

function sourceProblem(source: Source, matches: readonly BoundVerifier[]): readonly [string, string] | undefined {
  const [match, ...others] = matches;
  if (match === undefined) return ['source_unmatched', `0 bindings here are of ${source.verifier}`];
  if (others.length > 0) return ['source_ambiguous', `${matches.length} bindings here are of ${source.verifier}`];
  const isDeclared =
    source.kind === 'input' ? match.facts.slots.has(source.slot) : match.facts.requirements.has(source.requirement);
  return isDeclared ? undefined : ['source_undeclared', `${source.verifier} does not declare it (1 binding matches)`];
}

/** Counts down open sources; whatever is never free of them is on a circle or behind one. */
function reportCycles(
  sink: Sink,
  bound: readonly BoundVerifier[],
  byName: ReadonlyMap<string, readonly BoundVerifier[]>,
): void {
  const settled = new Set<BoundVerifier>();
  let open = bound.filter(({ facts }) => facts.sources.length > 0);
  for (const binding of bound) if (binding.facts.sources.length === 0) settled.add(binding);
  for (let before = -1; before !== open.length; ) {
    before = open.length;
    open = open.filter((binding) => {
      const waits = binding.facts.sources
        .flatMap(([, source]) => byName.get(source.verifier) ?? [])
        .some((other) => !settled.has(other));
      if (!waits) settled.add(binding);
      return waits;
    });
  }
  const [first] = open;
  if (first === undefined) return;
  const message = `sources lead back to themselves: ${open.map(({ name }) => name).join(', ')}`;
  refuse(sink, 'WYRD_SPEC_400_VALIDATION', 'source_cycle', first.path, message);
}
