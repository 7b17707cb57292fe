import {
  isTerminal,
  JOB_CARD_VERSION,
  type JsonObject,
  type PendingInput,
  type Task,
  type TaskWithOutcome,
} from '@longshore/core';
import type { CallContext } from '../calls/call-context.ts';
import { cardCallsPerMinute } from '../edge/limits/card-calls.ts';
import { capitalized, endedJob, jobFacts, jobLine, textResult } from '../tasks/job-text.ts';
import type { JobCaller } from './job-tool.ts';

/** UTF-16 units of a result that a card is sent whole: hosts have failed to carry larger answers to one. */
const RESULT_UNITS = 150_000;

/** What the job card says with its calls; models leave it out. */
export const CARD: JsonObject = {
  card: { type: 'integer', minimum: 0, description: 'Set by the job card, not by models.' },
};

/** Hosts may keep the page of a card with its conversation. @returns what such a card is told; null: it is of today */
export function outdatedCard(args: JsonObject): JsonObject | null {
  const version = args['card'];
  if (typeof version !== 'number' || version >= JOB_CARD_VERSION) return null;
  return textResult('This card is older than the server.', { card: { outdated: true } });
}

/** job_status as the card wants it: all that it draws, and when to ask again. */
export async function cardStatus(
  context: CallContext,
  { principalId: owner, access }: Pick<JobCaller, 'principalId' | 'access'>,
  task: Task,
): Promise<JsonObject> {
  const [questions, counted] = await Promise.all([
    task.state === 'input_required' ? context.inputs.pending(task.id, owner) : [],
    context.contents.items.counts(task.id, owner),
  ]);
  const batches = counted?.batches ?? [];
  const isSettled = batches.length === 0 || counted?.isSettled === true;
  const { pollIntervalMs, dashboardUrl } = context.settings;
  const limitMs = 60_000 / cardCallsPerMinute(context.limitsOf(access).requestsPerMinute);
  const sum = (name: 'items' | 'done' | 'failed'): number =>
    batches.reduce((total, batch) => total + batch[name], 0);
  return textResult(`${capitalized(jobLine(task))}.`, {
    card: {
      // Half of what is let through: several cards may be open.
      ...(isTerminal(task) && isSettled ? {} : { pause_ms: Math.max(pollIntervalMs, 2 * limitMs) }),
    },
    now: new Date().toISOString(),
    title: titleOf(context, task.toolName, batches),
    job: jobFacts(task),
    ...(task.progress?.message == null ? {} : { message: task.progress.message }),
    ...(batches.length === 0
      ? {}
      : {
          counts: {
            items: sum('items'),
            done: sum('done'),
            failed: sum('failed'),
            runs_again: isSettled && batches.filter(runsAgain).length === 1,
          },
        }),
    questions: questions.map(questionFacts),
    ...(dashboardUrl === null ? {} : { link: `${dashboardUrl}/tasks/${task.id}` }),
  });
}

/** The tool, and what it runs many times when that is a tool as well: “Run a tool many times: Resize images”. */
function titleOf(
  { catalogue }: Pick<CallContext, 'catalogue'>,
  toolName: string,
  [batch, ...others]: readonly { readonly toolName: string | null }[],
): string {
  const title = catalogue.tools.find(toolName)?.title ?? toolName;
  const item = others.length > 0 ? null : catalogue.tools.find(batch?.toolName ?? '');
  return item === null ? title : `${title}: ${item.title ?? item.name}`;
}

/** A batch whose failed items can be run again by name. */
export const runsAgain = (batch: {
  readonly failed: number;
  readonly toolName: string | null;
}): boolean => batch.failed > 0 && batch.toolName !== null;

/** job_result as the card wants it: the result in one piece, as its tool gave it, where that is not too large. */
export function cardResult({ task, outcome }: TaskWithOutcome): JsonObject {
  const result = outcome?.kind === 'result' ? outcome.result : null;
  const isWhole = result !== null && JSON.stringify(result).length <= RESULT_UNITS;
  return textResult(`${capitalized(jobLine(task))}.`, {
    card: {},
    job: jobFacts(task),
    ...(isTerminal(task) && outcome !== null
      ? { result: isWhole ? result : endedJob(task, outcome, 0) }
      : {}),
  });
}

/** The answer to a card whose job is unknown, expired or somebody else's. */
export const goneForCard = (answer: JsonObject): JsonObject => ({
  ...answer,
  structuredContent: { card: {}, gone: true },
});

/** A question as job_status tells of it. */
export const questionFacts = ({ key, method, params }: PendingInput): JsonObject => ({
  question: key,
  method,
  params,
});
