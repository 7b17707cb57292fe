import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  CATALOGUE_TOPIC,
  type CatalogueStore,
  LongshoreError,
  type Service,
  silentLogger,
  type WorkerAnnouncement,
  type WorkerId,
} from '@longshore/core';
import { WorkerMetrics } from '@longshore/metrics';
import { defineTool, z } from '@longshore/plugin';
import { waitFor } from '@longshore/testing';
import { describeService } from '@longshore/testing/suites';
import { RunningAttempts } from '../src/attempts/running-attempts.ts';
import { Worker } from '../src/index.ts';
import { InputWaits } from '../src/inputs/input-waits.ts';
import { announcedTool } from '../src/plugins/announced-offers.ts';
import { Announcer } from '../src/services/announcer.ts';
import { Heartbeat } from '../src/services/heartbeat.ts';
import { OrderListener } from '../src/services/order-listener.ts';
import { testFiles } from './bench/test-files.ts';
import { testThreads } from './bench/test-threads.ts';
import { WorkerBench } from './bench/worker-bench.ts';

const tool = defineTool({
  name: 'noop',
  description: 'Does nothing.',
  input: z.object({}),
  run: () => 'nothing',
});
const announced = announcedTool(tool, { name: 'test', version: '0.0.0' });
const newId = () => randomUUID() as WorkerId;

let bench: WorkerBench;
beforeAll(async () => {
  bench = await WorkerBench.open('postgres');
});
afterAll(async () => {
  await bench.close();
});

function announcement(id: WorkerId): WorkerAnnouncement {
  return {
    id,
    host: 'test',
    pid: process.pid,
    version: '0.0.0',
    queues: ['default'],
    concurrency: 1,
    leaseMs: 20_000,
    tools: [announced],
    prompts: [],
    resources: [],
    cards: [],
  };
}

function announcer(
  id: WorkerId,
  beatIntervalMs = 60_000,
  instead: Partial<CatalogueStore> = {},
): Announcer {
  const { catalogueStore } = bench.database;
  return new Announcer({
    announcement: announcement(id),
    catalogue: {
      announce: (worker) => catalogueStore.announce(worker),
      beat: (worker) => catalogueStore.beat(worker),
      retire: (worker) => catalogueStore.retire(worker),
      load: (graceMs) => catalogueStore.load(graceMs),
      versionToRun: (...args) => catalogueStore.versionToRun(...args),
      differing: (...args) => catalogueStore.differing(...args),
      presence: (...args) => catalogueStore.presence(...args),
      deleteGone: (goneMs) => catalogueStore.deleteGone(goneMs),
      ...instead,
    },
    bus: bench.messaging.bus,
    log: silentLogger,
    beatIntervalMs,
  });
}

const names = async () =>
  (await bench.database.catalogueStore.load(60_000)).tools.map(({ name }) => name);

const inputWaits = () =>
  new InputWaits({
    attempts: bench.database.attemptStore,
    bus: bench.messaging.bus,
    log: silentLogger,
  });

describeService('Announcer', () => announcer(newId()));

describeService('InputWaits', inputWaits);

describeService(
  'Heartbeat',
  (): Service =>
    new Heartbeat({
      workerId: newId(),
      leaseMs: 60_000,
      attempts: bench.database.attemptStore,
      bus: bench.messaging.bus,
      running: new RunningAttempts(),
      log: silentLogger,
    }),
);

describeService(
  'OrderListener',
  (): Service =>
    new OrderListener({
      workerId: newId(),
      bus: bench.messaging.bus,
      running: new RunningAttempts(),
      inputs: inputWaits(),
      resync: () => {},
    }),
);

describeService(
  'Worker',
  (): Service =>
    new Worker({
      id: newId(),
      host: 'test',
      pid: process.pid,
      version: '0.0.0',
      offers: { tools: [{ tool, announced, entry: '' }], prompts: [], resources: [] },
      threads: testThreads(),
      concurrency: 1,
      spareSeats: 1,
      leaseMs: 60_000,
      shutdownGraceMs: 0,
      attempts: bench.database.attemptStore,
      batches: bench.database.batchStore,
      starts: bench.database.toolStarts,
      maxBatchItems: 1_000,
      inputs: bench.database.inputStore,
      pokeRelay: () => {},
      jobs: { addLater: async () => {}, remove: async () => {} },
      unadmit: async () => {},
      pauses: { has: () => false, tools: [] },
      ...testFiles(bench.database.fileRecords),
      catalogue: bench.database.catalogueStore,
      bus: bench.messaging.bus,
      resourceUpdated: () => {},
      metrics: new WorkerMetrics(() => true),
      createConsumer: (options) => bench.messaging.createJobConsumer(options),
      log: silentLogger,
    }),
);

describe('Worker', () => {
  it('offers something else while it runs, and only what its queues serve', async () => {
    const named = (name: string, queue = 'default') => {
      const made = defineTool({
        name,
        description: 'Says its name.',
        input: z.object({}),
        task: { queue },
        run: () => name,
      });
      return {
        tool: made,
        announced: announcedTool(made, { name: 'test', version: '0.0.0' }),
        entry: '',
      };
    };
    const offering = (...tools: ReturnType<typeof named>[]) => ({
      tools,
      prompts: [],
      resources: [],
      cards: [],
    });
    const { worker } = await bench.startWorker([named('first').tool]);
    expect(await names()).toEqual(['first']);
    await worker.offer(offering(named('second'), named('elsewhere', 'slow')));
    expect(await names()).toEqual(['second']);
    expect(await bench.text(await bench.submit('second', {}))).toBe('second');
    await worker.stop();
    await worker.offer(offering(named('third')));
    expect(await names()).toEqual([]);
  });
});

describe('Announcer', () => {
  it('announces later what it could not announce at once', async () => {
    let isAway = false;
    const { catalogueStore } = bench.database;
    const id = newId();
    const service = announcer(id, 60_000, {
      announce: (worker) =>
        isAway
          ? Promise.reject(new LongshoreError('DATABASE_UNAVAILABLE', 'away'))
          : catalogueStore.announce(worker),
    });
    await service.start();
    isAway = true;
    const other = { ...announcement(id), tools: [{ ...announced, name: 'other' }] };
    await expect(service.announceInstead(other)).rejects.toThrow('away');
    expect(await names()).toEqual(['noop']);
    isAway = false;
    await service.runOnce();
    expect(await names()).toEqual(['other']);
    await service.stop();
  });

  it('announces the worker again when it was forgotten, and publishes each change', async () => {
    let changes = 0;
    const subscription = await bench.messaging.bus.subscribe(CATALOGUE_TOPIC, ({ kind }) => {
      if (kind === 'catalogue-changed') changes += 1;
    });
    const id = newId();
    const service = announcer(id);
    await service.start();
    await waitFor(() => changes === 1, { what: 'the announcement is published' });
    await bench.database.catalogueStore.retire(id);
    expect(await names()).toEqual([]);
    await service.runOnce();
    expect(await names()).toEqual(['noop']);
    await waitFor(() => changes === 2, { what: 'the second announcement is published' });
    await service.stop();
    expect(await names()).toEqual([]);
    await waitFor(() => changes === 3, { what: 'the retirement is published' });
    await subscription.close();
  });

  it('goes on beating after the database was away, and says both once', async () => {
    const said: string[] = [];
    let isAway = true;
    const { catalogueStore } = bench.database;
    const service = new Announcer({
      announcement: {
        id: newId(),
        host: 'test',
        pid: process.pid,
        version: '0.0.0',
        queues: [],
        concurrency: 1,
        leaseMs: 20_000,
        tools: [],
        prompts: [],
        resources: [],
        cards: [],
      },
      catalogue: {
        announce: (worker) => catalogueStore.announce(worker),
        beat: (id) =>
          isAway
            ? Promise.reject(new LongshoreError('DATABASE_UNAVAILABLE', 'away'))
            : catalogueStore.beat(id),
        retire: (id) => catalogueStore.retire(id),
        load: (graceMs) => catalogueStore.load(graceMs),
        versionToRun: (...args) => catalogueStore.versionToRun(...args),
        differing: (...args) => catalogueStore.differing(...args),
        presence: (...args) => catalogueStore.presence(...args),
        deleteGone: (goneMs) => catalogueStore.deleteGone(goneMs),
      },
      bus: bench.messaging.bus,
      log: {
        ...silentLogger,
        info: (_fields, message) => void said.push(message),
        warn: (_fields, message) => void said.push(message),
      },
      beatIntervalMs: 60_000,
    });
    await service.start();
    await service.runOnce();
    await service.runOnce();
    isAway = false;
    await service.runOnce();
    await service.stop();
    expect(said).toEqual(['announcing failed', 'announcing works again']);
  });
});
