import {
  type BatchId,
  CHUNK_METHOD,
  type JsonObject,
  LOG_LEVELS,
  type PrincipalId,
  type SessionId,
  type TaskId,
  type WorkerId,
} from '@longshore/core';
import * as z from 'zod';

/*
 * Columns as node-postgres parses them, by their types in the schema. The database has checked the form of
 * a uuid, so here it only gets its name back.
 */

const isString = (value: unknown): boolean => typeof value === 'string';

export const taskIdColumn = z.custom<TaskId>(isString, 'not a uuid column');
export const batchIdColumn = z.custom<BatchId>(isString, 'not a uuid column');
export const sessionIdColumn = z.custom<SessionId>(isString, 'not a uuid column');
export const principalIdColumn = z.custom<PrincipalId>(isString, 'not a uuid column');
export const workerIdColumn = z.custom<WorkerId>(isString, 'not a uuid column');

/** A json column that holds an object. Not walked: it was valid JSON when it was stored. */
export const jsonObjectColumn = z.custom<JsonObject>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'not a JSON object',
);

/** A progress token or a request id in a json column. */
export const tokenColumn = z.union([z.string(), z.number()]).nullable();

/** A request id in a text column that holds JSON. */
export const requestIdColumn = z
  .string()
  .transform((text): unknown => JSON.parse(text))
  .pipe(z.union([z.string(), z.number()]));

export const workMethodColumn = z.enum([
  'tools/call',
  'prompts/get',
  'resources/read',
  'completion/complete',
  CHUNK_METHOD,
]);

export const logLevelColumn = z.enum(LOG_LEVELS).nullable();
