import { z } from 'zod';
import type { builtInTools } from '#contract/cards/agent.ts';
import type { Json, JsonObject } from '#contract/json.ts';
import type { Permission } from '../../auth/permissions.ts';
import type { RecordedRows, TableQueries } from '../../ports/recorded-tables.ts';
import type { Registry } from '../../ports/registry.ts';
import type { Clock, EffectBusy, Extract, Sandbox } from '../../ports.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** What tools reach. */
export interface ToolPorts {
  readonly clock: Clock;
  readonly registry: Registry;
  readonly recordedRows: RecordedRows;
  readonly tableQueries: TableQueries;
  readonly extract: Extract;
  readonly sandbox: Sandbox;
}

/** The one call of an agent that tools work for. */
export interface ToolCaller {
  readonly tenant: string;
  readonly permissions: ReadonlySet<Permission>;
  readonly workspace: Workspace;
  /** RFC 3339; the sandbox clock stands here. */
  readonly started_at: string;
}

export type ToolAnswer =
  | { readonly kind: 'result'; readonly result: Json }
  /** Told to the model and recorded; no failure of the block (docs/spec/verification.md §4.4). */
  | ToolError
  /** Capacity refused: the execution stops (§10.9). */
  | EffectBusy;

export interface ToolError {
  readonly kind: 'error';
  readonly code: string;
  readonly message: string;
}

/** A built-in tool: what the model is told of it, and what it does. */
export interface Tool {
  readonly name: (typeof builtInTools)[number];
  readonly description: string;
  /** JSON Schema of its arguments. */
  readonly parameters: JsonObject;
  /** Permission of the caller besides `tool:invoke`. */
  readonly needs: Permission | null;
  run(ports: ToolPorts, caller: ToolCaller, given: JsonObject, signal: AbortSignal): Promise<ToolAnswer>;
}

interface ToolDefinition<Shape> extends Pick<Tool, 'name' | 'description' | 'needs'> {
  readonly arguments: z.ZodType<Shape>;
  run(ports: ToolPorts, caller: ToolCaller, given: Shape, signal: AbortSignal): Promise<ToolAnswer> | ToolAnswer;
}

/** A tool whose arguments are checked before it runs; the model is told what does not fit. */
export function makeTool<Shape>({ arguments: shape, run, ...rest }: ToolDefinition<Shape>): Tool {
  const { $schema: _, ...parameters } = z.toJSONSchema(shape, { io: 'input' });
  return {
    ...rest,
    parameters: parameters as JsonObject,
    run: async (ports, caller, given, signal) => {
      const read = shape.safeParse(given);
      if (read.success) return run(ports, caller, read.data, signal);
      const issues = read.error.issues.slice(0, 5).map(({ path, message }) => `/${path.join('/')}: ${message}`);
      return toolError('arguments_invalid', issues.join('; ').slice(0, 1_000));
    },
  };
}

export function toolError(code: string, message: string): ToolError {
  return { kind: 'error', code, message };
}

export function toolResult(result: Json): ToolAnswer {
  return { kind: 'result', result };
}
