import { describe, expect, it } from '@jest/globals';
import { type AdmittedJob, LongshoreError, silentLogger, type TaskId } from '@longshore/core';
import { describeService } from '@longshore/testing/suites';
import { Housekeeper, type HousekeeperOptions } from '../src/maintenance/housekeeper.ts';
import { Relay } from '../src/maintenance/relay.ts';
import { Sweeper, type SweeperOptions } from '../src/maintenance/sweeper.ts';
import { newTaskId } from './support/rig.ts';

const down = (): Promise<never> =>
  Promise.reject(new LongshoreError('QUEUE_UNAVAILABLE', 'planted'));

function sweeperOptions(): SweeperOptions {
  return {
    store: {
      readmit: async () => [],
      unadmit: async () => {},
      failOverdue: async () => [],
      cancelOrphans: async () => [],
      deleteExpired: async () => ({ deleted: 0, open: [] }),
      deleteExpiredBatches: async () => 0,
    },
    jobs: { add: async () => {} },
    bus: { publish: async () => {} },
    log: silentLogger,
    batchSize: 2,
  };
}

function housekeeperOptions(): HousekeeperOptions {
  return {
    sessions: { deleteIdle: async () => 0 },
    catalogue: { deleteGone: async () => 0 },
    cards: { deleteOld: async () => 0 },
    tasks: { pruneEvents: async () => 0, pruneResults: async () => 0 },
    eventRetentionMs: null,
    resultRetentionMs: null,
    log: silentLogger,
    sessionIdleMs: 1_000,
    batchSize: 2,
  };
}

describe('relay', () => {
  it('fills the other queues when one does not answer', async () => {
    const added: TaskId[] = [];
    const waiting = new Map<string, AdmittedJob[]>([
      ['broken', [{ taskId: newTaskId(), queue: 'broken' }]],
      ['good', [{ taskId: newTaskId(), queue: 'good' }]],
    ]);
    const relay = new Relay({
      store: {
        queuesWithBacklog: async () => [...waiting.keys()],
        admit: async (queue) => {
          if (queue === 'broken') return down();
          return { waiting: 0, seats: 1, jobs: waiting.get(queue)?.splice(0) ?? [] };
        },
        unadmit: async () => {},
      },
      jobs: {
        add: async (_queue, ids) => void added.push(...ids),
      },
      log: silentLogger,
    });
    await expect(relay.runOnce()).rejects.toThrow(AggregateError);
    expect(added).toHaveLength(1);
  });

  describeService(
    'relay',
    () =>
      new Relay({
        store: {
          queuesWithBacklog: async () => [],
          admit: async () => ({ waiting: 0, seats: 1, jobs: [] }),
          unadmit: async () => {},
        },
        jobs: { add: async () => {} },
        log: silentLogger,
      }),
  );
});

describe('sweeper', () => {
  it('does the other parts when one fails', async () => {
    let deleted = false;
    const options = sweeperOptions();
    const sweeper = new Sweeper({
      ...options,
      store: {
        ...options.store,
        failOverdue: down,
        deleteExpired: async () => {
          deleted = true;
          return { deleted: 1, open: [] };
        },
      },
    });
    await expect(sweeper.runOnce()).rejects.toThrow('1 parts of a sweep failed');
    expect(deleted).toBe(true);
  });

  it('leaves to the relay what it can not add, and adds to the other queues', async () => {
    const options = sweeperOptions();
    const [broken, good] = [newTaskId(), newTaskId()];
    const stale: AdmittedJob[] = [
      { taskId: broken, queue: 'broken' },
      { taskId: good, queue: 'good' },
    ];
    const back: TaskId[] = [];
    const added: TaskId[] = [];
    const sweeper = new Sweeper({
      ...options,
      store: {
        ...options.store,
        readmit: async () => stale.splice(0),
        unadmit: async (ids) => void back.push(...ids),
      },
      jobs: {
        add: async (queue, ids) => {
          if (queue === 'broken') await down();
          added.push(...ids);
        },
      },
    });
    await expect(sweeper.runOnce()).rejects.toThrow(AggregateError);
    expect({ back, added }).toEqual({ back: [broken], added: [good] });
  });

  it('works in batches until less than a batch comes back', async () => {
    const options = sweeperOptions();
    const counts = [2, 2, 1, 2];
    const sweeper = new Sweeper({
      ...options,
      store: {
        ...options.store,
        deleteExpired: async () => ({ deleted: counts.shift() ?? 0, open: [] }),
      },
    });
    expect(await sweeper.runOnce()).toEqual({ readmitted: 0, failed: 0, deleted: 5 });
    expect(counts).toEqual([2]);
  });

  describeService('sweeper', () => new Sweeper(sweeperOptions()));
});

describe('housekeeper', () => {
  it('deletes idle sessions in batches, then gone workers', async () => {
    const counts = [2, 2, 0];
    const asked: number[] = [];
    const housekeeper = new Housekeeper({
      ...housekeeperOptions(),
      sessions: { deleteIdle: async () => counts.shift() ?? 0 },
      catalogue: {
        deleteGone: async (goneMs) => {
          asked.push(goneMs);
          return 3;
        },
      },
    });
    expect(await housekeeper.runOnce()).toEqual({
      sessions: 4,
      workers: 3,
      cards: 0,
      histories: 0,
      results: 0,
    });
    expect(asked).toEqual([3_600_000]);
  });

  it('prunes in batches what need not be kept, and nothing else', async () => {
    const calls: unknown[] = [];
    const counts = [2, 1];
    const housekeeper = new Housekeeper({
      ...housekeeperOptions(),
      eventRetentionMs: 7,
      tasks: {
        pruneEvents: async (...args) => {
          calls.push(args);
          return counts.shift() ?? 0;
        },
        pruneResults: () => Promise.reject(new Error('results are kept')),
      },
    });
    expect(await housekeeper.runOnce()).toMatchObject({ histories: 3, results: 0 });
    expect(calls).toEqual([
      [7, 2],
      [7, 2],
    ]);
  });

  describeService('housekeeper', () => new Housekeeper(housekeeperOptions()));
});
