import {
  type CountedBatch,
  type CountedBatches,
  isTerminal,
  type JsonObject,
  type PrincipalId,
  type Task,
} from '@longshore/core';
import { encodeItemCursor, type ItemCursor, legacyStatus } from '@longshore/protocol';
import type { ItemEntry } from '../contents/item-entry.ts';
import { itemsPage } from '../contents/items-page.ts';
import type { TaskItems } from '../contents/task-items.ts';
import { callOf, jobFacts, PAGE_UNITS } from '../tasks/job-text.ts';

/** Of failed items whose reasons a summary counts. */
const SUMMARY_BYTES = 65_536;

/** Reasons that a summary tells, the first ones. */
const MOST_REASONS = 5;

/** Items that a reason names. */
const MOST_INDEXES = 5;

/** UTF-16 units of a message in a summary. */
const REASON_UNITS = 300;

/** A job over many items. */
export interface ItemsJob {
  readonly task: Task;
  readonly counts: CountedBatches;
  readonly items: TaskItems;
  readonly owner: PrincipalId;
}

interface Reason {
  readonly code: string;
  readonly message: string;
  count: number;
  readonly items: { readonly batch?: string; readonly index: number }[];
}

/** How many items came to what, and why the first ones failed. */
export async function itemsSummary(job: ItemsJob): Promise<JsonObject> {
  const { task, counts } = job;
  const { looked, reasons } = await failures(job);
  const { failed } = sums(counts);
  const lines = [headLine(task), ...counts.batches.map((batch) => batchLine(batch, counts))];
  if (reasons.length > 0) {
    lines.push(looked < failed ? `Why the first ${looked} failed:` : 'Why they failed:');
    const shown = reasons.slice(0, MOST_REASONS);
    lines.push(...shown.map(reasonLine));
    if (shown.length < reasons.length)
      lines.push(`- ${reasons.length - shown.length} other reasons`);
  }
  lines.push(nextSteps(job, 'summary'));
  return {
    content: [{ type: 'text', text: lines.join('\n') }],
    structuredContent: {
      job: jobFacts(task),
      batches: counts.batches.map(({ key, items, done, failed: bad, stopped }) => ({
        key,
        items,
        done,
        failed: bad,
        stopped,
      })),
      reasons: reasons.slice(0, MOST_REASONS).map(({ code, message, count, items }) => ({
        code,
        message,
        count,
        first_items: items.map((item) => ({ ...item })),
      })),
    },
  };
}

/**
 * A page of items, a line of JSON each.
 *
 * @param from null: from the first one on
 * @throws {LongshoreError} INVALID_CURSOR
 */
export async function itemsList(
  job: ItemsJob,
  status: 'all' | 'failed',
  from: ItemCursor | null,
): Promise<JsonObject> {
  const { task, counts, items, owner } = job;
  const wanted = { taskId: task.id, status, key: null };
  const page = await itemsPage(items, owner, wanted, from, PAGE_UNITS);
  const { entries = [], next = null } = page ?? {};
  const { done, failed } = sums(counts);
  const [what, mode, of] =
    status === 'failed'
      ? ['failed items', 'failures_only', failed]
      : ['items', 'all', done + failed];
  const cursor = next === null ? null : encodeItemCursor(next);
  const head = [
    headLine(task),
    `This page has ${entries.length} of ${of} ${what}${counts.isSettled ? '' : ' so far'}.`,
    cursor === null
      ? nextSteps(job, mode)
      : `Call ${callOf('job_result', { task_id: task.id, mode, cursor })} for the next ones.`,
  ].join(' ');
  return {
    content: [
      { type: 'text', text: head },
      ...(entries.length === 0 ? [] : [{ type: 'text', text: entries.join('\n') }]),
    ],
    structuredContent: {
      job: jobFacts(task),
      ...(cursor === null ? {} : { next_cursor: cursor }),
    },
  };
}

/** Reasons in the order in which they come first, of as many failed items as one reading takes. */
async function failures({ task, items, owner }: ItemsJob): Promise<{
  readonly looked: number;
  readonly reasons: readonly Reason[];
}> {
  const wanted = { taskId: task.id, status: 'failed', key: null } as const;
  const page = await itemsPage(items, owner, wanted, null, SUMMARY_BYTES);
  const reasons = new Map<string, Reason>();
  const entries = page?.entries ?? [];
  for (const text of entries) {
    const { batch, index, error }: ItemEntry = JSON.parse(text);
    const { code, message } = error ?? { code: '', message: '' };
    const name = JSON.stringify([code, message]);
    const reason = reasons.get(name) ?? { code, message, count: 0, items: [] };
    reason.count += 1;
    if (reason.items.length < MOST_INDEXES) {
      reason.items.push({ ...(batch === undefined ? {} : { batch }), index });
    }
    reasons.set(name, reason);
  }
  return { looked: entries.length, reasons: [...reasons.values()] };
}

/** Without what the tool said last: the counts that follow are newer. */
function headLine(task: Task): string {
  return `Job ${task.id} (${task.toolName}) is ${legacyStatus(task)}.`;
}

function sums({ batches }: CountedBatches): { readonly done: number; readonly failed: number } {
  return {
    done: batches.reduce((sum, { done }) => sum + done, 0),
    failed: batches.reduce((sum, { failed }) => sum + failed, 0),
  };
}

function batchLine(
  { key, items, done, failed, stopped }: CountedBatch,
  { batches, isSettled }: CountedBatches,
): string {
  const name = batches.length > 1 ? `Batch '${key}': ` : '';
  const rest = items - done - failed;
  const open = isSettled ? `${rest} not run` : `${rest} not done yet`;
  const early = stopped ? ' It was stopped early, after too many failures.' : '';
  return `${name}${items} items: ${done} done, ${failed} failed${rest > 0 ? `, ${open}` : ''}.${early}`;
}

function reasonLine({ code, message, count, items }: Reason): string {
  const named = items.map(({ batch, index }) =>
    batch === undefined ? index : `${batch}/${index}`,
  );
  const more = count > items.length ? ', …' : '';
  const line = message.replaceAll(/\s+/g, ' ');
  const text = line.length > REASON_UNITS ? `${line.slice(0, REASON_UNITS)}…` : line;
  const which = count === 1 ? `item ${named[0]}` : `${count} items, ${named.join(', ')}${more}`;
  return `- ${code}: ${text} (${which})`;
}

/** @param mode that the model has called with, and need not call again */
function nextSteps({ task, counts }: ItemsJob, mode: string): string {
  const { failed } = sums(counts);
  const steps: string[] = [];
  if (mode === 'summary') {
    const lists = (wanted: string): string =>
      callOf('job_result', { task_id: task.id, mode: wanted });
    if (failed > 0) steps.push(`${lists('failures_only')} lists the failed items.`);
    steps.push(`${lists('all')} lists every item.`);
  }
  if (!isTerminal(task))
    steps.push(`Call ${callOf('job_wait', { task_id: task.id })} to wait for its end.`);
  else if (!counts.isSettled) steps.push('It is still being stopped: look again in a moment.');
  else if (failed > 0 && counts.batches.some((batch) => batch.toolName !== null)) {
    const key = counts.batches.length > 1 ? ', with the key of the batch,' : '';
    const again = callOf('retry_failed', { task_id: task.id });
    steps.push(`Call ${again}${key} to run the failed items again.`);
  }
  return steps.length === 0 ? 'There are no more.' : steps.join(' ');
}
