import { LongshoreError, TASK_URI_PREFIX as PREFIX, type TaskId } from '@longshore/core';
import * as z from 'zod';

/** What of a task is meant: its whole result, what has happened to it, or a file that its tool made. */
export type ContentName =
  | { readonly kind: 'result' }
  | { readonly kind: 'history' }
  | { readonly kind: 'file'; readonly name: string };

export interface ContentAddress {
  readonly taskId: TaskId;
  readonly content: ContentName;
}

/** A part of a content, as a client wishes it. */
export interface ContentPart extends ContentAddress {
  /** Of the first byte. */
  readonly offset: number;
  /** In bytes; null: as many as one answer takes. */
  readonly length: number | null;
}

/** What resources/templates/list shows. */
export const TASK_TEMPLATES = [
  {
    uriTemplate: `${PREFIX}{taskId}/result{?offset,length}`,
    name: 'task_result',
    title: 'Result of a task',
    description: 'The whole result of a task of yours as JSON, by parts when it is large.',
    mimeType: 'application/json',
  },
  {
    uriTemplate: `${PREFIX}{taskId}/files/{name}{?offset,length}`,
    name: 'task_file',
    title: 'File of a task',
    description: 'A file that the tool of a task of yours made, by parts when it is large.',
  },
  {
    uriTemplate: `${PREFIX}{taskId}/history`,
    name: 'task_history',
    title: 'History of a task',
    description:
      'What a task of yours was called with, what it waits for, and what has happened to it: attempts, errors, logs.',
    mimeType: 'application/json',
  },
  {
    uriTemplate: `${PREFIX}{taskId}/items{?status,key,cursor}`,
    name: 'task_items',
    title: 'Items of a task',
    description:
      'What came of the items of a batch of yours, also while it runs: a JSON array, by pages. status is done, failed or all; key names one of several batches.',
    mimeType: 'application/json',
  },
] as const;

const Uuid = z.uuid();
const WholeNumber = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform(Number);

/** The API answers for these itself; no worker is asked. */
export function isTaskUri(uri: string): boolean {
  return uri.startsWith(PREFIX);
}

/**
 * @throws {LongshoreError} RESOURCE_NOT_FOUND for what can be no content of a task · INVALID_PARAMS for an offset
 *   or length that is no whole number
 */
export function parseTaskUri(uri: string): ContentPart {
  const [path = '', query = ''] = uri.slice(PREFIX.length).split('?', 2);
  const address = parsePath(path);
  if (address === null) throw contentNotFound(uri);
  const params = new URLSearchParams(query);
  return {
    ...address,
    offset: wholeNumber(params, 'offset') ?? 0,
    length: wholeNumber(params, 'length'),
  };
}

/**
 * @param path `{taskId}/result`, `{taskId}/history` or `{taskId}/files/{name}`, the name percent-encoded
 * @returns null for anything else
 */
export function parsePath(path: string): ContentAddress | null {
  const [id = '', kind, name, ...more] = path.split('/');
  if (!Uuid.safeParse(id).success || more.length > 0) return null;
  const taskId = id as TaskId;
  if ((kind === 'result' || kind === 'history') && name === undefined)
    return { taskId, content: { kind } };
  if (kind !== 'files' || name === undefined || name === '') return null;
  try {
    const decoded = decodeURIComponent(name);
    // No name has one, and Postgres can not hold it.
    if (decoded.includes('\0')) return null;
    return { taskId, content: { kind: 'file', name: decoded } };
  } catch {
    return null;
  }
}

export function taskUri({ taskId, content }: ContentAddress): string {
  const path = content.kind !== 'file' ? content.kind : `files/${encodeURIComponent(content.name)}`;
  return `${PREFIX}${taskId}/${path}`;
}

/** Unknown, expired and foreign ones alike (2025-11-25 server/resources, 2026-07-28 SEP-2164). */
export function contentNotFound(uri: string): LongshoreError {
  return new LongshoreError('RESOURCE_NOT_FOUND', `Resource not found: ${uri}`, {
    details: { uri },
  });
}

function wholeNumber(params: URLSearchParams, name: string): number | null {
  const text = params.get(name);
  if (text === null) return null;
  const parsed = WholeNumber.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new LongshoreError('INVALID_PARAMS', `${name} must be a whole number of bytes`);
}
