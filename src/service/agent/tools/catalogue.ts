import { getCardTool, listCardsTool } from './card-tools.ts';
import { codeTool } from './code-tool.ts';
import { extractTool } from './extract-tool.ts';
import { listFilesTool, readFileTool, searchFilesTool } from './file-tools.ts';
import { describeTableTool, listTablesTool, queryTool } from './table-tools.ts';
import type { Tool } from './tool.ts';

/** The ten built-in tools by their exact names (docs/spec/verification.md §4.4). */
export const catalogue: ReadonlyMap<string, Tool> = new Map(
  [
    listCardsTool,
    getCardTool,
    listTablesTool,
    describeTableTool,
    queryTool,
    listFilesTool,
    readFileTool,
    searchFilesTool,
    extractTool,
    codeTool,
  ].map((tool) => [tool.name, tool]),
);
