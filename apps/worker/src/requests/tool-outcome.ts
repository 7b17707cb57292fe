import { type Outcome, toolErrorOutcome } from '@longshore/core';
import type { Tool } from '@longshore/plugin';
import { ContentBlockSchema } from '@longshore/plugin/host';
import * as z from 'zod';
import { toJsonObject } from '../json/to-json-value.ts';
import { wellFormed } from '../json/well-formed.ts';
import { errorText } from './error-text.ts';

/** `isError` is no part of the author's API, but dropping it would turn a failure into a success. */
const Content = z.object({
  content: z.array(ContentBlockSchema),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
  isError: z.boolean().optional(),
});

/**
 * The outcome of a tool that returned. A result that is not what the tool promised, or that JSON can not
 * hold, is an `isError` result that says what is wrong: running the tool again would not mend it.
 */
export function toolOutcome(tool: Tool, returned: unknown): Outcome {
  try {
    if (tool.parseOutput !== null) return structuredOutcome(tool.parseOutput(returned));
    if (typeof returned === 'string') return textOutcome(wellFormed(returned));
    return contentOutcome(returned);
  } catch (error) {
    return toolErrorOutcome(`The result of tool '${tool.name}' is not usable: ${errorText(error)}`);
  }
}

function structuredOutcome(value: unknown): Outcome {
  const structuredContent = toJsonObject(value);
  const content = [{ type: 'text', text: JSON.stringify(structuredContent) }];
  return { kind: 'result', isError: false, result: { content, structuredContent } };
}

function textOutcome(text: string): Outcome {
  return { kind: 'result', isError: false, result: { content: [{ type: 'text', text }] } };
}

function contentOutcome(returned: unknown): Outcome {
  if (typeof returned !== 'object' || returned === null || !('content' in returned)) {
    throw new TypeError(
      `it returned ${nameOf(returned)}; return a string or { content: [...] }, or give the tool an output schema`,
    );
  }
  const { isError = false, ...rest } = Content.parse(returned);
  return {
    kind: 'result',
    isError,
    result: { ...toJsonObject(rest), ...(isError ? { isError } : {}) },
  };
}

function nameOf(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  return Array.isArray(value) ? 'an array' : `a value of type ${typeof value}`;
}
