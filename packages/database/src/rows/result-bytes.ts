import type { PrincipalId, TaskId } from '@longshore/core';
import { Prisma } from '../generated/client.ts';
import { IS_ALIVE } from './open-task.ts';

/** The whole of a result `r`, as JSON in UTF-8. The expression fetches nothing by itself of a large one. */
export const RESULT_BYTES = Prisma.sql`
  CASE WHEN r.body IS NULL THEN convert_to(r.payload::text, 'UTF8') ELSE r.body END`;

/** FROM and WHERE: the result `r` of a task that ended with one. */
export const OWNED_RESULT = (taskId: TaskId, owner: PrincipalId): Prisma.Sql => Prisma.sql`
  FROM tasks AS t JOIN task_results AS r ON r.task_id = t.id
  WHERE t.id = ${taskId}::uuid AND t.principal_id = ${owner}::uuid AND ${IS_ALIVE}
    AND t.request_method = 'tools/call' AND t.outcome_kind IN ('result', 'tool_error')`;
