import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { LongshoreError, type ScheduleId, type WakingSchedule } from '@longshore/core';
import { ScheduleSweeper } from '../src/maintenance/schedule-sweeper.ts';
import { recordingLogger } from './support/recording-logger.ts';

const schedule = (wakesInMs: number, cron: string | null = '* * * * *'): WakingSchedule =>
  ({ id: randomUUID() as string as ScheduleId, cron, wakesInMs }) as WakingSchedule;

describe('schedule sweeper', () => {
  let rows: WakingSchedule[];
  let armed: ScheduleId[];
  let known: Set<ScheduleId>;
  let isQueueAway: boolean;
  let ran: WakingSchedule[];
  let stuck: WakingSchedule | null;

  beforeEach(() => {
    [rows, armed, known, isQueueAway, ran, stuck] = [[], [], new Set(), false, [], null];
  });

  const sweeper = (log = recordingLogger().log): ScheduleSweeper =>
    new ScheduleSweeper({
      store: {
        wakingWithin: async (_withinMs, limit) => rows.slice(0, limit),
        deleteEnded: async () => 0,
      },
      wakes: {
        arm: async ({ id }) => {
          if (isQueueAway) throw new LongshoreError('QUEUE_UNAVAILABLE', 'away');
          armed.push(id);
        },
        lost: async (schedules) => {
          if (isQueueAway) throw new LongshoreError('QUEUE_UNAVAILABLE', 'away');
          return new Set(schedules.map(({ id }) => id).filter((id) => !known.has(id)));
        },
      },
      run: async (one) => {
        ran.push(one);
        if (one === stuck) throw new Error('stuck');
        rows = rows.filter((row) => row !== one);
      },
      log,
      batchSize: 2,
    });

  it('runs all that is overdue, batch by batch, and wakes it again by cron', async () => {
    rows = [schedule(-3), schedule(-2), schedule(-1, null), schedule(0)];
    const all = [...rows];
    expect(await sweeper().runOnce()).toBe(4);
    expect(ran).toEqual(all);
    expect(armed).toEqual(all.filter(({ cron }) => cron !== null).map(({ id }) => id));
  });

  it('arms what is due soon and has lost its wake, and nothing else', async () => {
    rows = [schedule(1_000), schedule(2_000)];
    const [kept, lost] = rows;
    known.add(kept?.id as ScheduleId);
    expect(await sweeper().runOnce()).toBe(0);
    expect([ran, armed]).toEqual([[], [lost?.id]]);
  });

  it('goes on with the others when one fails, and fails then', async () => {
    rows = [schedule(-2), schedule(-1)];
    [stuck = null] = rows;
    const one = sweeper();
    await expect(one.runOnce()).rejects.toThrow('1 schedules failed');
    expect(ran).toHaveLength(2);
  });

  it('needs no queue, and says once that it is away', async () => {
    const { log, lines } = recordingLogger();
    const one = sweeper(log);
    isQueueAway = true;
    for (let sweep = 0; sweep < 3; sweep += 1) {
      rows = [schedule(-1)];
      expect(await one.runOnce()).toBe(1);
    }
    expect(lines.map(({ level }) => level)).toEqual(['warn']);
    isQueueAway = false;
    rows = [schedule(-1)];
    await one.runOnce();
    expect(armed).toHaveLength(1);
  });

  it('stops in between when it is to', async () => {
    rows = [schedule(-1), schedule(-1), schedule(-1)];
    const abort = new AbortController();
    abort.abort();
    expect(await sweeper().runOnce(abort.signal)).toBe(0);
  });
});
