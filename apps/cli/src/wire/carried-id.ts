import { randomUUID } from 'node:crypto';
import type { RequestId } from '@longshore/core';
import { isRequestId } from '@longshore/protocol';
import { MemberTexts } from './member-texts.ts';

/** The id of a host's request. Hosts may count beyond 2^53, where JSON.parse makes another number of it. */
export interface CarriedId {
  /** JSON, as the host wrote it and reads it in the answer. */
  readonly text: string;
  /** What the engine knows the request by: a name of ours for a number that does not come through as it is. */
  readonly sent: RequestId;
}

const STRING_OR_INTEGER = /^(?:".*"|-?\d+)$/s;

/**
 * @param id as JSON.parse reads it
 * @param text finds its text
 * @returns null for what no answer can name
 */
export function carriedId(id: unknown, text: () => string | null): CarriedId | null {
  if (isRequestId(id)) return { text: JSON.stringify(id), sent: id };
  const written = typeof id === 'number' ? text() : null;
  return written === null ? null : { text: written, sent: randomUUID() };
}

/** The id of a request that was too long to be read; null: it is no request, or its id is none. */
export function idOfTooLong(members: MemberTexts): CarriedId | null {
  const text = members.get('method') === null ? null : members.get('id');
  try {
    return text === null ? null : carriedId(JSON.parse(text), () => text);
  } catch {
    return null;
  }
}

/** Whether MCP takes it for the id of a request. */
export function isStringOrInteger({ text }: CarriedId): boolean {
  return STRING_OR_INTEGER.test(text);
}

/** A message of the engine, as the host of this request is to read it: its id is named as the host did. */
export function asWritten(message: unknown, { text, sent }: CarriedId): string {
  const line = JSON.stringify(message);
  const ours = JSON.stringify(sent);
  return ours === text ? line : line.replaceAll(ours, text);
}

/** The text of a member, down the path, of a message that is JSON. */
export function textAt(json: string, ...path: readonly string[]): string | null {
  let text: string | null = json;
  for (const name of path) {
    if (text === null) return null;
    const members = new MemberTexts();
    members.push(Buffer.from(text));
    text = members.get(name);
  }
  return text;
}
