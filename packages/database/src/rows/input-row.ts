import type {
  InputAnswer,
  InputRequestId,
  JsonObject,
  PendingInput,
  RemoteTask,
} from '@longshore/core';
import * as z from 'zod';
import { Prisma } from '../generated/client.ts';
import { jsonObjectColumn } from './columns.ts';

/** What a `PendingInput` is made of, for a table or CTE called `r`. */
export const INPUT_COLUMNS = Prisma.sql`
  r.id, r.key, r.method, r.params, r.event_id::text AS event_id, r.remote_task`;

const remoteTaskColumn: z.ZodType<RemoteTask> = z.object({
  taskId: z.string(),
  status: z.enum(['working', 'input_required', 'completed', 'failed', 'cancelled']),
  pollIntervalMs: z.number(),
});

export const InputRow = z.object({
  id: z.custom<InputRequestId>((value) => typeof value === 'string', 'not a uuid column'),
  key: z.string(),
  method: z.enum(['elicitation/create', 'sampling/createMessage', 'roots/list']),
  params: jsonObjectColumn,
  event_id: z.string(),
  remote_task: remoteTaskColumn.nullable(),
});
export type InputRow = z.infer<typeof InputRow>;

export function toPendingInput(row: InputRow): PendingInput {
  const { id, key, method, params } = row;
  return { id, key, method, params, eventId: row.event_id, remoteTask: row.remote_task };
}

/** The document `input_requests.response` holds. */
export const answerColumn: z.ZodType<InputAnswer> = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('result'), result: z.custom<JsonObject>() }),
  z.object({ kind: z.literal('error'), code: z.number(), message: z.string() }),
  z.object({ kind: z.literal('invalid'), problem: z.string() }),
  z.object({ kind: z.literal('timeout') }),
]);

/** A question nobody answered that the task's current attempt waits for; `r` its row, `t` the task's. */
export const IS_PENDING = Prisma.sql`
  r.task_id = t.id AND r.answered_at IS NULL AND r.attempt = t.attempt
  AND t.state = 'input_required'`;
