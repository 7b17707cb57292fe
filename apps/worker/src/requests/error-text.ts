import * as z from 'zod';
import { clipText, wellFormed } from '../json/well-formed.ts';

/** UTF-16 units of an error's text that reach the client. */
const ERROR_TEXT_LIMIT = 8_000;

/** Where a stack trace begins in a text. */
const STACK = /\n\s+at [\s\S]*$/;

const Issues = z.object({ issues: z.array(z.custom<z.core.$ZodIssue>(isIssue)).min(1) });

/**
 * What a client may read of anything thrown: the message, without a stack trace, of bounded length.
 * Zod errors, from whichever copy of zod, become one line per problem.
 */
export function errorText(thrown: unknown): string {
  const issues = Issues.safeParse(thrown);
  const text = issues.success ? z.prettifyError(issues.data) : messageOf(thrown);
  return clipText(wellFormed(text.replace(STACK, '')), ERROR_TEXT_LIMIT);
}

function messageOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message || thrown.name;
  if (typeof thrown === 'string' && thrown !== '') return thrown;
  return 'it failed without saying why';
}

function isIssue(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    'message' in value &&
    typeof value.message === 'string' &&
    'path' in value &&
    Array.isArray(value.path)
  );
}
