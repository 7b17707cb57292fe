import {
  isTerminal,
  type JobToolName,
  type JsonObject,
  type JsonValue,
  type Outcome,
  type Task,
} from '@longshore/core';
import { JOB_META, legacyStatus } from '@longshore/protocol';

/** UTF-16 units of a result that one answer of job_result carries: about a quarter of a small model's context. */
export const PAGE_UNITS = 20_000;

export const textResult = (text: string, structured?: JsonObject): JsonObject => ({
  content: [{ type: 'text', text }],
  ...(structured === undefined ? {} : { structuredContent: structured }),
  ...jobMeta(structured?.['job']),
});

/** The job that a result is of, once more, where hosts can keep it who lose the other places. */
const jobMeta = (job: JsonValue | undefined): JsonObject =>
  isObject(job) ? { _meta: { [JOB_META]: job['task_id'] ?? null } } : {};

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A mistake of the caller, for a model to mend. */
export const failedCall = (text: string): JsonObject => ({ ...textResult(text), isError: true });

/** The result with a sentence behind its content. */
export function withNote(result: JsonObject, text: string): JsonObject {
  const content = Array.isArray(result['content']) ? result['content'] : [];
  return { ...result, content: [...content, { type: 'text', text }] };
}

export const UNKNOWN_JOB =
  'There is no job with this id: it is unknown, expired, or of somebody else. job_list shows the jobs there are.';

/** A job in a form that programs read. */
export function jobFacts(task: Task): JsonObject {
  const { progress, statusMessage, ttlMs } = task;
  return {
    task_id: task.id,
    tool: task.toolName,
    status: legacyStatus(task),
    ...(task.state === 'working' ? { phase: task.isHeld ? 'running' : 'queued' } : {}),
    ...(statusMessage === null ? {} : { status_message: statusMessage }),
    ...(progress === null ? {} : { progress: progress.progress }),
    ...(progress?.total == null ? {} : { total: progress.total }),
    created_at: task.createdAt.toISOString(),
    updated_at: task.updatedAt.toISOString(),
    ...(ttlMs === null
      ? {}
      : { expires_at: new Date(task.createdAt.getTime() + ttlMs).toISOString() }),
  };
}

/** One line on where a job stands: "job … (resize_images) is working, 40 of 100: step 4". */
export function jobLine(task: Task): string {
  const { progress, statusMessage } = task;
  const total = progress?.total == null ? '' : ` of ${progress.total}`;
  const done = progress === null ? '' : `, ${progress.progress}${total}`;
  const said = statusMessage ?? progress?.message ?? null;
  return `job ${task.id} (${task.toolName}) is ${legacyStatus(task)}${done}${said === null ? '' : `: ${said}`}`;
}

/** A call that a model can make as it stands: `job_wait {"task_id":"…"}`. */
export const callOf = (tool: JobToolName | 'retry_failed', args: JsonObject): string =>
  `${tool} ${JSON.stringify(args)}`;

/** What to do next with a job that has not ended. */
export function nextStep(task: Task): string {
  if (task.state === 'input_required') return questionStep(task);
  return `Call ${callOf('job_wait', { task_id: task.id })} for the result, or go on with other work; job_cancel stops it.`;
}

/** What to do next with a job that asks. */
export const questionStep = ({ id }: Task): string =>
  `It waits for an answer: call ${callOf('job_status', { task_id: id })} for the question.`;

/** What to do next with a job that has ended. */
export const resultStep = ({ id }: Task): string =>
  `Call ${callOf('job_result', { task_id: id })} for what it came to.`;

/** The answer of a call whose tool takes longer than the client would wait. */
export function jobHandle(task: Task): JsonObject {
  return textResult(
    `${task.toolName} takes longer and goes on in the background as job ${task.id}. ${nextStep(task)}`,
    { job: jobFacts(task) },
  );
}

/** Where a job stands that has not ended. */
export function unfinished(task: Task): JsonObject {
  return textResult(`${capitalized(jobLine(task))}. ${nextStep(task)}`, { job: jobFacts(task) });
}

/**
 * What a job came to: its result as it is when it is small, else a page of its text.
 * @param offset UTF-16 units of the text to skip
 */
export function endedJob(task: Task, outcome: Outcome | null, offset: number): JsonObject {
  const answer = endedAnswer(task, outcome, offset);
  const meta = answer['_meta'];
  return { ...answer, _meta: { ...(isObject(meta) ? meta : {}), [JOB_META]: task.id } };
}

function endedAnswer(task: Task, outcome: Outcome | null, offset: number): JsonObject {
  if (!isTerminal(task)) return unfinished(task);
  if (outcome === null) return failedCall(`${capitalized(jobLine(task))}: it has no result.`);
  if (outcome.kind === 'error') {
    const { code, message } = outcome.error;
    return failedCall(`Job ${task.id} (${task.toolName}) failed: ${message} (${code}).`);
  }
  if (offset === 0 && JSON.stringify(outcome.result).length <= PAGE_UNITS) return outcome.result;
  return page(task, outcome.result, offset);
}

function page(task: Task, result: JsonObject, offset: number): JsonObject {
  const text = readable(result);
  if (offset > 0 && offset >= text.length) {
    return failedCall(
      `The result of job ${task.id} has ${text.length} characters: offset ${offset} is behind its end.`,
    );
  }
  const end = pageEnd(text, offset);
  const rest =
    end < text.length
      ? `Call ${callOf('job_result', { task_id: task.id, offset: end })} for the next part.`
      : 'This is the end of it.';
  const head = `Characters ${offset} to ${end} of ${text.length} of the result of job ${task.id}. ${rest}`;
  return {
    content: [
      { type: 'text', text: head },
      { type: 'text', text: text.slice(offset, end) },
    ],
    ...(result['isError'] === true ? { isError: true } : {}),
  };
}

/** No surrogate pair is cut in two. */
function pageEnd(text: string, offset: number): number {
  const end = Math.min(offset + PAGE_UNITS, text.length);
  const last = text.charCodeAt(end - 1);
  return end < text.length && last >= 0xd8_00 && last <= 0xdb_ff ? end - 1 : end;
}

/** Structured content says the same as the text beside it; what is no text is shown as JSON. */
function readable(result: JsonObject): string {
  const structured = result['structuredContent'];
  if (structured !== undefined) return JSON.stringify(structured, null, 1);
  const content = Array.isArray(result['content']) ? result['content'] : [];
  return content.map(blockText).join('\n');
}

function blockText(block: JsonValue): string {
  if (isObject(block) && block['type'] === 'text' && typeof block['text'] === 'string') {
    return block['text'];
  }
  return JSON.stringify(block);
}

export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
