import * as z from 'zod';
import { Cursor, Id, Instant, JsonObject, Limit, oneOrMore } from './values.ts';
import { PHASES } from './words.ts';

/**
 * Where a task stands, finer than the status of the protocol. `waiting`: for its turn; `ready`: its job waits for a worker;
 * `retrying`: its next attempt is due later.
 */
export const Phase = z.enum(PHASES);
export type Phase = z.infer<typeof Phase>;

export const TaskSummary = z.object({
  id: Id,
  phase: Phase,
  tool: z.string(),
  queue: z.string(),
  principal: z.object({ id: Id, kind: z.string(), subject: z.string() }).nullable(),
  era: z.enum(['legacy', 'modern']),
  /** tools/call, prompts/get, resources/read, completion/complete */
  method: z.string(),
  parentId: Id.nullable(),
  attempt: z.int(),
  failures: z.int(),
  maxAttempts: z.int(),
  progress: z
    .object({ done: z.number(), total: z.number().nullable(), message: z.string().nullable() })
    .nullable(),
  /** Of a task that failed, its error. */
  message: z.string().nullable(),
  workerId: Id.nullable(),
  /** What it has started and is no chunk of a batch: `GET /tasks?parent=` has it. */
  hasChildren: z.boolean(),
  createdAt: Instant,
  startedAt: Instant.nullable(),
  finishedAt: Instant.nullable(),
});
export type TaskSummary = z.infer<typeof TaskSummary>;

export const TaskFilter = z.object({
  phase: oneOrMore(Phase).optional(),
  tool: oneOrMore(z.string().max(256)).optional(),
  queue: oneOrMore(z.string().max(256)).optional(),
  principal: Id.optional(),
  worker: Id.optional(),
  /** Only what this task has started. */
  parent: Id.optional(),
  createdAfter: Instant.optional(),
  createdBefore: Instant.optional(),
  /** Part of the arguments or of the message, whatever its case. */
  text: z.string().min(2).max(200).optional(),
});
export type TaskFilter = z.infer<typeof TaskFilter>;

export const TaskQuery = TaskFilter.extend({
  cursor: Cursor.optional(),
  limit: Limit.default(50),
});

export const TaskPage = z.object({
  tasks: z.array(TaskSummary),
  /** Of the next, older page; null: there is none. */
  next: Cursor.nullable(),
  /** A page looks at a bounded number of tasks: with `next` it goes on behind this instant. Null: it found all it could give. */
  searchedTo: Instant.nullable(),
});

export const TaskCount = z.object({
  count: z.int(),
  /** There are more. */
  isCapped: z.boolean(),
});

export const Question = z.object({
  key: z.string(),
  /** elicitation/create, sampling/createMessage, roots/list */
  method: z.string(),
  params: JsonObject,
});

export const TaskDetail = TaskSummary.extend({
  arguments: JsonObject,
  lostWorkers: z.int(),
  ttlMs: z.number().nullable(),
  expiresAt: Instant.nullable(),
  deadlineAt: Instant.nullable(),
  runAfter: Instant.nullable(),
  timeoutMs: z.number(),
  idempotencyKey: z.string().nullable(),
  /** Of the plugin whose tool it ended in; null: it has not, or in none. */
  toolVersion: z.string().nullable(),
  /** Why it does not go on: a sentence; null: it goes on, or has ended. */
  waitsFor: z.string().nullable(),
  /** The oldest first, the latest 500. */
  events: z.array(
    z.object({
      kind: z.string(),
      attempt: z.int().nullable(),
      data: JsonObject.nullable(),
      at: Instant,
    }),
  ),
  questions: z.array(Question),
  files: z.array(z.object({ name: z.string(), mimeType: z.string(), size: z.number() })),
  batches: z.array(
    z.object({
      key: z.string(),
      items: z.int(),
      done: z.int(),
      failed: z.int(),
      stopped: z.boolean(),
      /** What its items are for, by which they can be run again. */
      toolName: z.string().nullable(),
    }),
  ),
  hasResult: z.boolean(),
});
export type TaskDetail = z.infer<typeof TaskDetail>;

export const TaskOutcome = z.object({
  kind: z.enum(['result', 'tool_error', 'error']),
  /** A CallToolResult, or a JSON-RPC error. Of a result that is too large, a preview. */
  payload: JsonObject,
  /** In bytes, when `payload` is a preview: the whole is at /tasks/{id}/result/download. */
  wholeBytes: z.number().nullable(),
});

export const BatchMap = z.object({
  key: z.string(),
  items: z.int(),
  done: z.int(),
  failed: z.int(),
  isSealed: z.boolean(),
  isSettled: z.boolean(),
  /** Items per cell: at most 1,000 cells, each one or more chunks. */
  cells: z.array(z.object({ size: z.int(), done: z.int(), failed: z.int(), open: z.boolean() })),
  /** Of the first failed items that were looked at, by message; the most frequent first. */
  failures: z.array(z.object({ message: z.string(), count: z.int(), sampleIndex: z.int() })),
  failuresLookedAt: z.int(),
});

export const ItemPage = z.object({
  items: z.array(
    z.object({
      index: z.int(),
      status: z.enum(['done', 'failed']),
      attempts: z.int(),
      value: z.unknown(),
      error: z.object({ code: z.string(), message: z.string() }).nullable(),
    }),
  ),
  next: Cursor.nullable(),
});
