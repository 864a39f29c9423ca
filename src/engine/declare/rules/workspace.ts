import { toCardRef } from '#contract/cards/reference.ts';
import type { AuthoredAction } from '#contract/cards/verifier.ts';
import { isRelativePath } from '#contract/ids.ts';
import { type Context, report, resolveCard, toReference } from '../context.ts';
import { type Graph, sortedEntries } from './graph.ts';
import { checkReference, type Position } from './references.ts';

export type AuthoredWorkspace = NonNullable<Extract<AuthoredAction, { kind: 'agent' }>['workspace']>;
type FixedFiles = Exclude<AuthoredWorkspace[string], string>;

/** Fixed files of one Verifier, mounted Artifacts unfolded [ours]. */
const maxFixedFiles = 1000;

/** References, dialect, paths, Artifacts (docs/spec/verification.md §4.4, §14.3). */
export function checkWorkspace(
  context: Context,
  workspace: AuthoredWorkspace | undefined,
  position: Position,
  graph: Graph | null,
): void {
  if (workspace === undefined) return;
  const entries = sortedEntries(workspace);
  for (const [, entry] of entries) {
    if (typeof entry === 'string') checkReference(context, toReference(entry), position, graph);
  }
  const { path, place } = position;
  if (context.dialect === 'spaced' && (place === 'check' || place === 'step_check')) {
    report(context, 'check_agent_workspace', path, 'a check Agent has no workspace');
  }
  checkPaths(
    context,
    entries.map(([name]) => name),
    path,
  );
  for (const [, entry] of entries) if (typeof entry === 'object') checkFixedFiles(context, entry, path);
}

const segmentPattern = /^[^/\p{Cc}]{1,255}$/u;

function isWorkspacePath(path: string): boolean {
  const [empty, root, ...names] = path.split('/');
  if (empty !== '' || root !== 'inputs' || names.length === 0 || path.length > 1024) return false;
  return names.every((name) => segmentPattern.test(name) && name !== '.' && name !== '..');
}

function checkPaths(context: Context, paths: readonly string[], at: string): void {
  const known = new Set(paths);
  for (const path of paths) {
    if (!isWorkspacePath(path)) {
      report(
        context,
        'workspace_path',
        at,
        'a workspace path is /inputs/<name>[/<name>…] without empty, . or .. names',
      );
    } else if (parentsOf(path).some((parent) => known.has(parent))) {
      report(context, 'workspace_path', at, `${path} lies below another path`);
    }
  }
}

function parentsOf(path: string): readonly string[] {
  const names = path.split('/');
  return names.slice(3).map((_, position) => names.slice(0, position + 3).join('/'));
}

function checkFixedFiles(context: Context, { artifact }: FixedFiles, path: string): void {
  const kind = toCardRef(artifact.card)?.kind;
  const wanted = artifact.path ?? null;
  if (kind !== undefined && kind !== 'Artifact') {
    report(context, 'workspace_artifact', path, `a ${kind} holds no fixed files`);
    return;
  }
  if (wanted !== null && !isRelativePath(wanted)) {
    report(context, 'workspace_artifact', path, 'the path inside an Artifact is relative and clean');
    return;
  }
  const card = resolveCard(context, artifact.card, path);
  if (card === undefined) return;
  const files = card.manifest ?? [];
  const count = wanted === null ? files.length : files.filter((file) => file.relative_path === wanted).length;
  if (count === 0) report(context, 'workspace_artifact', path, 'the Artifact holds no such file');
  if (count > maxFixedFiles) report(context, 'workspace_artifact', path, `more than ${maxFixedFiles} fixed files`);
}
