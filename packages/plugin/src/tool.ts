import type * as z from 'zod';
import type { Item } from './batch/define-item.ts';
import { checkToolDefinition } from './check-tool-definition.ts';
import type { ContentResult } from './content.ts';
import { runThrough } from './middleware.ts';
import { type JsonSchemaObject, toJsonSchema } from './to-json-schema.ts';
import type { ToolContext } from './tool-context.ts';
import type { ToolCost } from './tool-cost.ts';
import type {
  MaybePromise,
  RequiredAbility,
  TaskSupport,
  ToolAnnotations,
  ToolDefinition,
  ToolReturn,
} from './tool-definition.ts';
import type { ToolRate } from './tool-rate.ts';

/** A checked tool, its types forgotten and its defaults filled in: what a worker runs. */
export interface Tool {
  /** How a worker knows a tool among a module's exports, whichever copy of this package made it. */
  readonly longshoreTool: 1;
  readonly name: string;
  readonly title: string | null;
  readonly description: string;
  readonly inputSchema: JsonSchemaObject;
  readonly outputSchema: JsonSchemaObject | null;
  readonly annotations: ToolAnnotations | null;
  readonly requires: readonly RequiredAbility[];
  /** Absent, as what says so below, in tools of older copies of this package. */
  readonly items?: readonly Item[];
  /** The author's own name of the version; may be absent. */
  readonly version?: string | null;
  /** What to use instead; may be absent. */
  readonly deprecated?: string | null;
  readonly policy: {
    readonly support: TaskSupport;
    readonly asksFirst: boolean;
    readonly timeoutMs: number;
    readonly attempts: number;
    readonly backoff: { readonly baseMs: number; readonly factor: number; readonly maxMs: number };
    readonly deadlineMs: number | null;
    readonly queue: string;
    /** `thread`: runs in a thread of its own. */
    readonly isolate: 'thread' | null;
    /** Runs at once over all workers; null: as many as there are seats. */
    readonly concurrency: number | null;
    /** Runs that start within a period over all workers; may be absent. */
    readonly rate?: ToolRate | null;
    /** May be absent. */
    readonly cost?: ToolCost | null;
    readonly immediateResponse: string | null;
  };
  /** @throws {z.ZodError} when the arguments do not fit */
  parseInput(value: unknown): unknown;
  /** @throws {z.ZodError} when the result does not fit; null for tools without an output schema */
  readonly parseOutput: ((value: unknown) => unknown) | null;
  run(input: unknown, ctx: ToolContext): MaybePromise<unknown>;
}

/** A tool that still knows its types at compile time, for the test kit. There is no `~types` at run time. */
export interface TypedTool<Input, Output> extends Tool {
  readonly '~types'?: { readonly input: Input; readonly output: Output };
}

/**
 * Defines a tool. Mistakes show when the module loads, with a message that says what to write instead;
 * a `run` that returns another shape than `output` does not compile.
 *
 * @throws {PluginDefinitionError} wrong name, no description, a schema that is no object, bad policy
 */
export function defineTool<
  Input extends z.ZodType,
  Output extends z.ZodType | undefined = undefined,
  const Returned extends ToolReturn<Output> = ToolReturn<Output>,
>(
  definition: ToolDefinition<Input, Output, Returned>,
): TypedTool<z.input<Input>, Output extends z.ZodType ? z.output<Output> : string | ContentResult> {
  checkToolDefinition(definition);
  const { name, input, output, task = {}, middleware = [] } = definition;
  const label = `tool '${name}'`;
  const inputSchema = toJsonSchema(label, 'input', input, 'input');
  const tool: Tool = {
    longshoreTool: 1,
    name,
    title: definition.title ?? null,
    description: definition.description,
    inputSchema: definition.inputJsonSchema ?? inputSchema,
    outputSchema: output === undefined ? null : toJsonSchema(label, 'output', output, 'output'),
    annotations: definition.annotations ?? null,
    requires: definition.requires ?? [],
    items: definition.items ?? [],
    version: definition.version ?? null,
    deprecated: definition.deprecated ?? null,
    policy: {
      support: task.support ?? 'optional',
      asksFirst: task.asksFirst ?? false,
      timeoutMs: task.timeoutMs ?? 600_000,
      attempts: task.attempts ?? 1,
      backoff: {
        baseMs: task.backoff?.baseMs ?? 1_000,
        factor: task.backoff?.factor ?? 2,
        maxMs: task.backoff?.maxMs ?? 60_000,
      },
      deadlineMs: task.deadlineMs ?? null,
      queue: task.queue ?? 'default',
      isolate: task.isolate ?? null,
      concurrency: task.concurrency ?? null,
      rate: task.rate ?? null,
      cost: task.cost ?? null,
      immediateResponse: task.immediateResponse ?? null,
    },
    parseInput: (value) => input.parse(value),
    parseOutput: output === undefined ? null : (value) => output.parse(value),
    // The caller hands in what parseInput returned; parsing again would run transforms twice.
    run: (value, ctx) => definition.run(value as z.output<Input>, ctx),
  };
  if (middleware.length === 0) return tool;
  return {
    ...tool,
    run: (value, ctx) => runThrough(middleware, tool, value as z.output<Input>, ctx),
  };
}

/** True for what `defineTool` returned, also from another copy of this package. */
export function isTool(value: unknown): value is Tool {
  return (
    typeof value === 'object' &&
    value !== null &&
    'longshoreTool' in value &&
    value.longshoreTool === 1
  );
}
