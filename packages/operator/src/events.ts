import * as z from 'zod';
import { Phase } from './tasks.ts';
import { Id } from './values.ts';

/**
 * What `GET /api/v1/events` sends, once a second at most, each as the `data` of a server-sent event. A hint: who shows tasks
 * reads them again. Without `ops:read` it tells of the caller's tasks only.
 */
export const OperatorEvent = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('tasks'),
    /** Tasks that were made since the last event, counted up to 1,000. */
    created: z.int(),
    /** Tasks that changed, the latest 200. */
    changed: z.array(
      z.object({
        id: Id,
        phase: Phase,
        progress: z
          .object({
            done: z.number(),
            total: z.number().nullable(),
            message: z.string().nullable(),
          })
          .nullable(),
      }),
    ),
  }),
  /** Workers, tools, queues, keys or schedules changed: read what you show. */
  z.object({ kind: z.literal('fleet') }),
  /** Something may have been missed: read all that you show. */
  z.object({ kind: z.literal('resync') }),
]);
export type OperatorEvent = z.infer<typeof OperatorEvent>;
