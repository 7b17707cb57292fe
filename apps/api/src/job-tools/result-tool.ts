import {
  isTerminal,
  type JsonObject,
  LongshoreError,
  limitedSignal,
  type Outcome,
  type PrincipalId,
  type TaskId,
  type TaskWithOutcome,
} from '@longshore/core';
import { decodeItemCursor } from '@longshore/protocol';
import type { CallContext } from '../calls/call-context.ts';
import { endedJob, failedCall, withNote } from '../tasks/job-text.ts';
import { requireTaskWithOutcome } from '../tasks/owned-tasks.ts';
import { taskUri } from '../tasks/task-uri.ts';
import { CARD, cardResult } from './card-answers.ts';
import { itemsList, itemsSummary } from './items-text.ts';
import { announcedJobTool, type JobTool, READS, TASK_ID, taskIdOf } from './job-tool.ts';

const READ_TIMEOUT_MS = 30_000;

const MODES = ['summary', 'failures_only', 'all'] as const;
type ResultMode = (typeof MODES)[number];

/** Where a job that has no items says that `mode` did nothing. */
const NO_ITEMS = 'This job has no items, so mode makes no difference.';
const NO_ITEMS_YET = 'This job has no items so far, so mode makes no difference yet.';

export const jobResult: JobTool = {
  announced: announcedJobTool({
    name: 'job_result',
    title: 'Result of a job',
    description:
      'Returns what a finished background job came to; a long result in parts. Of a job over many items (batch, retry_failed) mode gives counts, the failed items or all items, also while it runs. Does not wait: job_wait does.',
    properties: {
      ...TASK_ID,
      ...CARD,
      mode: {
        type: 'string',
        enum: [...MODES],
        description:
          'Of a job over many items. summary: how many failed, and why; failures_only: the failed items by pages; all: every item by pages. Leave out for the result as its tool gave it.',
      },
      offset: {
        type: 'integer',
        minimum: 0,
        description:
          'Where in a long result to start; 0 unless a page before this one says otherwise.',
      },
      cursor: {
        type: 'string',
        description: 'For more items: the cursor that the page before names.',
      },
    },
    required: ['task_id'],
    annotations: READS,
  }),
  async run(context, { principalId }, args) {
    const found = await requireTaskWithOutcome(context, principalId, taskIdOf(args));
    if (args['card'] !== undefined) return cardResult(found);
    const mode = args['mode'] as ResultMode | undefined;
    if (mode !== undefined) {
      const report = await itemsReport(context, principalId, found, mode, args['cursor']);
      if (report !== null) return report;
    }
    const result = await endedWhole(context, principalId, found, Number(args['offset'] ?? 0));
    if (mode === undefined) return result;
    return withNote(result, isTerminal(found.task) ? NO_ITEMS : NO_ITEMS_YET);
  },
};

/** A result that is too large to be sent is given out in pages of its text all the same. */
export async function endedWhole(
  { contents }: Pick<CallContext, 'contents'>,
  owner: PrincipalId,
  { task, outcome }: TaskWithOutcome,
  offset: number,
): Promise<JsonObject> {
  const whole: Outcome | null = await wholeOutcome(contents, { taskId: task.id, owner }, outcome);
  return endedJob(task, whole, offset);
}

/** @returns null when the job has no items */
async function itemsReport(
  { contents: { items } }: Pick<CallContext, 'contents'>,
  owner: PrincipalId,
  { task }: TaskWithOutcome,
  mode: ResultMode,
  cursor: unknown,
): Promise<JsonObject | null> {
  const counts = await items.counts(task.id, owner);
  if (counts === null || counts.batches.length === 0) return null;
  const job = { task, counts, items, owner };
  if (mode === 'summary') return itemsSummary(job);
  try {
    const from = typeof cursor === 'string' ? decodeItemCursor(cursor) : null;
    return await itemsList(job, mode === 'all' ? 'all' : 'failed', from);
  } catch (error) {
    if (!(error instanceof LongshoreError) || error.code !== 'INVALID_CURSOR') throw error;
    return failedCall('This cursor is of no page of this job: leave it out to start again.');
  }
}

/** The outcome with its result whole, for who gives it out in parts of another kind. */
async function wholeOutcome(
  contents: CallContext['contents'],
  { taskId, owner }: { readonly taskId: TaskId; readonly owner: PrincipalId },
  outcome: Outcome | null,
): Promise<Outcome | null> {
  const address = { taskId, content: { kind: 'result' } } as const;
  if (outcome?.kind !== 'result' || !isPreview(outcome.result, taskUri(address))) return outcome;
  const whole = await contents.find(address, owner);
  if (whole === null) return outcome;
  const limited = limitedSignal(new AbortController().signal, READ_TIMEOUT_MS);
  try {
    const chunks: Uint8Array[] = [];
    const range = { start: 0, end: whole.size };
    for await (const chunk of whole.read(range, limited.signal)) chunks.push(chunk);
    return { ...outcome, result: JSON.parse(Buffer.concat(chunks).toString('utf8')) };
  } finally {
    limited.release();
  }
}

/** Only a preview leads to the whole of itself. */
function isPreview({ content }: JsonObject, uri: string): boolean {
  const last = Array.isArray(content) ? content.at(-1) : undefined;
  if (typeof last !== 'object' || last === null || Array.isArray(last)) return false;
  return last['type'] === 'resource_link' && last['uri'] === uri;
}
