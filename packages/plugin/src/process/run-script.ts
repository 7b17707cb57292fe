import * as z from 'zod';
import type { ToolContext } from '../tool-context.ts';
import { ToolError } from '../tool-error.ts';
import type { Json } from '../values/json.ts';
import { ProcessFailed, type ProcessOptions, runProcess } from './run-process.ts';

export interface ScriptOptions extends Omit<ProcessOptions, 'signal' | 'onLine' | 'input'> {
  /** Written to its standard input as JSON, in one line. */
  readonly input?: Json;
}

/** What a script says, each a line of JSON. */
const Message = z.union([
  z.object({
    progress: z.number(),
    total: z.number().optional(),
    message: z.string().optional(),
  }),
  z.object({ status: z.string() }),
  z.object({
    log: z.string(),
    level: z
      .enum(['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'])
      .default('info'),
  }),
  z.object({ error: z.string() }),
  z.object({ result: z.json() }),
]);

/**
 * Runs a program in any language as (a part of) a tool. It reads its input from standard input and writes lines of
 * JSON to standard output: `{"progress": 1, "total": 9, "message": "…"}`, `{"status": "…"}`,
 * `{"log": "…", "level": "warning"}`, and at last `{"result": …}` or `{"error": "…"}`. Other lines are logged. It is
 * ended when the run is stopped.
 *
 * @returns its result, to be checked by the tool's output schema or one of yours
 * @throws {ToolError} what it said as `error`
 * @throws {ProcessFailed} it ended badly, or without a result
 * @throws the signal's reason once that has fired
 */
export async function runScript(
  ctx: ToolContext,
  command: string,
  args: readonly string[],
  options: ScriptOptions = {},
): Promise<Json> {
  const { input, ...more } = options;
  let result: { readonly value: Json } | null = null;
  await runProcess(command, args, {
    ...more,
    signal: ctx.signal,
    ...(input === undefined ? {} : { input: `${JSON.stringify(input)}\n` }),
    onLine: (line) => {
      const said = Message.safeParse(parsed(line)).data;
      if (said === undefined) {
        if (line.trim() !== '') ctx.log.info(line);
      } else if ('progress' in said) {
        ctx.progress(said.progress, said.total, said.message);
      } else if ('status' in said) {
        ctx.statusMessage(said.status);
      } else if ('log' in said) {
        ctx.log[said.level](said.log);
      } else if ('error' in said) {
        throw new ToolError(said.error);
      } else {
        result = { value: said.result };
      }
    },
  });
  return resultOf(result, command);
}

function resultOf(result: { readonly value: Json } | null, command: string): Json {
  if (result !== null) return result.value;
  throw new ProcessFailed(`${command} ended without a line {"result": …}`, {
    exitCode: 0,
    errorOutput: '',
  });
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
