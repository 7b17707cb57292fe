import type { InputMethod, JsonObject } from '@longshore/core';
import * as z from 'zod';

const ElicitResult = z.object(
  {
    action: z.enum(['accept', 'decline', 'cancel'], {
      error: 'action must be accept, decline or cancel',
    }),
    content: z.record(z.string(), z.unknown(), { error: 'content must be an object' }).nullish(),
  },
  { error: 'the answer must be an object' },
);

const ContentBlock = z.union(
  [
    z.looseObject({ type: z.literal('text'), text: z.string() }),
    z.looseObject({ type: z.enum(['image', 'audio']), data: z.string(), mimeType: z.string() }),
    z.looseObject({ type: z.literal('tool_use'), id: z.string(), name: z.string() }),
    z.looseObject({ type: z.literal('tool_result'), toolUseId: z.string() }),
  ],
  {
    error: 'content must be a text, image, audio, tool_use or tool_result block, or a list of them',
  },
);

const CreateMessageResult = z.looseObject(
  {
    role: z.enum(['user', 'assistant'], { error: 'role must be user or assistant' }),
    content: z.union([ContentBlock, z.array(ContentBlock)], {
      error: 'content must be a content block or a list of them',
    }),
    model: z.string({ error: 'model must be a string' }),
    stopReason: z.string({ error: 'stopReason must be a string' }).optional(),
  },
  { error: 'the answer must be an object' },
);

const ListRootsResult = z.looseObject(
  {
    roots: z.array(
      z.looseObject({
        uri: z.string({ error: 'uri must be a string' }),
        name: z.string({ error: 'name must be a string' }).optional(),
      }),
      { error: 'roots must be a list' },
    ),
  },
  { error: 'the answer must be an object' },
);

/** What a client answered, by the question's method. Elicited content is checked against its schema elsewhere. */
export type InputResult =
  | {
      readonly method: 'elicitation/create';
      readonly action: 'accept' | 'decline' | 'cancel';
      readonly content: Readonly<Record<string, unknown>>;
    }
  | { readonly method: 'sampling/createMessage' | 'roots/list'; readonly result: JsonObject };

export type ParsedInputResult =
  | { readonly ok: true; readonly value: InputResult }
  | { readonly ok: false; readonly problem: string };

/**
 * Reads an ElicitResult, CreateMessageResult or ListRootsResult; both eras have the same.
 *
 * @returns what is wrong, in words for the person or model that answers, when it is not one
 * @see 2025-11-25 client/elicitation, client/sampling, client/roots
 */
export function parseInputResult(method: InputMethod, raw: unknown): ParsedInputResult {
  if (method === 'elicitation/create') {
    const parsed = ElicitResult.safeParse(raw);
    if (!parsed.success) return { ok: false, problem: problemOf(parsed.error) };
    const { action, content } = parsed.data;
    return { ok: true, value: { method, action, content: content ?? {} } };
  }
  const schema = method === 'roots/list' ? ListRootsResult : CreateMessageResult;
  const parsed = schema.safeParse(raw);
  if (!parsed.success) return { ok: false, problem: problemOf(parsed.error) };
  // Parsed from JSON, so whatever else it holds is JSON as well.
  return { ok: true, value: { method, result: parsed.data as JsonObject } };
}

function problemOf(error: z.ZodError): string {
  return error.issues
    .slice(0, 10)
    .map(({ path, message }) => {
      const where = path.join('.');
      return where === '' || message.startsWith(String(path.at(-1)))
        ? message
        : `${where}: ${message}`;
    })
    .join('; ');
}
