import * as z from 'zod';
import { HISTOGRAM_EDGES_MS } from './histogram.ts';
import { TaskSummary } from './tasks.ts';
import { Cursor, Id, Instant, JsonObject } from './values.ts';
import { RANGES } from './words.ts';

const Histogram = z
  .array(z.int())
  .meta({ description: `Counts per bucket, edges in ms: ${HISTOGRAM_EDGES_MS.join(', ')}` });

export const Range = z.enum(RANGES);
export type Range = z.infer<typeof Range>;

export const StatsQuery = z.object({
  range: Range.default('1h'),
  tool: z.string().max(256).optional(),
  queue: z.string().max(256).optional(),
});

/** Tasks that ended. */
const Ended = z.object({
  completed: z.int(),
  failed: z.int(),
  cancelled: z.int(),
  waitHistogram: Histogram,
  runHistogram: Histogram,
});

/** What stood where at the worst moment of a bucket. */
const Gauges = z.object({
  at: Instant,
  waiting: z.int(),
  running: z.int(),
  inputRequired: z.int(),
  oldestWaitMs: z.number(),
  workers: z.int(),
  seats: z.int(),
});

export const Stats = z.object({
  from: Instant,
  to: Instant,
  stepMs: z.int(),
  /** Only buckets in which something ended. */
  ended: z.array(Ended.extend({ at: Instant })),
  /** Only buckets that were looked at. Of one queue when the query names it; of a tool there are none. */
  gauges: z.array(Gauges),
  /** By tool, the most calls first, 50 at most. */
  tools: z.array(Ended.extend({ tool: z.string() })),
  /**
   * Of the tool that the query names, by the version of its plugin, the most calls first, 20 at most; else none. Of version '' is what
   * ended in no tool: it was cancelled, or its time was over, or its arguments did not fit.
   */
  versions: z.array(Ended.extend({ version: z.string() })),
  /** Until when what ended is counted: a few seconds ago. */
  foldedUntil: Instant,
});

export const Attention = z.object({
  /** Of the kind: no_worker, waits_long, failing, schedule_paused */
  kind: z.string(),
  message: z.string(),
  tool: z.string().nullable(),
  queue: z.string().nullable(),
});

export const Overview = z.object({
  now: Instant,
  /** Of the latest look, seconds ago. */
  open: z.object({
    waiting: z.int(),
    ready: z.int(),
    retrying: z.int(),
    running: z.int(),
    inputRequired: z.int(),
  }),
  oldestWaitMs: z.number().nullable(),
  workers: z.object({ live: z.int(), draining: z.int(), seats: z.int() }),
  attention: z.array(Attention),
});

export const Tool = z.object({
  name: z.string(),
  title: z.string().nullable(),
  description: z.string(),
  plugin: z.string(),
  pluginVersion: z.string(),
  version: z.string().nullable(),
  deprecated: z.string().nullable(),
  queue: z.string(),
  taskSupport: z.enum(['forbidden', 'optional', 'required']),
  timeoutMs: z.number(),
  maxAttempts: z.int(),
  concurrency: z.int().nullable(),
  rate: z.object({ starts: z.int(), perMs: z.number() }).nullable(),
  workers: z.int(),
  inputSchema: JsonObject,
  outputSchema: JsonObject.nullable(),
  isPaused: z.boolean(),
});

export const Worker = z.object({
  id: Id,
  host: z.string(),
  pid: z.int(),
  version: z.string(),
  queues: z.array(z.string()),
  seats: z.int(),
  running: z.int(),
  startedAt: Instant,
  heartbeatAt: Instant,
  /** `silent`: no sign of life for longer than its lease. */
  state: z.enum(['live', 'draining', 'silent']),
  tools: z.array(z.string()),
});

export const WorkerDetail = Worker.extend({
  /** What it runs now, 200 at most. */
  tasks: z.array(TaskSummary),
});

export const Queue = z.object({
  name: z.string(),
  /** Counted up to 10,000. */
  waiting: z.int(),
  ready: z.int(),
  retrying: z.int(),
  running: z.int(),
  inputRequired: z.int(),
  oldestWaitMs: z.number().nullable(),
  workers: z.int(),
  seats: z.int(),
  isPaused: z.boolean(),
});

export const Schedule = z.object({
  id: Id,
  name: z.string().nullable(),
  principal: z.object({ id: Id, kind: z.string(), subject: z.string() }).nullable(),
  tool: z.string(),
  arguments: JsonObject,
  cron: z.string().nullable(),
  runAt: Instant.nullable(),
  timeZone: z.string(),
  missed: z.enum(['skip', 'run_once', 'run_all']),
  overlap: z.enum(['skip', 'start']),
  state: z.enum(['active', 'paused', 'ended']),
  nextRuns: z.array(Instant),
  lastRunAt: Instant.nullable(),
  lastTaskId: Id.nullable(),
  runs: z.number(),
  skipped: z.number(),
  note: z.string().nullable(),
  createdAt: Instant,
});

export const SchedulePage = z.object({ schedules: z.array(Schedule), next: Cursor.nullable() });

export const Principal = z.object({
  id: Id,
  kind: z.string(),
  subject: z.string(),
  createdAt: Instant,
  /** Counted up to 1,000. */
  openTasks: z.int(),
});

export const PrincipalPage = z.object({ principals: z.array(Principal), next: Cursor.nullable() });
