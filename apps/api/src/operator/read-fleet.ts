import type {
  AnnouncedTool,
  EndedStats,
  NamedPrincipal,
  QueueGauge,
  Schedule,
  SeenWorker,
  StatsWindow,
  WorkerId,
} from '@longshore/core';
import type { AnswerOf, Range } from '@longshore/operator';
import { timesAfter } from '../schedules/cron-times.ts';
import { placePage } from '../tasks/place-page.ts';
import { type Handlers, notFound, type OperatorContext } from './operation.ts';
import { instant, showPrincipal, showTask } from './show-task.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** Steps of a chart: none has more than 170. */
const RANGES: Readonly<Record<Range, { readonly spanMs: number; readonly stepMs: number }>> = {
  '1h': { spanMs: HOUR_MS, stepMs: MINUTE_MS },
  '6h': { spanMs: 6 * HOUR_MS, stepMs: 5 * MINUTE_MS },
  '24h': { spanMs: 24 * HOUR_MS, stepMs: 10 * MINUTE_MS },
  '7d': { spanMs: 168 * HOUR_MS, stepMs: HOUR_MS },
  '30d': { spanMs: 720 * HOUR_MS, stepMs: 6 * HOUR_MS },
};

/** What waits longer than this for a worker needs a look. */
const LONG_WAIT_MS = 60_000;
/** Calls within the last quarter of an hour of which this share failed, when there were some. */
const FAILING_SHARE = 0.2;
const FAILING_CALLS = 5;
const FAILING_WINDOW_MS = 15 * MINUTE_MS;

const MOST_WORKER_TASKS = 200;
const NEXT_RUNS = 5;

export const fleetReads: Handlers<
  | 'GET /overview'
  | 'GET /stats'
  | 'GET /tools'
  | 'GET /workers'
  | 'GET /workers/{id}'
  | 'GET /queues'
  | 'GET /schedules'
> = {
  'GET /overview': async (context) => {
    const { store } = context;
    const now = new Date();
    const recent = {
      from: new Date(now.getTime() - FAILING_WINDOW_MS),
      to: now,
      stepMs: MINUTE_MS,
      tool: null,
      queue: null,
    };
    const [gauges, workers, stats] = await Promise.all([
      store.gauges(),
      store.workers(),
      store.stats(recent),
    ]);
    const sum = (of: (gauge: QueueGauge) => number): number =>
      gauges.reduce((total, gauge) => total + of(gauge), 0);
    const live = workers.filter(({ isSilent }) => !isSilent);
    const oldest = Math.max(0, ...gauges.map(({ oldestWaitMs }) => oldestWaitMs));
    return {
      now: now.toISOString(),
      open: {
        waiting: sum(({ waiting }) => waiting),
        ready: sum(({ ready }) => ready),
        retrying: sum(({ retrying }) => retrying),
        running: sum(({ running }) => running),
        inputRequired: sum(({ inputRequired }) => inputRequired),
      },
      oldestWaitMs: oldest === 0 ? null : oldest,
      workers: {
        live: live.length,
        draining: live.filter(({ isDraining }) => isDraining).length,
        seats: live.reduce((total, { seats }) => total + seats, 0),
      },
      attention: [...unserved(gauges, live), ...slow(gauges), ...failing(stats.tools)],
    };
  },

  'GET /stats': async ({ store }, { query }) => {
    const { spanMs, stepMs } = RANGES[query.range];
    // Whole steps, the one that goes on included.
    const to = Math.ceil(Date.now() / stepMs) * stepMs;
    const window: StatsWindow = {
      from: new Date(to - spanMs),
      to: new Date(to),
      stepMs,
      tool: query.tool ?? null,
      queue: query.queue ?? null,
    };
    const stats = await store.stats(window);
    return {
      from: window.from.toISOString(),
      to: window.to.toISOString(),
      stepMs,
      ended: stats.buckets.map(({ at, ...ended }) => ({ at: at.toISOString(), ...shown(ended) })),
      gauges:
        query.tool === undefined
          ? stats.gauges.map(({ at, ...gauge }) => ({ at: at.toISOString(), ...gauge }))
          : [],
      tools: stats.tools.map(({ tool, ...ended }) => ({ tool, ...shown(ended) })),
      versions: stats.versions.map(({ version, ...ended }) => ({ version, ...shown(ended) })),
      foldedUntil: stats.foldedUntil.toISOString(),
    };
  },

  'GET /tools': async (context) => {
    const workers = (await context.store.workers()).filter(({ isSilent }) => !isSilent);
    return {
      tools: [...context.catalogue.tools.all()]
        .map((tool) => showTool(context, tool, workers))
        .sort((one, other) => one.name.localeCompare(other.name)),
    };
  },

  'GET /workers': async ({ store }) => ({ workers: (await store.workers()).map(showWorker) }),

  'GET /workers/{id}': async ({ store }, { params }) => {
    const found = (await store.workers()).find(({ id }) => id === params.id);
    if (found === undefined) throw notFound('worker of this id: it may have stopped');
    const running = { ...EVERY_TASK, phases: ['running'], worker: params.id as WorkerId } as const;
    const { tasks } = await store.search(running, MOST_WORKER_TASKS, null);
    return { ...showWorker(found), tasks: tasks.map(showTask) };
  },

  'GET /queues': async ({ store, pauses }) => ({
    queues: (await store.gauges()).map(({ queue, tools: _, oldestWaitMs, ...gauge }) => ({
      name: queue,
      ...gauge,
      oldestWaitMs: oldestWaitMs === 0 ? null : oldestWaitMs,
      isPaused: pauses.has({ kind: 'queue', name: queue }),
    })),
  }),

  'GET /schedules': async (context, { operator, query }) => {
    const { rows, next } = await placePage<ShownSchedule>(
      'schedules',
      query,
      async (limit, after) => {
        if (operator.seesAll) return context.store.schedules(limit, after);
        const own = await context.schedules.list(operator.principalId, limit, after);
        return own.map((schedule) => ({ ...schedule, principal: null }));
      },
    );
    return {
      schedules: rows.map((schedule) => ({
        id: schedule.id,
        name: schedule.name,
        principal: showPrincipal(schedule.principal),
        tool: schedule.toolName,
        arguments: schedule.arguments,
        cron: schedule.cron,
        runAt: instant(schedule.runAt),
        timeZone: schedule.timeZone,
        missed: schedule.missed,
        overlap: schedule.overlap,
        state: schedule.state,
        nextRuns: nextRuns(schedule).map((at) => at.toISOString()),
        lastRunAt: instant(schedule.lastRunAt),
        lastTaskId: schedule.lastTaskId,
        runs: schedule.runs,
        skipped: schedule.skipped,
        note: schedule.note,
        createdAt: schedule.createdAt.toISOString(),
      })),
      next,
    };
  },
};

/** Null: the operator's own; nobody else's are shown. */
type ShownSchedule = Schedule & { readonly principal: NamedPrincipal | null };

function nextRuns(schedule: Schedule): Date[] {
  const { nextRunAt } = schedule;
  if (nextRunAt === null) return [];
  return [nextRunAt, ...timesAfter(schedule, nextRunAt, NEXT_RUNS - 1)];
}

const EVERY_TASK = {
  owner: null,
  tools: null,
  queues: null,
  parent: null,
  createdAfter: null,
  createdBefore: null,
  text: null,
};

const shown = ({ waits, runs, ...ended }: EndedStats) => ({
  ...ended,
  waitHistogram: [...waits],
  runHistogram: [...runs],
});

function showTool(
  { pauses }: OperatorContext,
  tool: AnnouncedTool,
  workers: readonly SeenWorker[],
): AnswerOf<'GET /tools'>['tools'][number] {
  const { policy } = tool;
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    plugin: tool.plugin,
    pluginVersion: tool.pluginVersion,
    version: tool.version,
    deprecated: tool.deprecated,
    queue: policy.queue,
    taskSupport: tool.taskSupport,
    timeoutMs: policy.timeoutMs,
    maxAttempts: policy.maxAttempts,
    concurrency: policy.concurrency,
    rate: policy.rate,
    workers: workers.filter(({ tools }) => tools.includes(tool.name)).length,
    inputSchema: tool.inputSchema,
    outputSchema: tool.outputSchema,
    isPaused: pauses.has({ kind: 'tool', name: tool.name }),
  };
}

function showWorker(worker: SeenWorker): AnswerOf<'GET /workers'>['workers'][number] {
  return {
    id: worker.id,
    host: worker.host,
    pid: worker.pid,
    version: worker.version,
    queues: [...worker.queues],
    seats: worker.seats,
    running: worker.running,
    startedAt: worker.startedAt.toISOString(),
    heartbeatAt: worker.heartbeatAt.toISOString(),
    state: worker.isSilent ? 'silent' : worker.isDraining ? 'draining' : 'live',
    tools: [...worker.tools],
  };
}

type Attention = AnswerOf<'GET /overview'>['attention'][number];

/** Tools whose tasks wait for a worker, and that no live worker offers. */
function unserved(gauges: readonly QueueGauge[], live: readonly SeenWorker[]): Attention[] {
  const offered = new Set(live.flatMap(({ tools }) => tools));
  return gauges.flatMap(({ queue, tools }) =>
    Object.entries(tools)
      .filter(([tool]) => !offered.has(tool))
      .map(([tool, { ready, oldestMs }]) => ({
        kind: 'no_worker',
        message: `No worker offers ${tool}: ${ready} of its tasks wait, the oldest for ${seconds(oldestMs)} s`,
        tool,
        queue,
      })),
  );
}

function slow(gauges: readonly QueueGauge[]): Attention[] {
  return gauges
    .filter(({ oldestWaitMs }) => oldestWaitMs > LONG_WAIT_MS)
    .map(({ queue, oldestWaitMs, seats }) => ({
      kind: 'waits_long',
      message: `The oldest task of queue ${queue} waits for ${seconds(oldestWaitMs)} s; its workers have ${seats} seats`,
      tool: null,
      queue,
    }));
}

function failing(tools: readonly (EndedStats & { readonly tool: string })[]): Attention[] {
  return tools.flatMap(({ tool, completed, failed }) => {
    const ended = completed + failed;
    if (failed < FAILING_CALLS || failed < ended * FAILING_SHARE) return [];
    const message = `${failed} of the last ${ended} calls of ${tool} failed, within ${FAILING_WINDOW_MS / MINUTE_MS} min`;
    return [{ kind: 'failing', message, tool, queue: null }];
  });
}

const seconds = (ms: number): number => Math.round(ms / 1_000);
