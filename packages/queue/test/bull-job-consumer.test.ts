import { describe, expect, it } from '@jest/globals';
import type { JobConsumer, JobDisposition } from '@longshore/core';
import { waitFor } from '@longshore/testing';
import { DelayedError, type Job } from 'bullmq';
import { type BullDriver, type BullWorkerOptions, taskIdsOf } from '../src/jobs/bull-driver.ts';
import { BullJobConsumer } from '../src/jobs/bull-job-consumer.ts';
import { recordingLogger } from './support/recording-logger.ts';
import { newTaskId } from './support/rig.ts';

type Process = BullWorkerOptions['process'];

/** A driver whose worker runs until closed or broken, and hands out its process function. */
function fakeDriver(): {
  readonly driver: BullDriver;
  readonly opened: Process[];
  breakLoop(): void;
} {
  const opened: Process[] = [];
  let end: () => void = () => {};
  const driver: BullDriver = {
    start: async () => {},
    stop: async () => {},
    openQueue: () => Promise.reject(new Error('not used')),
    openWorker: async (_name, { process }) => {
      const ended = new Promise<void>((resolve) => {
        end = resolve;
      });
      opened.push(process);
      return { run: () => ended, close: async () => end(), abandon: async () => {} };
    },
  };
  return { driver, opened, breakLoop: () => end() };
}

function consume(
  driver: BullDriver,
  handler: () => Promise<JobDisposition>,
): { readonly consumer: JobConsumer; readonly lines: readonly { message: string }[] } {
  const { log, lines } = recordingLogger();
  const consumer = new BullJobConsumer({
    driver,
    prefix: 'p',
    log,
    queue: 'work',
    subjectOf: taskIdsOf,
    concurrency: 1,
    leaseMs: 1_000,
    handler,
  });
  return { consumer, lines };
}

const job = (id: string, moveToDelayed: () => Promise<void>): Job =>
  ({ id, moveToDelayed }) as Partial<Job> as Job;

describe('job consumer', () => {
  it('opens a new worker when the loop of the old one ends by itself', async () => {
    const { driver, opened, breakLoop } = fakeDriver();
    const { consumer, lines } = consume(driver, async () => ({ kind: 'done' }));
    await consumer.start();
    breakLoop();
    await waitFor(() => opened.length === 2, { what: 'the second worker' });
    await consumer.stop();
    expect(opened).toHaveLength(2);
    expect(lines).toMatchObject([{ level: 'error', message: 'job consumer ended by itself' }]);
  });

  it('neither completes nor fails a job whose delay can not be written', async () => {
    const { driver, opened } = fakeDriver();
    const { consumer } = consume(driver, async () => ({ kind: 'again', delayMs: 10 }));
    await consumer.start();
    const stuck = job(newTaskId(), () => Promise.reject(new Error('planted')));
    await expect(opened[0]?.(stuck, 'token')).rejects.toBeInstanceOf(DelayedError);
    await consumer.stop();
  });

  it('drops a job that is no task', async () => {
    const { driver, opened } = fakeDriver();
    let calls = 0;
    const { consumer } = consume(driver, async () => {
      calls += 1;
      return { kind: 'done' };
    });
    await consumer.start();
    await expect(
      opened[0]?.(
        job('7', async () => {}),
        'token',
      ),
    ).resolves.toBeUndefined();
    await consumer.stop();
    expect(calls).toBe(0);
  });
});
