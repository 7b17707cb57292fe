import * as z from 'zod';
import type { ClientContext } from './client-context.ts';
import { getTask, type TaskState } from './follow-task.ts';
import { statusOf } from './jobs.ts';
import { localTime } from './local-time.ts';
import { showResult } from './show-result.ts';
import { cellOf, fittingTable } from './table.ts';
import { type Event, type History, taskHistory } from './task-history.ts';

const LogData = z.object({ level: z.string(), data: z.unknown() });
const FailedItem = z.looseObject({
  batch: z.string().optional(),
  index: z.number(),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
});
type FailedItem = z.output<typeof FailedItem>;

/** Of one value or message, in UTF-16 units; `--json` has all of it. */
const MOST_TEXT = 500;

/** Lines of logs and failed items that are shown; all of them can be fetched. */
const MOST_LINES = 10;

/** Digits of a worker's id that tell it from the others there are. */
const WORKER_DIGITS = 8;

/** `tasks show ID`. @returns the exit code */
export async function showTaskCommand(context: ClientContext, taskId: string): Promise<number> {
  const { client, print, isJson, stop } = context;
  const task = await getTask(client, taskId);
  const history = await taskHistory(client, taskId, stop);
  const failed = await failedItems(context, taskId);
  if (isJson) {
    const { resultType: _wire, _meta, ...shown } = task;
    const { task: _job, ...past } = history ?? {};
    print(JSON.stringify({ ...shown, ...past, failed_items: failed }, null, 2));
  } else print(describe(context, { task, history, failed }));
  return 0;
}

/** The first of them; none as well when the task is no batch. */
async function failedItems(
  { client, stop }: ClientContext,
  taskId: string,
): Promise<readonly FailedItem[]> {
  const path = `tasks/${encodeURIComponent(taskId)}/items.ndjson?status=failed`;
  const left = new AbortController();
  const response = await client.download(path, AbortSignal.any([stop, left.signal]));
  if (!response.ok || response.body === null) return [];
  const found: FailedItem[] = [];
  let text = '';
  try {
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      const lines = `${text}${chunk}`.split('\n');
      text = lines.pop() ?? '';
      found.push(...lines.map((line) => FailedItem.parse(JSON.parse(line))));
      if (found.length > MOST_LINES) break;
    }
  } finally {
    left.abort();
  }
  return found.slice(0, MOST_LINES + 1);
}

function describe(
  { again, columns }: ClientContext,
  {
    task,
    history,
    failed,
  }: {
    readonly task: TaskState;
    readonly history: History | null;
    readonly failed: readonly FailedItem[];
  },
): string {
  const { taskId, status, statusMessage, createdAt, lastUpdatedAt, result, error } = task;
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['id', taskId],
    ['tool', history?.task.tool],
    ['status', history === null ? status : statusOf(history.task)],
    ['waits for', history?.waits_for],
    ['says', statusMessage],
    ['created', localTime(createdAt)],
    ['updated', localTime(lastUpdatedAt)],
    ['arguments', history === null ? undefined : JSON.stringify(history.arguments)],
  ];
  const sections = [
    facts
      .filter(([, value]) => value !== undefined && value !== '')
      .map(([label, value = '']) => `${label.padEnd(10)} ${cellOf(value, MOST_TEXT)}`),
    history === null ? [] : attemptLines(history, columns),
    history === null ? [] : logLines(history),
    itemLines(failed, again(`tasks items ${taskId} --failed`)),
    result === undefined ? [] : [showResult(result, { isJson: false, again })],
    error === undefined ? [] : [`error ${error.code}: ${error.message}`],
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

/** A row for each attempt that is known: when it began, where, and how it ended. */
function attemptLines(
  { events, lost_workers, attempt }: History,
  columns: number | null,
): string[] {
  const begun = events.filter(({ kind }) => kind === 'started');
  if (begun.length === 0) return [];
  const rows = begun.map((start) => {
    const own = events.filter((event) => event.attempt === start.attempt);
    const worker = start.data?.['workerId'];
    const end = own.find(({ kind }) => ENDS.has(kind));
    return [
      String(start.attempt ?? ''),
      typeof worker === 'string' ? worker.slice(0, WORKER_DIGITS) : '',
      localTime(start.at),
      end === undefined
        ? start.attempt === attempt
          ? 'has not ended'
          : 'its worker was lost'
        : endOf(end),
    ];
  });
  const lost = lost_workers === 0 ? [] : [`workers lost: ${lost_workers}`];
  return [fittingTable([['ATTEMPT', 'WORKER', 'BEGAN', 'END'], ...rows], columns), ...lost];
}

const ENDS = new Set(['retried', 'released', 'finished', 'cancelled']);

function endOf({ kind, at, data }: Event): string {
  const time = localTime(at);
  if (kind === 'retried') return `${time} failed: ${String(data?.['error'] ?? '')}`;
  if (kind === 'released') return `${time} given back`;
  if (kind === 'cancelled') return `${time} cancelled`;
  return `${time} ${String(data?.['outcome'] ?? 'finished').replace('_', ' ')}`;
}

function logLines({ events }: History): string[] {
  const logs = events.filter(({ kind }) => kind === 'log');
  const shown = logs.slice(-MOST_LINES).map(({ at, data }) => {
    const { level, data: said } = LogData.parse(data);
    return `${localTime(at)} ${level} ${cellOf(typeof said === 'string' ? said : JSON.stringify(said), MOST_TEXT)}`;
  });
  if (shown.length === 0) return [];
  const head = logs.length > shown.length ? `logs, the last ${shown.length}:` : 'logs:';
  return [head, ...shown];
}

function itemLines(failed: readonly FailedItem[], all: string): string[] {
  if (failed.length === 0) return [];
  const lines = failed.slice(0, MOST_LINES).map(({ batch, index, error }) => {
    const name = batch === undefined ? String(index) : `${batch}/${index}`;
    return `  ${name}  ${error?.code ?? ''} ${cellOf(error?.message ?? '', MOST_TEXT)}`.trimEnd();
  });
  const head =
    failed.length > MOST_LINES ? `failed items, the first ${MOST_LINES}:` : 'failed items:';
  return [head, ...lines, `  ${all}`];
}
