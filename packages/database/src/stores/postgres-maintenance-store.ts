import { randomUUID } from 'node:crypto';
import type {
  Admission,
  AdmissionPlan,
  AdmittedJob,
  EndedTask,
  FailedTask,
  MaintenanceStore,
  QueueLoad,
  TaskId,
} from '@longshore/core';
import type { PoolRunner } from '../connection/pool-runner.ts';
import { toEndedTask } from '../rows/ended-row.ts';
import { admitTasks } from '../statements/admit-tasks.ts';
import { cancelOrphans } from '../statements/cancel-orphans.ts';
import { deleteExpiredBatches } from '../statements/delete-expired-batches.ts';
import { deleteTasks } from '../statements/delete-tasks.ts';
import { failOverdueTasks } from '../statements/fail-overdue-tasks.ts';
import { findBackloggedQueues } from '../statements/find-backlogged-queues.ts';
import { forgetPrincipals } from '../statements/forget-principals.ts';
import { lockAdmission } from '../statements/lock-admission.ts';
import { pickExpiredTasks } from '../statements/pick-expired-tasks.ts';
import { pruneEvents } from '../statements/prune-events.ts';
import { pruneResults } from '../statements/prune-results.ts';
import { readQueueLoad } from '../statements/read-queue-load.ts';
import { readmitTasks } from '../statements/readmit-tasks.ts';
import { unadmitTasks } from '../statements/unadmit-tasks.ts';

export class PostgresMaintenanceStore implements MaintenanceStore {
  readonly #runner: PoolRunner;

  constructor(runner: PoolRunner) {
    this.#runner = runner;
  }

  /** Three statements under a lock, so that what the second one counts is what the third one adds to. */
  async admit(queue: string, plan: AdmissionPlan): Promise<Admission | null> {
    return this.#runner.transaction('admit-tasks', async (runner) => {
      if (!(await lockAdmission(runner, queue))) return null;
      const load = await readQueueLoad(runner, queue, plan.most);
      const depth = Math.min(Math.max(plan.depth, load.seats), plan.most);
      const limit = Math.min(plan.limit, plan.most - load.waiting);
      if (limit <= 0) return { ...load, jobs: [] };
      const room = depth - load.waiting;
      const { pausedTools = [] } = plan;
      const startAt = randomUUID();
      const jobs = await admitTasks(runner, { queue, room, limit, startAt, pausedTools });
      return { ...load, jobs };
    });
  }

  async queueLoad(queue: string, most: number): Promise<QueueLoad> {
    return readQueueLoad(this.#runner, queue, most);
  }

  async unadmit(taskIds: readonly TaskId[]): Promise<void> {
    if (taskIds.length > 0) await unadmitTasks(this.#runner, taskIds);
  }

  async queuesWithBacklog(): Promise<string[]> {
    return findBackloggedQueues(this.#runner);
  }

  async readmit(staleMs: number, limit: number): Promise<AdmittedJob[]> {
    return readmitTasks(this.#runner, staleMs, limit);
  }

  async failOverdue(maxLost: number, limit: number): Promise<FailedTask[]> {
    return failOverdueTasks(this.#runner, maxLost, limit);
  }

  async cancelOrphans(limit: number): Promise<EndedTask[]> {
    return cancelOrphans(this.#runner, limit);
  }

  async deleteExpiredBatches(limit: number): Promise<number> {
    return deleteExpiredBatches(this.#runner, limit);
  }

  async pruneEvents(ageMs: number, limit: number): Promise<number> {
    return pruneEvents(this.#runner, ageMs, limit);
  }

  async pruneResults(ageMs: number, limit: number): Promise<number> {
    return pruneResults(this.#runner, ageMs, limit);
  }

  /**
   * Two statements and a transaction, not one statement: an attempt may end between a statement's snapshot
   * and its locks, and its event would stay behind. Forgets the anonymous owners of what it deleted.
   */
  async deleteExpired(
    limit: number,
  ): Promise<{ readonly deleted: number; readonly open: EndedTask[] }> {
    return this.#runner.transaction('delete-expired-tasks', async (runner) => {
      const expired = await pickExpiredTasks(runner, limit);
      if (expired.length === 0) return { deleted: 0, open: [] };
      await deleteTasks(
        runner,
        expired.map(({ id }) => id),
      );
      await forgetPrincipals(runner, [...new Set(expired.map((row) => row.principal_id))]);
      const open = expired.filter((row) => row.is_open).map(toEndedTask);
      return { deleted: expired.length, open };
    });
  }
}
