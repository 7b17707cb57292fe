import { type EventCursor, LongshoreError, type RequestId, type TaskId } from '@longshore/core';
import { RequestIdSchema } from '../shared/json-rpc.ts';

interface Place {
  /** UUID of the stream that gave out the id. */
  readonly stream: string;
}

interface OpenPlace extends Place {
  /** Questions the client has been asked on this stream and has not answered, by place in the history. */
  readonly asked: readonly EventCursor[];
}

/** A stream that ends with the answer to a request: `call` a held request, `result` a tasks/result. */
export interface TaskStreamPlace extends OpenPlace {
  readonly kind: 'call' | 'result';
  readonly taskId: TaskId;
  readonly requestId: RequestId;
  /** The last log message the client has seen. */
  readonly cursor: EventCursor;
}

/** A session's GET stream. */
export interface SessionStreamPlace extends OpenPlace {
  readonly kind: 'session';
  /** When the latest change happened that the client has seen, in milliseconds of the database's clock. */
  readonly changedAtMs: number;
}

/** After the last event: there is nothing to come back for. */
export interface EndedStreamPlace extends Place {
  readonly kind: 'ended';
}

/** How far a client has read an event stream: all that another replica needs to go on with it. */
export type StreamPlace = TaskStreamPlace | SessionStreamPlace | EndedStreamPlace;

const LETTERS = { call: 'c', result: 'r', session: 's', ended: 'e' } as const;
/** A request id longer than this would make each event id, and the header it comes back in, too long. */
const MAX_REQUEST_ID_CHARS = 512;
/** Of more open questions than this the oldest would be asked again after a resumption. */
const MAX_ASKED = 32;

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const FORM = new RegExp(
  `^(?:e|(?:(?<kind>[cr])\\.(?<task>${UUID})\\.(?<request>[\\w-]{1,1024})\\.(?<cursor>\\d{1,19})|s\\.(?<ms>\\d{1,15}))` +
    `\\.(?<asked>(?:\\d{1,19}(?:-\\d{1,19}){0,${MAX_ASKED - 1}})?))\\.(?<stream>${UUID})-\\d{1,15}$`,
);

/**
 * The SSE event id of a place.
 *
 * @param n number of the event on its stream, so that no two events have one id
 * @returns null when it would be too long
 */
export function encodeEventId(place: StreamPlace, n: number): string | null {
  if (place.kind === 'ended') return `${LETTERS.ended}.${place.stream}-${n}`;
  const asked = place.asked.slice(-MAX_ASKED).join('-');
  if (place.kind === 'session') {
    return `${LETTERS.session}.${place.changedAtMs}.${asked}.${place.stream}-${n}`;
  }
  const request = JSON.stringify(place.requestId);
  if (request.length > MAX_REQUEST_ID_CHARS) return null;
  const encoded = Buffer.from(request).toString('base64url');
  return `${LETTERS[place.kind]}.${place.taskId}.${encoded}.${place.cursor}.${asked}.${place.stream}-${n}`;
}

/**
 * Reads a Last-Event-ID header.
 * @throws {LongshoreError} INVALID_EVENT_ID for what this server can not have given out
 */
export function decodeEventId(id: string): StreamPlace {
  const groups = FORM.exec(id)?.groups;
  if (groups === undefined) throw invalid();
  const stream = groups['stream'] ?? '';
  if (id.startsWith(LETTERS.ended)) return { kind: 'ended', stream };
  const asked = (groups['asked'] ?? '').split('-').filter((cursor) => cursor !== '');
  if (groups['ms'] !== undefined) {
    return { kind: 'session', changedAtMs: Number(groups['ms']), asked, stream };
  }
  return {
    kind: groups['kind'] === LETTERS.call ? 'call' : 'result',
    taskId: (groups['task'] ?? '') as TaskId,
    requestId: readRequestId(groups['request'] ?? ''),
    cursor: groups['cursor'] ?? '0',
    asked,
    stream,
  };
}

function readRequestId(encoded: string): RequestId {
  try {
    return RequestIdSchema.parse(JSON.parse(Buffer.from(encoded, 'base64url').toString('utf8')));
  } catch {
    throw invalid();
  }
}

function invalid(): LongshoreError {
  return new LongshoreError(
    'INVALID_EVENT_ID',
    'Invalid Last-Event-ID: send the id of an event of this server as it was, or open a new stream without one',
  );
}
