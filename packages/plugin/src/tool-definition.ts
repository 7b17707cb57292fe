import type * as z from 'zod';
import type { Item } from './batch/define-item.ts';
import { checkToolDefinition } from './check-tool-definition.ts';
import type { Middleware } from './middleware.ts';
import { runThrough } from './middleware.ts';
import type { JsonSchemaObject } from './to-json-schema.ts';
import { toJsonSchema } from './to-json-schema.ts';
import type { RequiredAbility, TaskSupport, Tool, ToolAnnotations, TypedTool } from './tool.ts';
import type { ToolContext } from './tool-context.ts';
import type { ToolCost } from './tool-cost.ts';
import type { ToolRate } from './tool-rate.ts';
import type { ToolUi } from './tool-ui.ts';
import type { ContentResult } from './values/content.ts';
import type { MaybePromise } from './values/maybe-promise.ts';

/** How the runs of a tool are handled. Everything has a default. */
export interface TaskPolicy {
  /** `optional` unless said otherwise. */
  readonly support?: TaskSupport;
  /**
   * `run` asks the user something before it works: clients of the newest protocol then answer those first
   * questions within the call, and get a task only for the work that follows.
   */
  readonly asksFirst?: boolean;
  /**
   * Longest run of one attempt, in milliseconds; 10 minutes unless said otherwise. Waiting for answers of
   * the client does not count.
   */
  readonly timeoutMs?: number;
  /** Runs allowed before an error becomes the result; 1 unless said otherwise. */
  readonly attempts?: number;
  /** Delay before a retry: exponential from `baseMs` (1 s) by `factor` (2) up to `maxMs` (60 s). */
  readonly backoff?: {
    readonly baseMs?: number;
    readonly factor?: number;
    readonly maxMs?: number;
  };
  /** From creation until the task is failed whatever it does, in milliseconds; none by default. */
  readonly deadlineMs?: number;
  /** Name of the queue its runs go through; `default` unless said otherwise. */
  readonly queue?: string;
  /**
   * `thread`: each run has a thread of its own, for tools that compute. What other tools do goes on meanwhile,
   * and a run that does not stop when its signal fires is ended.
   */
  readonly isolate?: 'thread';
  /** Runs at once over all workers; as many as there are seats unless said otherwise. */
  readonly concurrency?: number;
  /**
   * Runs that start within a period over all workers, attempts and items of batches included; as many as can
   * unless said otherwise. The others wait for their start, in their places and within their time-outs.
   */
  readonly rate?: ToolRate;
  /** About what a run costs, for whoever chooses among tools. */
  readonly cost?: ToolCost;
  /** What a model is told while the task runs. */
  readonly immediateResponse?: string;
}

/** `T` with everything in it readonly, so that constants may be returned as well. */
export type ReadonlyDeep<T> = T extends readonly (infer Element)[]
  ? readonly ReadonlyDeep<Element>[]
  : T extends object
    ? { readonly [Key in keyof T]: ReadonlyDeep<T[Key]> }
    : T;

/** What `run` may return: what fits the output schema, or text or content blocks without one. */
export type ToolReturn<Output extends z.ZodType | undefined> = Output extends z.ZodType
  ? ReadonlyDeep<z.input<Output>>
  : string | ContentResult;

/** What an author hands to `defineTool`. */
export interface ToolDefinition<
  Input extends z.ZodType,
  Output extends z.ZodType | undefined = undefined,
  // A parameter of its own, because a literal such as 'done' keeps its type only against a constraint.
  Returned extends ToolReturn<Output> = ToolReturn<Output>,
> {
  /** 1 to 128 characters of `[A-Za-z0-9_.-]`, unique among all tools of the server. */
  readonly name: string;
  readonly title?: string;
  /** For the model: what it does, when to use it. Required. */
  readonly description: string;
  /** A zod object schema of the arguments. */
  readonly input: Input;
  /**
   * A JSON Schema 2020-12 to publish instead of the one that is made of `input`, for what zod can not
   * express, such as `if` and `then`. Arguments are checked against it, and then parsed by `input`.
   */
  readonly inputJsonSchema?: JsonSchemaObject;
  /** A zod object schema of the result. With it, what `run` returns is checked; without, it is text. */
  readonly output?: Output;
  readonly annotations?: ToolAnnotations;
  /** Of the tool, such as `2.1.0`: up to 64 characters. Shown to clients and operators; nothing depends on it. */
  readonly version?: string;
  /** What to use instead, for whom: the tool works as ever, and says so wherever it is listed. */
  readonly deprecated?: string;
  /** Abilities of the client without which the tool is not even started. */
  readonly requires?: readonly RequiredAbility[];
  /** What `run` maps over many items with `ctx.map`, made by `defineItem`. */
  readonly items?: readonly Item[];
  readonly task?: TaskPolicy;
  /** A card of the tool's own, for hosts that show such pages; in place of the one that shows jobs. */
  readonly ui?: ToolUi;
  /** Runs around each run, the outermost first, inside of the module's and the plugin's. */
  readonly middleware?: readonly Middleware<z.output<NoInfer<Input>>>[];
  run(input: z.output<Input>, ctx: ToolContext): MaybePromise<Returned>;
}

/** A tool whose results have a schema. */
export type StructuredTool<Input extends z.ZodType, Output extends z.ZodType> = ToolDefinition<
  Input,
  Output
>;

/** A tool that answers with text or content blocks. */
export type ContentTool<Input extends z.ZodType> = ToolDefinition<Input>;

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
    ui: definition.ui ?? null,
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
