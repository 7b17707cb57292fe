import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientContext } from '../client/client-context.ts';
import { AwayError } from '../client/mcp-client.ts';
import type { Output } from '../client/progress-line.ts';
import { OperatorApi } from './operator-api.ts';
import { recentPast } from './recent-past.ts';
import { type Fleet, viewOf } from './top-view.ts';

const EVERY_MS = 2_000;

/** A screen of its own without a cursor, so that leaving shows what was there before. */
const ENTER = '\u001B[?1049h\u001B[?25l';
const LEAVE = '\u001B[?25h\u001B[?1049l';
const HOME = '\u001B[H';
const REST_OF_LINE = '\u001B[K';
const REST_OF_SCREEN = '\u001B[J';
const CTRL_C = '\u0003';

/** `top`. @returns the exit code */
export async function topCommand(
  context: ClientContext,
  { once }: { readonly once?: true | undefined },
): Promise<number> {
  const { print, isJson, columns, client, keyboard, stop, stdout } = context;
  const left = new AbortController();
  const leave = AbortSignal.any([stop, left.signal]);
  const api = new OperatorApi(context, leave);
  // What is wrong from the beginning is said as by any other command.
  const fleet = await look(api);
  if (isJson || once === true || columns === null) {
    const { url } = client.server;
    print(isJson ? JSON.stringify(fleet, null, 2) : viewOf(url, fleet, columns).join('\n'));
    return 0;
  }
  const release = keyboard?.((key) => {
    if (key === 'q' || key === 'Q' || key === CTRL_C) left.abort();
  });
  stdout.write(ENTER);
  try {
    await watch(context, api, fleet, leave);
  } catch (error) {
    if (!leave.aborted) throw error;
  } finally {
    release?.();
    stdout.write(LEAVE);
  }
  return 0;
}

/** Draws what it sees, until `leave` fires, over a server that goes away as well. */
async function watch(
  { client, stdout }: ClientContext,
  api: OperatorApi,
  first: Fleet,
  leave: AbortSignal,
): Promise<void> {
  let seen = { fleet: first, trouble: null as string | null };
  for (;;) {
    draw(stdout, client.server.url, seen);
    await sleep(EVERY_MS, undefined, { signal: leave });
    try {
      seen = { fleet: await look(api), trouble: null };
    } catch (error) {
      if (!(error instanceof AwayError)) throw error;
      seen = {
        ...seen,
        trouble: `${client.server.url} does not answer; this is what was last seen`,
      };
    }
  }
}

function draw(
  stdout: Output,
  url: string,
  { fleet, trouble }: { readonly fleet: Fleet; readonly trouble: string | null },
): void {
  // A terminal that does not say how large it is has 0 columns and rows.
  const columns = stdout.columns || 80;
  const rows = stdout.rows || 24;
  const lines = [...(trouble === null ? [] : [trouble]), ...viewOf(url, fleet, columns - 1)];
  const room = rows - 1;
  const shown =
    lines.length < room
      ? lines
      : [...lines.slice(0, room - 2), `... ${lines.length - room + 2} more lines`];
  const text = [...shown, 'q leaves'].map((line) => `${line}${REST_OF_LINE}\n`).join('');
  stdout.write(`${HOME}${text}${REST_OF_SCREEN}`);
}

async function look(api: OperatorApi): Promise<Fleet> {
  const [overview, stats, { queues }, { workers }] = await Promise.all([
    api.call('GET /overview'),
    api.call('GET /stats', { query: { range: '1h' } }),
    api.call('GET /queues'),
    api.call('GET /workers'),
  ]);
  return { overview, recent: recentPast(stats), queues, workers };
}
