import { type Json, recordIn, recordsIn, textIn } from '../state/json.ts';

const ID = '[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}';
const WHOLE_ID = new RegExp(`^${ID}$`);
/** As our answers name a job, in their first words. */
const NAMED = new RegExp(`\\bjob (${ID})\\b`, 'i');

const idIn = (value: unknown, name: string): string | null => {
  const id = textIn(value, name);
  return id !== null && WHOLE_ID.test(id) ? id : null;
};

/**
 * The job that a call was answered with. Hosts lose a part of an answer, each another one, so it stands in three places
 * (MCP Apps says nothing of tasks; those whose host hands them over name theirs, too).
 */
export function jobOfResult(result: Json): string | null {
  const structured = recordIn(result, 'structuredContent');
  return (
    idIn(recordIn(structured, 'job'), 'task_id') ??
    idIn(recordIn(result, '_meta'), 'dev.longshore/job') ??
    idIn(recordIn(result, 'task'), 'taskId') ??
    idIn(result, 'taskId') ??
    (isEmpty(structured) ? idInText(result) : null)
  );
}

/** The job that a call was about. */
export const jobOfInput = (input: Json): string | null =>
  idIn(input, 'task_id') ?? idIn(input, 'job_id');

/** An answer that a host has emptied, as ChatGPT does when a conversation is opened again, says nothing. */
export function saysNothing(result: Json): boolean {
  const isText = recordsIn(result, 'content').every(
    ({ type, text }) => type === 'text' && /^(\{\})?$/.test(String(text)),
  );
  return isText && isEmpty(recordIn(result, 'structuredContent'));
}

const isEmpty = (record: Json | null): boolean =>
  record === null || Object.keys(record).length === 0;

function idInText(result: Json): string | null {
  const text = textIn(recordsIn(result, 'content')[0], 'text');
  return (text === null ? null : (NAMED.exec(text)?.[1] ?? null))?.toLowerCase() ?? null;
}

/** What this browser keeps of a call, for a host that keeps nothing. An opaque origin keeps nothing either. */
const keyOf = (tool: string | null, input: Json): string =>
  `longshore.job:${tool ?? ''}:${JSON.stringify(input)}`;

export function keepJob(tool: string | null, input: Json, id: string): void {
  try {
    localStorage.setItem(keyOf(tool, input), id);
  } catch {
    // Then the server is asked.
  }
}

export function keptJob(tool: string | null, input: Json): string | null {
  try {
    return localStorage.getItem(keyOf(tool, input));
  } catch {
    return null;
  }
}
