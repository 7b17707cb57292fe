import type { JsonObject } from './json.ts';

/** Whether a tool may, must or must not run as a task (2025-11-25 `execution.taskSupport`). */
export type TaskSupport = 'forbidden' | 'optional' | 'required';

/** Delay before attempt n+1: `min(maxMs, baseMs * factor^(n-1))`, then jitter. */
export interface Backoff {
  readonly baseMs: number;
  readonly factor: number;
  readonly maxMs: number;
}

/** Runs that may start within a period, over all workers. */
export interface ToolRate {
  readonly starts: number;
  /** Milliseconds. */
  readonly perMs: number;
}

/** How attempts of a tool are run. */
export interface ToolPolicy {
  readonly queue: string;
  readonly timeoutMs: number;
  readonly maxAttempts: number;
  readonly backoff: Backoff;
  readonly deadlineMs: number | null;
  /** Runs at once over all workers; null: as many as there are seats. */
  readonly concurrency: number | null;
  /** Runs that start within a period over all workers; null: as many as can. */
  readonly rate: ToolRate | null;
}

/** About what a run of a tool costs, as its author says. */
export interface ToolCost {
  /** In `unit`; absent when the note says it. */
  readonly amount?: number | undefined;
  readonly unit: string;
  readonly note?: string | undefined;
}

/** A tool as a worker announces it and the API lists it. */
export interface AnnouncedTool {
  /** 1 to 128 characters of `[A-Za-z0-9_.-]` (2025-11-25 server/tools). */
  readonly name: string;
  readonly title: string | null;
  readonly description: string;
  /** JSON Schema 2020-12, root type object. */
  readonly inputSchema: JsonObject;
  readonly outputSchema: JsonObject | null;
  /** MCP ToolAnnotations, as the author gave them. */
  readonly annotations: JsonObject | null;
  readonly taskSupport: TaskSupport;
  /** The tool's first questions are put before a task is made of the call (2026-07-28 MRTR). */
  readonly asksFirst: boolean;
  /** Without these abilities of the client the tool is not even started. */
  readonly requires: readonly ('elicitation' | 'sampling' | 'roots')[];
  /** Text for the model while the task runs (`model-immediate-response`); null: a general one. */
  readonly immediateResponse: string | null;
  readonly policy: ToolPolicy;
  /** The author's own name of the tool's version. */
  readonly version: string | null;
  /** What to use instead; null: it is not deprecated. */
  readonly deprecated: string | null;
  readonly cost: ToolCost | null;
  /** URI of the plugin's own card; null: it has none. */
  readonly card: string | null;
  /**
   * Same for all tools of this name that take the same arguments and give the same results; tasks are run by
   * the version they were accepted for. Null: of a worker that does not tell.
   */
  readonly fingerprint: string | null;
  /** The plugin's package name and version, for operators. */
  readonly plugin: string;
  readonly pluginVersion: string;
}
