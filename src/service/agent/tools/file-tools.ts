import { z } from 'zod';
import type { JsonObject } from '#contract/json.ts';
import { checkPattern, maxSearchWork, searches, searchWork } from '#engine/values/regex.ts';
import type { HeldFile } from '../workspace/workspace.ts';
import { decode, linesOf, textAt } from './file-text.ts';
import { makeTool, type ToolAnswer, type ToolPorts, toolError, toolResult } from './tool.ts';

/** docs/spec/verification.md §4.4. */
const maxEntries = 1_000;
const maxLines = 2_000;
const maxHits = 200;
/** Longer lines are shown cut; the answer as a whole is bounded elsewhere. */
const maxShownCharacters = 1_000;
const searchMs = 10_000;
/** How many lines are searched between two looks at the clock. */
const linesAtOnce = 256;

const path = z.string().min(1).max(1_024).describe('absolute path, below /inputs or /work');

export const listFilesTool = makeTool({
  name: 'fs.list',
  description: 'Lists the files of the workspace at or below a path, with size in bytes and format.',
  needs: null,
  arguments: z.strictObject({ path: path.optional() }),
  run: (_ports, { workspace }, { path: below = '/' }) => {
    const found = workspace.below(below);
    return toolResult({
      entries: found.slice(0, maxEntries).map((file) => ({
        path: file.path,
        size_bytes: file.bytes.byteLength,
        format: file.format,
      })),
      truncated: found.length > maxEntries,
    });
  },
});

export const readFileTool = makeTool({
  name: 'fs.read',
  description:
    'Reads a range of lines of a text file, 2,000 at most. `slots` are the evidence slots behind the file; `locator` is how a line is cited.',
  needs: null,
  arguments: z.strictObject({
    path,
    start: z
      .int()
      .min(1)
      .max(2 ** 31)
      .default(1)
      .describe('first line, from 1'),
    count: z.int().min(1).max(maxLines).default(maxLines),
  }),
  run: (_ports, { workspace }, { path: at, start, count }) => {
    const read = textAt(workspace, at);
    if (read.kind === 'error') return read;
    const { file, lines } = read;
    const end = Math.min(lines.length, start + count - 1);
    const places = file.places(start, end);
    return toolResult({
      path: file.path,
      slots: file.slots,
      total_lines: lines.length,
      lines: lines.slice(start - 1, end).map((text, index) => {
        const locator = places[index];
        return { line: start + index, text, ...(locator !== undefined && { locator: { ...locator } }) };
      }),
    });
  },
});

export const searchFilesTool = makeTool({
  name: 'fs.search',
  description:
    'Finds lines that contain a literal, or match a regular expression (Rust syntax), in the text files at or below a path; 200 hits at most.',
  needs: null,
  arguments: z.strictObject({
    pattern: z.string().min(1).max(4_096),
    regex: z.boolean().default(false),
    path: path.optional(),
  }),
  run: async (ports, { workspace }, { pattern, regex, path: below = '/' }, signal): Promise<ToolAnswer> => {
    if (regex && !checkPattern(pattern).ok) return toolError('pattern_invalid', 'the pattern does not compile');
    const search: Search = {
      matches: regex ? regexMatch(pattern) : (line) => line.includes(pattern),
      hits: [],
      end: ports.clock.now() + searchMs,
    };
    for (const file of workspace.below(below)) {
      if (!(await searchFile(ports, search, file, signal))) return hitsOf(search, true);
    }
    return hitsOf(search, false);
  },
});

interface Search {
  readonly matches: (line: string) => boolean;
  readonly hits: JsonObject[];
  /** When it ends, whatever it found. */
  readonly end: number;
}

/** Nothing interrupts a search inside a line: a line that asks for too much is not searched. */
function regexMatch(pattern: string): Search['matches'] {
  return (line) => searchWork(pattern, line) <= maxSearchWork && searches(pattern, line);
}

function hitsOf({ hits }: Search, truncated: boolean): ToolAnswer {
  return toolResult({ hits: [...hits], truncated });
}

/** False when the search is over: enough was found, or it took long enough. */
async function searchFile(ports: ToolPorts, search: Search, file: HeldFile, signal: AbortSignal): Promise<boolean> {
  const text = decode(file.bytes);
  if (text === null) return true;
  for (const [index, line] of linesOf(text).entries()) {
    if (index % linesAtOnce === 0) {
      // Other calls of the host get their turn.
      await ports.clock.sleep(0, signal);
      if (ports.clock.now() >= search.end) return false;
    }
    if (!search.matches(line)) continue;
    if (search.hits.length >= maxHits) return false;
    const locator = file.places(index + 1, index + 1)[0];
    search.hits.push({
      path: file.path,
      line: index + 1,
      text: line.length > maxShownCharacters ? `${line.slice(0, maxShownCharacters)}…` : line,
      slots: file.slots,
      ...(locator !== undefined && { locator: { ...locator } }),
    });
  }
  return true;
}
