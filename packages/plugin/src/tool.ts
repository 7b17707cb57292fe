import type { CallableTool } from './batch/batch-abilities.ts';
import type { Item } from './batch/define-item.ts';
import type { JsonSchemaObject } from './to-json-schema.ts';
import type { ToolContext } from './tool-context.ts';
import type { ToolCost } from './tool-cost.ts';
import type { ToolRate } from './tool-rate.ts';
import type { ToolUi } from './tool-ui.ts';
import type { MaybePromise } from './values/maybe-promise.ts';

/** Whether a tool may, must or must not run as a task. */
export type TaskSupport = 'forbidden' | 'optional' | 'required';

/** An ability of the client that a tool may need. */
export type RequiredAbility = 'elicitation' | 'sampling' | 'roots';

/** Hints for hosts (2025-11-25 schema, ToolAnnotations). */
export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

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
  /** May be absent. */
  readonly ui?: ToolUi | null;
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

/** A tool that still knows its types at compile time, for the test kit and `ctx`. */
export interface TypedTool<Input, Output> extends Tool, CallableTool<Input, Output> {}

/** True for what `defineTool` returned, also from another copy of this package. */
export function isTool(value: unknown): value is Tool {
  return (
    typeof value === 'object' &&
    value !== null &&
    'longshoreTool' in value &&
    value.longshoreTool === 1
  );
}
