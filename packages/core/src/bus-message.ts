import * as z from 'zod';
import type { AuthBindingId, SessionId, TaskId } from './brand.ts';

const taskId = z.uuid().transform((id) => id as TaskId);
const sessionId = z.uuid().transform((id) => id as SessionId);
const authBindingId = z.uuid().transform((id) => id as AuthBindingId);
const streamId = z.uuid();
/** Of an API process, which has all its streams. */
const hubId = z.uuid();
const requestId = z.union([z.string(), z.int()]);

/**
 * Everything that travels over the event bus. Messages are hints: whoever waits also reads the
 * database, so a lost message costs time and nothing else. No results and no arguments travel here.
 */
export const BusMessage = z.discriminatedUnion('kind', [
  /** Latest progress of a running task. `token` is the client's progressToken. */
  z.object({
    kind: z.literal('progress'),
    taskId,
    token: requestId.nullable(),
    progress: z.number(),
    total: z.number().nullable(),
    message: z.string().nullable(),
  }),
  /**
   * The row changed (state, status message): read it. `asked`: a held call has become a task with a handle, and its client
   * has these questions of it already (`PendingInput.eventId`).
   */
  z.object({
    kind: z.literal('changed'),
    taskId,
    asked: z.array(z.string()).readonly().optional(),
  }),
  /** The task has new log messages for its client: read them. */
  z.object({ kind: z.literal('logged'), taskId }),
  /**
   * From here on `stream` carries these notifications, and no other stream does: those of one task while
   * somebody waits for it, or (taskId null) those of the whole session that no waiting stream carries.
   */
  z.object({
    kind: z.literal('stream-open'),
    stream: streamId,
    taskId: taskId.nullable(),
    hub: hubId.optional(),
  }),
  /** The same of several streams, in this order: pairs of stream and task. */
  z.object({
    kind: z.literal('streams-open'),
    hub: hubId,
    streams: z.array(z.tuple([streamId, taskId.nullable()])).readonly(),
  }),
  /** `stream` ended: another one takes its place. */
  z.object({
    kind: z.literal('stream-close'),
    stream: streamId,
    taskId: taskId.nullable(),
    hub: hubId.optional(),
  }),
  /** On HUBS_TOPIC: the process whose streams say this hub is there. */
  z.object({ kind: z.literal('hub-alive'), hub: hubId }),
  /** To a worker: stop this task if it runs it. */
  z.object({ kind: z.literal('cancel'), taskId }),
  /** To a worker: answers to questions of this task are there, read them. */
  z.object({ kind: z.literal('answered'), taskId }),
  /** On RESOURCES_TOPIC: the content of this resource changed. */
  z.object({ kind: z.literal('resource-updated'), uri: z.string() }),
  /** The client withdrew a request that some replica may be holding open. */
  z.object({ kind: z.literal('request-cancelled'), requestId }),
  /** On SESSIONS_TOPIC: the session was ended by its client. */
  z.object({ kind: z.literal('session-closed'), sessionId }),
  /** On SESSIONS_TOPIC: the client changed its session's log level or subscriptions: read it. */
  z.object({ kind: z.literal('session-changed'), sessionId }),
  /** On CREDENTIALS_TOPIC: the credential of this binding is good no more. */
  z.object({ kind: z.literal('credential-revoked'), authBindingId }),
  z.object({ kind: z.literal('catalogue-changed') }),
  /** On PAUSES_TOPIC: read what is paused, and whether you are to drain. */
  z.object({ kind: z.literal('pauses-changed') }),
  /** To oneself: how long the way over the bus takes. */
  z.object({ kind: z.literal('probe'), id: z.uuid() }),
]);
export type BusMessage = z.infer<typeof BusMessage>;

/** Said by the bus itself after a lost connection came back: messages may be missing, re-read. */
export interface BusResync {
  readonly kind: 'resync';
}

export type BusEvent = BusMessage | BusResync;
