import * as rregex from 'rregex';
import { utf8Length } from './canonical.ts';
import { expandedSize } from './pattern-size.ts';

/**
 * The regex dialect of docs/spec/verification.md §7.5: the Rust `regex` engine as WebAssembly. Linear in the text; its
 * builder refuses a program above 10 MiB by itself. The package instantiates its module while it is imported, so every
 * call here is synchronous; a bundle must carry `rregex.wasm` beside it.
 */
const maxPatternBytes = 4096;

/**
 * A compile costs 0.1–30 ms, so patterns are kept, least recently used first to go. WebAssembly memory never shrinks:
 * once hostile patterns have made it grow this far, few are kept and their memory is used again.
 */
const maxKept = 256;
const maxKeptWhenLarge = 8;
const largeMemoryBytes = 256 * 1024 * 1024;

interface Compiled {
  readonly regex: rregex.RRegex;
  /** Atoms of the pattern, repetitions written out: what one character of a text may cost. */
  readonly size: number;
}

const kept = new Map<string, Compiled>();

/** The module's memory, which the package exports but does not declare. */
const module: unknown = Reflect.get(rregex, '__wasm');
const memory = typeof module === 'object' && module !== null && 'memory' in module ? module.memory : undefined;

export type PatternCheck = { readonly ok: true } | { readonly ok: false; readonly message: string };

/** Whether a pattern is of the dialect and inside its limits. The message quotes the pattern, never a text. */
export function checkPattern(pattern: string): PatternCheck {
  const found = patternOf(pattern);
  return typeof found === 'string' ? { ok: false, message: found } : { ok: true };
}

/**
 * Work of a search at worst: characters, their end counted, times atoms. Linear in the text, and nothing can interrupt
 * it, so callers bound it (docs/decisions/regex-work.md).
 */
export function searchWork(pattern: string, text: string): number {
  const compiled = patternOf(pattern);
  return typeof compiled === 'string' ? 0 : compiled.size * (text.length + 1);
}

/** Above this a search may block the host for more than about a second. */
export const maxSearchWork = 100_000_000;

/** Whether the pattern is found somewhere in the text. Throws when `checkPattern` refuses the pattern. */
export function searches(pattern: string, text: string): boolean {
  const compiled = patternOf(pattern);
  if (typeof compiled === 'string')
    throw new Error('a pattern was used that had not been checked', { cause: compiled });
  return compiled.regex.isMatch(text);
}

function patternOf(pattern: string): Compiled | string {
  const known = kept.get(pattern);
  if (known !== undefined) {
    kept.delete(pattern);
    kept.set(pattern, known);
    return known;
  }
  // Three bytes a UTF-16 unit at most: the cheap test comes first.
  if (pattern.length > maxPatternBytes || utf8Length(pattern) > maxPatternBytes) {
    return `the pattern is longer than ${maxPatternBytes} bytes`;
  }
  return compileAndKeep(pattern);
}

function compileAndKeep(pattern: string): Compiled | string {
  makeRoom();
  try {
    const compiled = { regex: new rregex.RRegex(pattern), size: expandedSize(pattern, atomsOf) };
    kept.set(pattern, compiled);
    return compiled;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Long literals are found by other means than state by state, so they hardly count. */
function atomsOf(token: string): number {
  return 1 + token.length / 64;
}

function makeRoom(): void {
  const isLarge = memory instanceof WebAssembly.Memory && memory.buffer.byteLength > largeMemoryBytes;
  const limit = isLarge ? maxKeptWhenLarge : maxKept;
  for (const [pattern, { regex }] of kept) {
    if (kept.size < limit) return;
    kept.delete(pattern);
    regex.free();
  }
}
