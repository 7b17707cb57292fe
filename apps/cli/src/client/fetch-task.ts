import { randomUUID } from 'node:crypto';
import { createWriteStream, existsSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import * as z from 'zod';
import { CliError, EXIT } from './cli-error.ts';
import type { ClientContext } from './client-context.ts';
import { getTask } from './follow-task.ts';
import { AwayError } from './mcp-client.ts';
import { printEnd } from './run-as-task.ts';

/** With `-o`: null is standard output. */
interface OutOptions {
  readonly out?: string | undefined;
}

const CallToolResult = z.record(z.string(), z.unknown());
const FileLinks = z.object({ content: z.array(z.looseObject({ uri: z.string().optional() })) });

/** `tasks result ID`. @returns the exit code */
export async function taskResultCommand(context: ClientContext, taskId: string): Promise<number> {
  const { client, stop, again } = context;
  const task = await getTask(client, taskId);
  if (task.status === 'working' || task.status === 'input_required') {
    throw new CliError(
      EXIT.failed,
      `task ${taskId} has no result yet, it is ${task.status}. Wait for it: ${again(`tasks tail ${taskId}`)}`,
    );
  }
  if (task.result === undefined) return printEnd(context, task);
  // What tasks/get has of a large one is a preview.
  const whole = await client.download(`tasks/${encodeURIComponent(taskId)}/result`, stop);
  if (!whole.ok) throw notThere(whole, `task ${taskId} has no result that could be read`);
  return printEnd(context, { ...task, result: CallToolResult.parse(await whole.json()) });
}

/** `tasks items ID`. @returns the exit code */
export async function taskItemsCommand(
  context: ClientContext,
  taskId: string,
  options: OutOptions & { readonly failed?: true | undefined; readonly csv?: true | undefined },
): Promise<number> {
  const format = options.csv === true ? 'csv' : 'ndjson';
  const query = options.failed === true ? '?status=failed' : '';
  const address = `tasks/${encodeURIComponent(taskId)}/items.${format}${query}`;
  const response = await context.client.download(address, context.stop);
  if (!response.ok) throw notThere(response, `task ${taskId} has no items: it is no batch`);
  await save(response, options.out ?? '-', context);
  return 0;
}

/** `tasks download ID [NAME]`. @returns the exit code */
export async function downloadCommand(
  context: ClientContext,
  taskId: string,
  name: string | undefined,
  { out }: OutOptions,
): Promise<number> {
  const { client, stop } = context;
  const wanted = name ?? (await onlyFile(context, taskId));
  const address = `tasks/${encodeURIComponent(taskId)}/files/${encodeURIComponent(wanted)}`;
  const response = await client.download(address, stop);
  if (!response.ok) throw notThere(response, `task ${taskId} has no file '${wanted}'`);
  await save(response, out ?? path.basename(wanted), context);
  return 0;
}

/** @throws {CliError} there is none, or several: with their names */
async function onlyFile({ client, again }: ClientContext, taskId: string): Promise<string> {
  const { result } = await getTask(client, taskId);
  const links = FileLinks.safeParse(result).data?.content ?? [];
  const start = `longshore://tasks/${taskId}/files/`;
  const names = links.flatMap(({ uri = '' }) =>
    uri.startsWith(start) ? [decodeURIComponent(uri.slice(start.length))] : [],
  );
  const [only, ...others] = [...new Set(names)];
  if (only !== undefined && others.length === 0) return only;
  throw new CliError(
    only === undefined ? EXIT.failed : EXIT.usage,
    only === undefined
      ? `the result of task ${taskId} names no files: see ${again(`tasks show ${taskId}`)}`
      : `task ${taskId} has several files, say which one: ${[only, ...others].join(', ')}`,
  );
}

/** Whole or not at all: a file that is there already is not written over. */
async function save(response: Response, out: string, context: ClientContext): Promise<void> {
  const { stdout, stderr, stop } = context;
  if (out === '-') {
    await copy(response, stdout, stop, { end: false });
    return;
  }
  if (existsSync(out)) {
    throw new CliError(EXIT.usage, `${out} is there already: name another file with -o`);
  }
  const part = `${out}.${randomUUID()}.part`;
  try {
    await copy(response, createWriteStream(part, { flags: 'wx' }), stop, { end: true });
    renameSync(part, out);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
  stderr.write(`wrote ${out}\n`);
}

async function copy(
  { body }: Response,
  to: NodeJS.WritableStream,
  signal: AbortSignal,
  options: { readonly end: boolean },
): Promise<void> {
  if (body === null) return;
  let fromServer: unknown = null;
  const from = Readable.fromWeb(body).once('error', (error) => {
    fromServer = error;
  });
  try {
    await pipeline(from, to, { signal, ...options });
  } catch (cause) {
    signal.throwIfAborted();
    const reason = cause instanceof Error ? cause.message : String(cause);
    if (fromServer !== null) {
      throw new AwayError(`the connection broke before the end (${reason}): try again`, { cause });
    }
    throw new CliError(EXIT.usage, `it can not be written: ${reason}`, { cause });
  }
}

function notThere({ status }: Response, what: string): CliError {
  return new CliError(
    EXIT.failed,
    status === 404 ? what : `${what} (the server answers with HTTP status ${status})`,
  );
}
