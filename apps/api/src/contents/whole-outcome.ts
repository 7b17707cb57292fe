import {
  type JsonObject,
  limitedSignal,
  type Outcome,
  type PrincipalId,
  type TaskId,
} from '@longshore/core';
import { taskUri } from '../tasks/task-uri.ts';
import type { TaskContents } from './task-contents.ts';

const READ_TIMEOUT_MS = 30_000;

/** The outcome with its result whole, for who gives it out in parts of another kind. */
export async function wholeOutcome(
  contents: TaskContents,
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
