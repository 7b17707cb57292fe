import leven from 'leven';
import * as z from 'zod';
import { CliError, EXIT } from './cli-error.ts';
import type { ClientContext } from './client-context.ts';

const Tool = z.looseObject({
  name: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  inputSchema: z.record(z.string(), z.unknown()),
});
export type Tool = z.output<typeof Tool>;

const Tools = z.object({ tools: z.array(Tool), nextCursor: z.string().optional() });

/** More pages of tools than any server has. */
const MAX_PAGES = 1_000;

/** The tools the caller may call, by name. */
export async function listTools({ client, stop }: ClientContext): Promise<Tool[]> {
  const found: Tool[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const { tools, nextCursor } = Tools.parse(
      await client.request('tools/list', params, { signal: stop }),
    );
    found.push(...tools);
    if (nextCursor === undefined) break;
    cursor = nextCursor;
  }
  return found.sort((a, b) => a.name.localeCompare(b.name));
}

/** @throws {CliError} there is no such tool: with the names that are near, or that no worker runs */
export async function requireTool(context: ClientContext, name: string): Promise<Tool> {
  const tools = await listTools(context);
  const found = tools.find((tool) => tool.name === name);
  if (found !== undefined) return found;
  throw noSuchTool(
    context,
    name,
    tools.map((tool) => tool.name),
  );
}

function noSuchTool({ again }: ClientContext, name: string, names: readonly string[]): CliError {
  // What the API does itself is there without anybody.
  const ofWorkers = names.filter((known) => !known.startsWith('job_'));
  if (ofWorkers.length === 0) {
    return new CliError(
      EXIT.failed,
      `no worker is running, or none with tools that this caller may call, so nobody can run '${name}'. Start one with "longshore worker", or look with "longshore doctor".`,
    );
  }
  const near = nearNames(name, names);
  const hint =
    near.length > 0
      ? `Did you mean ${near.join(', ')}?`
      : `There are: ${ofWorkers.join(', ')}. See ${again('tools list')}.`;
  return new CliError(EXIT.usage, `the server has no tool '${name}'. ${hint}`);
}

/** Up to three of `names` that somebody who typed `wanted` may have meant, the nearest first. */
export function nearNames(wanted: string, names: readonly string[]): string[] {
  const limit = Math.max(2, Math.floor(wanted.length / 3));
  return names
    .map((name) => ({ name, distance: leven(wanted.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, distance }) => distance <= limit || name.includes(wanted))
    .sort((a, b) => a.distance - b.distance || a.name.localeCompare(b.name))
    .slice(0, 3)
    .map(({ name }) => name);
}
