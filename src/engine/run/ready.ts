import type { PinnedMedia } from '#contract/evidence.ts';
import type { Json, JsonObject } from '#contract/json.ts';
import { verdictSchema } from '../citations/verdict-schema.ts';
import type { AgentPlan, CodePlan, RequirementPlan, StepPlan, WorkspaceEntry } from '../plan.ts';
import type { Reference, Selector } from '../references/reference.ts';
import { indexOf } from './index-of.ts';
import { type Current, read } from './read.ts';
import type { Run, RunningStep } from './run.ts';
import type { AgentWork, BoundInput, CodeWork, Work, WorkspaceFile } from './work.ts';

/**
 * Everything the run waits for, in report order (docs/spec/verification.md §10.10). The same work is handed out until
 * it is settled: a driver tells repeats by `(id, attempt)`.
 */
export function ready(run: Run): readonly Work[] {
  if (run.busy !== null) return [];
  const work: Work[] = [];
  for (const [position, step] of run.verifier.steps.entries()) {
    const state = run.steps[position];
    if (state?.phase === 'running') work.push(stepWork(run, step, state));
  }
  for (const [position, requirement] of run.verifier.requirements.entries()) {
    if (run.requirements[position]?.phase !== 'running') continue;
    const item = checkWork(run, requirement);
    if (item !== null) work.push(item);
  }
  return [...work, ...traceWork(run), ...placesWork(run)];
}

function traceWork(run: Run): readonly Work[] {
  return run.traces.flatMap(({ slot, kind }) => {
    const pinned = run.inputs[slot];
    if (kind !== 'pending' || pinned?.kind !== 'trace') return [];
    return [{ kind: 'trace', id: `trace:${slot}`, attempt: 1, delay_ms: 0, slot, trace_id: pinned.trace_id }];
  });
}

function placesWork(run: Run): readonly Work[] {
  return run.places.flatMap(({ slot, kind }) => {
    if (kind !== 'pending') return [];
    return [{ kind: 'places', id: `places:${slot}`, attempt: 1, delay_ms: 0, slot, media: mediaAt(run, slot) }];
  });
}

function stepWork(run: Run, step: StepPlan, state: RunningStep): Work {
  const base = {
    id: `step:${step.id}`,
    attempt: state.log.length + 1,
    delay_ms: state.delay_ms,
    ...(state.retry_after_ms !== undefined && { retry_after_ms: state.retry_after_ms }),
    position: 'step',
    block: step.id,
    timeout_ms: step.timeout_seconds === null ? null : step.timeout_seconds * 1000,
  } as const;
  const { action } = step;
  switch (action.kind) {
    case 'extract':
      return {
        ...base,
        kind: 'extract',
        slot: action.slot,
        media: mediaAt(run, action.slot),
        require_text: action.require_text,
      };
    case 'agent':
      return agentWork(run, action, base, false);
    case 'code':
      return codeWork(run, action, base);
  }
}

function checkWork(run: Run, requirement: RequirementPlan): Work | null {
  const { check } = requirement;
  const base = {
    id: `check:${requirement.id}`,
    attempt: 1,
    delay_ms: 0,
    position: 'check',
    block: requirement.id,
    timeout_ms: null,
  } as const;
  if (check.kind === 'agent') return agentWork(run, check, base, check.require_quote, requirement);
  if (check.kind === 'code') return codeWork(run, check, base, requirement);
  if (check.kind === 'drift' && run.window !== undefined) {
    const { id, attempt, delay_ms, block } = base;
    return { kind: 'drift', id, attempt, delay_ms, block, spec: check.spec, window: run.window };
  }
  return null;
}

type Base = Pick<CodeWork, 'id' | 'attempt' | 'delay_ms' | 'position' | 'block' | 'timeout_ms'>;

function agentWork(run: Run, plan: AgentPlan, base: Base, quote: boolean, current?: Current): AgentWork {
  const { response } = plan;
  const overrides = run.route_overrides ?? {};
  const override = Object.hasOwn(overrides, base.block) ? overrides[base.block] : undefined;
  return {
    ...base,
    kind: 'agent',
    ...(plan.agent !== undefined && { agent: plan.agent }),
    ...(plan.prompt_ref !== undefined && { prompt_ref: plan.prompt_ref }),
    prompt: plan.prompt,
    route: override ?? plan.route,
    run_config: plan.run_config,
    tool_names: plan.tool_names,
    inputs: Object.fromEntries(plan.inputs.map(({ name, reference }) => [name, bind(run, reference, current)])),
    workspace: plan.workspace.map((entry) => workspaceFile(run, entry, current)),
    schema: schemaOf(response, plan.reach, quote),
    decode: decodeOf(response.kind, base.position),
    ...(response.kind !== 'text' && response.data !== undefined && { data: response.data }),
    require_quote: quote,
  };
}

function schemaOf(response: AgentPlan['response'], reach: readonly string[], quote: boolean): JsonObject | null {
  if (response.kind === 'text') return null;
  if (response.kind === 'schema') return response.schema;
  return verdictSchema(reach, { ...(response.data !== undefined && { data: response.data }), require_quote: quote });
}

function decodeOf(kind: AgentPlan['response']['kind'], position: Base['position']): AgentWork['decode'] {
  if (position === 'check') return 'verdict';
  return kind === 'text' ? 'text' : 'object';
}

function codeWork(run: Run, plan: CodePlan, base: Base, current?: Current): CodeWork {
  return {
    ...base,
    kind: 'code',
    source: plan.source,
    entrypoint: plan.entrypoint,
    inputs: Object.fromEntries(plan.inputs.map(({ name, reference }) => [name, valueAt(run, reference, current)])),
    clock: run.started_at,
  };
}

/** A whole media slot is handed on as its bytes; every other value as JSON. */
function bind(run: Run, reference: Reference, current?: Current): BoundInput {
  if (reference.root === 'input' && reference.selector.length === 0) {
    const pinned = run.inputs[reference.slot];
    if (pinned?.kind === 'file' || pinned?.kind === 'artifact')
      return { kind: 'media', slot: reference.slot, media: pinned };
  }
  return { kind: 'value', value: valueAt(run, reference, current) };
}

function workspaceFile(run: Run, entry: WorkspaceEntry, current?: Current): WorkspaceFile {
  const { path, source } = entry;
  if (source.kind === 'attachment') {
    return {
      path,
      content: { kind: 'media', slot: source.slot, media: mediaAt(run, source.slot) },
      slots: [source.slot],
    };
  }
  const { reference } = source;
  return {
    path,
    content: bind(run, reference, current),
    slots: slotsBehind(run, reference),
    ...originOf(run, reference),
  };
}

/** Only what a json pointer, a page or a slide of one slot can name has an origin (§5.3). */
function originOf(run: Run, reference: Reference): Pick<WorkspaceFile, 'origin'> {
  if (reference.root !== 'input' && reference.root !== 'output') return {};
  const pointer = pointerOf(reference.selector);
  if (pointer === null) return {};
  if (reference.root === 'input') return run.inputs[reference.slot]?.kind === 'json' ? { origin: { pointer } } : {};
  const action = run.verifier.steps[indexOf(run.verifier).step.get(reference.step) ?? -1]?.action;
  if (action?.kind !== 'extract') return {};
  return { origin: { pointer, extracted: mediaAt(run, action.slot).format } };
}

function pointerOf(selector: Selector): string | null {
  let pointer = '';
  for (const part of selector) {
    if (typeof part === 'object') return null;
    pointer += `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`;
  }
  return pointer;
}

/** Work is only handed out for blocks without a gap, so a value is there. */
function valueAt(run: Run, reference: Reference, current?: Current): Json {
  const reading = read(run, reference, current);
  return reading.gap ? null : reading.value;
}

function mediaAt(run: Run, slot: string): PinnedMedia {
  const pinned = run.inputs[slot];
  if (pinned?.kind === 'file' || pinned?.kind === 'artifact') return pinned;
  throw new Error(`slot ${slot} holds no file`);
}

/** The slots whose evidence a reference carries (§5.4). */
function slotsBehind(run: Run, reference: Reference): readonly string[] {
  if (reference.root === 'input') return [reference.slot];
  if (reference.root !== 'output') return [];
  const action = run.verifier.steps[indexOf(run.verifier).step.get(reference.step) ?? -1]?.action;
  if (action === undefined) return [];
  return action.kind === 'extract' ? [action.slot] : action.reach;
}
