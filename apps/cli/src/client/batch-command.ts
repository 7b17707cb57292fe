import * as z from 'zod';
import { CliError, EXIT } from './cli-error.ts';
import type { ClientContext } from './client-command.ts';
import { readItems } from './read-items.ts';
import { requireTool, runAsTask } from './run-as-task.ts';

const BATCH_TOOL = 'batch';
const Counts = z.object({ failed: z.number(), stopped: z.boolean().optional() });

/** `batch TOOL`. @returns the exit code */
export async function batchCommand(context: ClientContext): Promise<number> {
  const { command } = context;
  const [tool = ''] = command.positionals;
  const [file, itemsFrom] = [command.text('items'), command.text('items-from')];
  if ((file === undefined) === (itemsFrom === undefined)) {
    throw new CliError(EXIT.usage, 'batch needs --items FILE or --items-from PATH, one of them');
  }
  const numbers = {
    concurrency: numberOf('concurrency', command.text('concurrency')),
    stop_after_failures: numberOf('stop-after', command.text('stop-after')),
  };
  // Once without types: a file that can not be read needs no server.
  if (file !== undefined) readItems(file, null);
  const schema = await requireTool(context, tool);
  await requireTool(context, BATCH_TOOL);
  const source =
    file === undefined ? { items_from: itemsFrom } : { items: readItems(file, schema) };
  const results = command.text('results');
  const given = Object.entries({ ...numbers, result_mode: results }).filter(
    ([, value]) => value !== undefined,
  );
  const args = { tool, ...source, ...Object.fromEntries(given) };
  return runAsTask(context, { name: BATCH_TOOL, arguments: args }, ({ structuredContent }) => {
    const counts = Counts.safeParse(structuredContent).data;
    return counts !== undefined && (counts.failed > 0 || counts.stopped === true);
  });
}

/** @throws {CliError} */
export function numberOf(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new CliError(EXIT.usage, `--${option} '${text}' is no whole number above 0`);
}
