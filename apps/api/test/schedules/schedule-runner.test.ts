import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  type AnnouncedTool,
  type AuthBindingId,
  LongshoreError,
  type NewTask,
  type PrincipalId,
  type PrincipalLimits,
  type ScheduleFiring,
  type ScheduleId,
  type SchedulePlace,
  silentLogger,
  type TaskId,
  type WakingSchedule,
} from '@longshore/core';
import { ArgumentValidator } from '../../src/catalogue/argument-validator.ts';
import { limitsOver } from '../../src/edge/limits/limits-of.ts';
import { ScheduleRunner } from '../../src/schedules/schedule-runner.ts';
import { tool } from '../catalogue/support/fakes.ts';

const DUE = new Date('2026-11-20T12:00:00Z');
const minutes = (count: number): Date => new Date(DUE.getTime() + count * 60_000);

const LIMITS: PrincipalLimits = {
  requestsPerMinute: 0,
  concurrentTasks: 0,
  queuedTasks: 0,
  argumentBytes: 1_000,
  maxTtlMs: 60_000,
  openStreams: 1,
  sessions: 5,
  schedules: 1,
};

/** Due every minute, seen half a minute after its fifth due time. */
const seen = (changes: Partial<WakingSchedule> = {}): WakingSchedule => ({
  id: randomUUID() as string as ScheduleId,
  principalId: 'p' as PrincipalId,
  authBindingId: 'b' as AuthBindingId,
  name: null,
  toolName: 'echo',
  arguments: { text: 'hi' },
  cron: '* * * * *',
  runAt: null,
  timeZone: 'UTC',
  missed: 'run_once',
  overlap: 'skip',
  ttlMs: null,
  state: 'active',
  nextRunAt: DUE,
  lastRunAt: null,
  lastTaskId: null,
  runs: 0,
  skipped: 0,
  note: null,
  createdAt: DUE,
  credential: 'valid',
  limits: {},
  isLastOpen: false,
  wakesInMs: -1,
  now: new Date(minutes(4).getTime() + 30_000),
  ...changes,
});

/** What the store was told, in order; the row is where it was last moved to. */
class FakeStore {
  readonly fired: { place: SchedulePlace; firing: ScheduleFiring }[] = [];
  readonly told: string[] = [];
  row: WakingSchedule | null = null;
  /** How many firings succeed before somebody else's does. */
  wins = Number.POSITIVE_INFINITY;

  waking = async (): Promise<WakingSchedule | null> => this.row;
  fire = async (place: SchedulePlace, firing: ScheduleFiring): Promise<boolean> => {
    if (this.fired.length >= this.wins) return false;
    this.fired.push({ place, firing });
    return true;
  };
  pause = async (_place: SchedulePlace, note: string): Promise<boolean> => {
    this.told.push(`paused: ${note}`);
    return true;
  };
  postpone = async (_place: SchedulePlace, delayMs: number, note: string): Promise<boolean> => {
    this.told.push(`postponed ${delayMs}: ${note}`);
    return true;
  };
}

describe('a schedule that is due', () => {
  let store: FakeStore;
  let offered: AnnouncedTool | null;
  let refusal: LongshoreError | null;
  let tasks: Omit<NewTask, 'enqueue'>[];

  beforeEach(() => {
    store = new FakeStore();
    offered = tool('echo');
    refusal = null;
    tasks = [];
  });

  const runner = (): ScheduleRunner =>
    new ScheduleRunner({
      store,
      catalogue: { tools: { find: () => offered } },
      validator: new ArgumentValidator(),
      submitter: {
        submitBy: async (task, _limits, commit) => {
          if (refusal !== null) throw refusal;
          tasks.push(task);
          return commit({ ...task, enqueue: false });
        },
      },
      limitsOf: limitsOver(LIMITS),
      defaultTtlMs: 1_000_000,
      log: silentLogger,
    });

  const run = async (changes: Partial<WakingSchedule> = {}): Promise<void> => {
    store.row = seen(changes);
    await runner().run(store.row);
  };

  const dueTimes = (): (Date | undefined)[] => store.fired.map(({ firing }) => firing.run?.dueAt);
  const skipped = (): number => store.fired.reduce((sum, { firing }) => sum + firing.skipped, 0);
  const next = (): Date | null | undefined => store.fired.at(-1)?.firing.nextRunAt;

  it('makes one task of all the times that were missed, unless it says otherwise', async () => {
    await run();
    expect([dueTimes(), skipped(), next()]).toEqual([[minutes(4)], 4, minutes(5)]);
    expect(store.fired[0]?.place.nextRunAt).toEqual(DUE);
    const [task] = tasks;
    expect(task).toMatchObject({
      principalId: 'p',
      authBindingId: 'b',
      sessionId: null,
      listed: true,
      toolName: 'echo',
      arguments: { text: 'hi' },
      // Not more than the principal may have.
      ttlMs: 60_000,
      outcome: null,
    });
  });

  it('runs all of them, each from where the one before left the row', async () => {
    await run({ missed: 'run_all', overlap: 'start' });
    expect(dueTimes()).toEqual([0, 1, 2, 3, 4].map(minutes));
    expect(store.fired.map(({ place }) => place.nextRunAt)).toEqual([0, 1, 2, 3, 4].map(minutes));
    expect([skipped(), next()]).toEqual([0, minutes(5)]);
    expect(new Set(tasks.map(({ requestId }) => requestId)).size).toBe(5);
  });

  it('runs the latest hundred of very many', async () => {
    await run({ missed: 'run_all', overlap: 'start', now: minutes(200) });
    expect([dueTimes().length, dueTimes()[0], skipped()]).toEqual([100, minutes(101), 101]);
  });

  it('leaves the others to whoever was faster', async () => {
    store.wins = 2;
    await run({ missed: 'run_all', overlap: 'start' });
    expect(dueTimes()).toHaveLength(2);
    expect(tasks).toHaveLength(3);
  });

  it('skips what is more than a minute ago, when it is to', async () => {
    await run({ missed: 'skip' });
    expect([dueTimes(), skipped()]).toEqual([[minutes(4)], 4]);
    store.fired.length = 0;
    await run({ missed: 'skip', cron: '0 * * * *', now: minutes(2) });
    expect([dueTimes(), skipped(), next()]).toEqual([[undefined], 1, minutes(60)]);
  });

  it('starts nothing while the task before is open, unless it is to', async () => {
    await run({ isLastOpen: true, lastTaskId: 'last' as TaskId });
    expect([dueTimes(), skipped(), next()]).toEqual([[undefined], 5, minutes(5)]);
    expect(store.fired[0]?.firing.note).toContain('last, had not ended');
    store.fired.length = 0;
    await run({ isLastOpen: true, overlap: 'start' });
    expect(dueTimes()).toEqual([minutes(4)]);
  });

  it('ends when it was to run once, also when that was missed', async () => {
    const once = { cron: null, runAt: DUE };
    await run(once);
    expect([dueTimes(), next()]).toEqual([[DUE], null]);
    store.fired.length = 0;
    await run({ ...once, missed: 'skip' });
    expect([dueTimes(), skipped(), next()]).toEqual([[undefined], 1, null]);
  });

  it.each([
    ['revoked', 'was revoked'],
    ['expired', 'has expired'],
    ['gone', 'session'],
  ] as const)('is paused when its credential is %s', async (credential, why) => {
    await run({ credential });
    expect([tasks, store.fired]).toEqual([[], []]);
    expect(store.told).toEqual([expect.stringMatching(`^paused: .*${why}`)]);
  });

  it('waits for a tool that nobody offers, and for room, and says so', async () => {
    offered = null;
    await run();
    offered = tool('echo');
    refusal = new LongshoreError('TOO_MANY_TASKS', '3 tasks are waiting');
    await run();
    expect(store.told).toEqual([
      expect.stringMatching(/^postponed 15000: .*echo/),
      expect.stringMatching(/^postponed 15000: .*3 tasks are waiting/),
    ]);
    expect(store.fired).toEqual([]);
  });

  it('is still due when the database is away', async () => {
    refusal = new LongshoreError('DATABASE_UNAVAILABLE', 'away');
    await expect(run()).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' });
    expect(store.told).toEqual([]);
  });

  it('makes a task that has failed when the arguments do not fit any more, and goes on', async () => {
    const inputSchema = { type: 'object', required: ['path'] };
    offered = tool('echo', { inputSchema });
    await run();
    expect(tasks[0]?.outcome).toMatchObject({ kind: 'result', isError: true });
    expect(store.fired[0]?.firing).toMatchObject({
      nextRunAt: minutes(5),
      note: expect.stringContaining('do not fit'),
    });
  });

  it('answers a wake by where the row is', async () => {
    const { id } = seen();
    expect(await runner().wake(id)).toEqual({ kind: 'gone' });
    store.row = seen({ wakesInMs: 1_500.2 });
    expect(await runner().wake(id)).toEqual({ kind: 'early', againInMs: 1_501 });
    store.row = seen({ wakesInMs: 3_600_000 });
    expect(await runner().wake(id)).toEqual({ kind: 'done' });
    expect(store.fired).toEqual([]);
    store.row = seen({ wakesInMs: 0 });
    expect(await runner().wake(id)).toEqual({ kind: 'done' });
    expect(store.fired).toHaveLength(1);
  });
});
