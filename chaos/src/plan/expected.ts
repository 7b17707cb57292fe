import { createHash } from 'node:crypto';
import { DEADLINE_ERROR } from '@longshore/core';
import type { PlannedTask } from './task-plan.ts';

/** How a task must end when nothing but its plan decides. */
export type Expected =
  | { readonly kind: 'result'; readonly structured: Readonly<Record<string, unknown>> }
  | { readonly kind: 'tool_error'; readonly text: string }
  | { readonly kind: 'error'; readonly code: number; readonly message: string }
  /** Its ttl is over: nobody knows it any more. */
  | { readonly kind: 'gone' };

/** What the tools compute: depends on the whole of `text`, and nobody gets it by accident. */
export function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** What a client answers when it is asked for its word. */
export function wordFor(value: number): string {
  return `word-${value}`;
}

/** The JSON-RPC code of `chaos_refuse`; not one that MCP gives a meaning. */
export const REFUSED_CODE = 4_001;

export function expectedOf(task: Pick<PlannedTask, 'kind' | 'arguments'>): Expected {
  const { value = Number.NaN, steps, failures } = task.arguments;
  const answer = digest(String(value));
  switch (task.kind) {
    case 'short':
    case 'held':
      return { kind: 'result', structured: { answer } };
    case 'long':
    case 'cancelled':
    case 'effects':
    case 'threaded':
      return { kind: 'result', structured: steps === undefined ? { answer } : { answer, steps } };
    case 'retrying':
      return { kind: 'result', structured: { answer, failures } };
    case 'asking':
      return { kind: 'result', structured: { answer: digest(wordFor(value)) } };
    case 'failing':
      return { kind: 'tool_error', text: `failed on purpose: ${answer}` };
    case 'refusing':
      return { kind: 'error', code: REFUSED_CODE, message: `refused on purpose: ${answer}` };
    case 'overdue':
      return { kind: 'error', code: DEADLINE_ERROR.code, message: DEADLINE_ERROR.message };
    case 'expiring':
      return { kind: 'gone' };
  }
}
