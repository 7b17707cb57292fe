import * as z from 'zod';
import { TaskFilter } from './tasks.ts';
import { Id, Instant } from './values.ts';

/** Tasks that one action acts on, unless it says fewer. */
export const MOST_BULK_TASKS = 100_000;

/** What is filled in for everything: an empty filter is more often a mistake. */
export const EVERYTHING = 'everything';

export const NewBulkAction = z.object({
  verb: z.enum(['cancel', 'retry']),
  /** As of `GET /tasks`. Without a phase: of what has not ended for `cancel`, of what failed for `retry`. */
  filter: TaskFilter,
  /** Tasks it acts on at most. */
  most: z.int().min(1).max(MOST_BULK_TASKS).default(10_000),
  /** Only count what it would act on. */
  dryRun: z.boolean().default(false),
  /** `everything`, when the filter is empty. */
  confirm: z.string().max(20).optional(),
});

export const BulkAction = z.object({
  id: Id,
  verb: z.enum(['cancel', 'retry']),
  filter: TaskFilter,
  state: z.enum(['running', 'done', 'stopped']),
  most: z.int(),
  done: z.int(),
  failed: z.int(),
  /** Of the first that could not be acted on. */
  failures: z.array(z.object({ id: z.string(), message: z.string() })),
  createdAt: Instant,
  finishedAt: Instant.nullable(),
});

export const StartedBulkAction = z.object({
  /** Tasks that match now, counted up to 10,000. */
  count: z.int(),
  isCapped: z.boolean(),
  /** Null after a dry run. */
  action: BulkAction.nullable(),
});
