import type { TypedTool } from '../tool.ts';
import { type Recording, type RunOptions, recordedContext } from './recorded-context.ts';
import { fitting } from './tool-schema-error.ts';

/** A run that has started. What it records fills while it runs. */
export interface ToolRun<Output> extends Recording {
  /** Settles as the run does; rejects with whatever the tool threw. */
  readonly output: Promise<Output>;
  /** Fires the tool's `ctx.signal`, as a cancellation does. */
  abort(reason?: unknown): void;
}

/** A run that has ended well. */
export interface FinishedToolRun<Output> extends Recording {
  readonly output: Output;
}

/**
 * Starts a tool in memory, as a worker would: input and output are checked against the schemas.
 * Nothing else of a worker is there: no time-out, no retry, no throttling of progress.
 *
 * `output` rejects with ToolSchemaError when a side does not fit, and as the run did otherwise.
 */
export function startTool<Input, Output>(
  tool: TypedTool<Input, Output>,
  input: Input,
  options: RunOptions = {},
): ToolRun<Output> {
  const controller = new AbortController();
  const signal =
    options.signal === undefined
      ? controller.signal
      : AbortSignal.any([controller.signal, options.signal]);
  const { ctx, recording } = recordedContext(options, signal);
  const run = async (): Promise<unknown> => {
    const parsed = fitting(`tool '${tool.name}'`, 'input', () => tool.parseInput(input));
    const returned = await tool.run(parsed, ctx);
    const { parseOutput } = tool;
    return parseOutput === null
      ? returned
      : fitting(`tool '${tool.name}'`, 'output', () => parseOutput(returned));
  };
  return {
    ...recording,
    // `defineTool` tied the type to the schemas that were just applied.
    output: run() as Promise<Output>,
    abort: (reason) => controller.abort(reason),
  };
}

/**
 * Runs a tool in memory and waits for its end.
 *
 * @throws {ToolSchemaError} the input or what the tool returned does not fit its schema
 * @throws whatever the tool throws
 */
export async function runTool<Input, Output>(
  tool: TypedTool<Input, Output>,
  input: Input,
  options: RunOptions = {},
): Promise<FinishedToolRun<Output>> {
  const { output, abort: _abort, ...recording } = startTool(tool, input, options);
  return { ...recording, output: await output };
}
