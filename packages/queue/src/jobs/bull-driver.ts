import type { TaskId } from '@longshore/core';
import { ErrorCode, type Job } from 'bullmq';
import * as z from 'zod';

/** Events BullMQ keeps per queue for listeners it has none of here; each costs memory. */
export const MAX_EVENTS = 100;

/** How long an idle worker blocks before it looks again by itself, in seconds. */
export const DRAIN_DELAY_SECONDS = 5;

/** Pause before a worker repeats a command that failed for want of a connection. */
export const RETRY_DELAY_MS = 1_000;

/**
 * A worker that dies with its process is no fault of the job, so BullMQ never gives a job up for it: the
 * row counts lost attempts and is failed by the sweeper.
 */
export const MAX_STALLED_COUNT = 1_000_000;

/** Tasks that share a job at most. */
const MOST_IN_BUNDLE = 64;

/** Jobs that so many tasks have at least, so that several workers get some of what is added at once. */
const LEAST_BUNDLES = 4;

/** The jobs of one BullMQ queue, seen from the producer. */
export interface BullQueue {
  /** Adds jobs for tasks. One that a task has to itself has its id, and stays as it is when it exists. */
  add(taskIds: readonly string[]): Promise<void>;
  /** One more job for the task. */
  addLater(taskId: string, delayMs: number): Promise<void>;
  remove(id: string): Promise<void>;
  /** Waiting, delayed and prioritized jobs. */
  waitingCount(): Promise<number>;
  /** A job scheduler of this id, which adds a job at each time of `cron`; one that exists is replaced. */
  repeat(id: string, cron: string, timeZone: string): Promise<void>;
  /** A job of this id that waits until `at`. */
  delay(id: string, at: Date): Promise<void>;
  /** Takes the job scheduler or the delayed job of this id away. */
  cancel(id: string): Promise<void>;
  isRepeated(id: string): Promise<boolean>;
  isDelayed(id: string): Promise<boolean>;
  close(): Promise<void>;
}

export interface BullWorkerOptions {
  readonly concurrency: number;
  readonly leaseMs: number;
  readonly process: (job: Job, token: string | undefined) => Promise<void>;
}

/** One BullMQ worker with the connections made for it. */
export interface BullWorker {
  /** Works until closed; settling earlier means that BullMQ's loop broke. */
  run(): Promise<void>;
  /** Takes no new jobs and resolves when the running ones are through; may take as long as they do. */
  close(): Promise<void>;
  /** Cuts the connections, so that a `close` that waits for a lost server comes to an end. */
  abandon(): Promise<void>;
}

/** What differs between BullMQ on Redis and BullMQ on Postgres. */
export interface BullDriver {
  /**
   * Connects what adding jobs needs.
   *
   * @throws {LongshoreError} QUEUE_UNAVAILABLE after at most some 10 s
   */
  start(signal: AbortSignal): Promise<void>;
  stop(): Promise<void>;
  /** @throws {LongshoreError} QUEUE_UNAVAILABLE at once when the server is known to be away */
  openQueue(name: string): Promise<BullQueue>;
  /** @throws {LongshoreError} QUEUE_UNAVAILABLE after at most some 10 s */
  openWorker(name: string, options: BullWorkerOptions, signal: AbortSignal): Promise<BullWorker>;
}

/** What `Queue` of BullMQ offers on every backend. */
interface AnyQueue {
  add(name: string, data: object, opts: object): Promise<unknown>;
  getJob(id: string): Promise<unknown>;
  upsertJobScheduler(id: string, repeat: object, template: object): Promise<unknown>;
  getJobScheduler(id: string): Promise<unknown>;
  removeJobScheduler(id: string): Promise<boolean>;
  addBulk(jobs: { name: string; data: object; opts: object }[]): Promise<unknown>;
  remove(id: string): Promise<number>;
  getJobCountByTypes(...types: ('waiting' | 'delayed' | 'prioritized')[]): Promise<number>;
  close(): Promise<void>;
}

/** Jobs that are over leave nothing behind. */
const KEEP_NOTHING = { removeOnComplete: true, removeOnFail: true };

export function bullQueue(queue: AnyQueue): BullQueue {
  return {
    async add(taskIds) {
      await queue.addBulk(
        bundlesOf(taskIds).map((ids) => {
          const [jobId] = ids;
          return ids.length === 1
            ? { name: 'task', data: {}, opts: { jobId, ...KEEP_NOTHING } }
            : { name: 'tasks', data: bundle(ids), opts: KEEP_NOTHING };
        }),
      );
    },
    async addLater(taskId, delay) {
      await queue.add('tasks', bundle([taskId]), { delay, ...KEEP_NOTHING });
    },
    async repeat(id, pattern, tz) {
      try {
        await queue.upsertJobScheduler(id, { pattern, tz }, { name: 'wake', opts: KEEP_NOTHING });
      } catch (error) {
        if (!isJobThere(error)) throw error;
      }
    },
    async delay(jobId, at) {
      const delay = Math.max(0, at.getTime() - Date.now());
      await queue.add('wake', {}, { jobId, delay, ...KEEP_NOTHING });
    },
    async cancel(id) {
      await queue.removeJobScheduler(id);
      await queue.remove(id);
    },
    isRepeated: async (id) => isThere(await queue.getJobScheduler(id)),
    isDelayed: async (id) => isThere(await queue.getJob(id)),
    async remove(id) {
      await queue.remove(id);
    },
    waitingCount: () => queue.getJobCountByTypes('waiting', 'delayed', 'prioritized'),
    close: () => queue.close(),
  };
}

/** What a job of many tasks carries. */
const Bundle = z.object({ ids: z.array(z.uuid()).min(1) });
const bundle = (ids: readonly string[]) => ({ ids });

/** @returns the tasks that a job is for; null: it is none of ours */
export function taskIdsOf({ id, data }: Job): readonly TaskId[] | null {
  const many = Bundle.safeParse(data);
  if (many.success) return many.data.ids as TaskId[];
  return z.uuid().safeParse(id).success ? [id as string as TaskId] : null;
}

/** Makes a job be for these tasks only. */
export async function keepOnly(job: Job, ids: readonly TaskId[]): Promise<void> {
  const all = taskIdsOf(job);
  if (all?.length !== ids.length) await job.updateData(bundle(ids));
}

function bundlesOf(ids: readonly string[]): readonly string[][] {
  const size = Math.min(MOST_IN_BUNDLE, Math.ceil(ids.length / LEAST_BUNDLES));
  const bundles: string[][] = [];
  for (let from = 0; from < ids.length; from += size) bundles.push(ids.slice(from, from + size));
  return bundles;
}

/** The job of the next time is there already, and has just begun: it takes care of the one after it. */
function isJobThere(error: unknown): boolean {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : null;
  return code === ErrorCode.SchedulerJobIdCollision || code === ErrorCode.SchedulerJobSlotsBusy;
}

const isThere = (found: unknown): boolean => found !== undefined && found !== null;
