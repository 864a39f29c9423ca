import semver from 'semver';
import { Problem } from '#contract/errors.ts';
import { isFullVersion, isVersionLine } from '#contract/ids.ts';

export type Bump = 'major' | 'minor' | 'patch';

/** What a submission asks for: one exact version, or the next one of a line (docs/spec/wire.md §4.2). */
export type VersionRequest =
  | { readonly kind: 'exact'; readonly version: string }
  /** `line` is empty, `1` or `1.2`. */
  | { readonly kind: 'next'; readonly line: string; readonly bump: Bump };

export function parseVersionRequest(version: string | undefined, bump: Bump | undefined): VersionRequest {
  if (version === undefined) return { kind: 'next', line: '', bump: bump ?? 'patch' };
  if (isFullVersion(version) && semver.valid(version) !== null) {
    if (bump !== undefined) throw invalidVersion('an exact version takes no bump');
    return { kind: 'exact', version };
  }
  if (!isVersionLine(version)) throw invalidVersion('a version is `1`, `1.2` or a full one');
  if (bump === 'major' || (bump === 'minor' && version.includes('.'))) {
    throw invalidVersion(`a ${bump} bump leaves the line ${version}`);
  }
  return { kind: 'next', line: version, bump: bump ?? 'patch' };
}

/** The newest stable version of a line, among those given; `undefined` when there is none. */
export function latestInLine(line: string, versions: readonly string[]): string | undefined {
  const inLine = versions.filter((version) => semver.prerelease(version) === null && isInLine(line, version));
  return semver.rsort(inLine)[0];
}

export function nextVersion(line: string, bump: Bump, latest: string | undefined): string {
  if (latest === undefined) {
    const [major, minor] = line === '' ? ['0', '1'] : [...line.split('.'), '0'];
    return `${major}.${minor}.0`;
  }
  return semver.inc(latest, bump) ?? latest;
}

/** Whether a version is in a range, written with spaces or with commas. An unreadable range has none. */
export function versionFilter(range: string, includePrerelease: boolean): (version: string) => boolean {
  const parsed = semver.validRange(range.replaceAll(',', ' '));
  if (parsed === null) throw invalidVersion('version_range is no range of versions');
  return (version) => semver.satisfies(version, parsed, { includePrerelease });
}

export function isPrerelease(version: string): boolean {
  return semver.prerelease(version) !== null;
}

function isInLine(line: string, version: string): boolean {
  return line === '' || version.startsWith(`${line}.`);
}

function invalidVersion(detail: string): Problem {
  return new Problem('WYRD_REGISTRY_400_INVALID_VERSION_BLOCK', detail);
}
