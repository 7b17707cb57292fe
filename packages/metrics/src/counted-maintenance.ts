import type { MaintenanceStore } from '@longshore/core';
import type { ProcessMetrics } from './process-metrics.ts';

/** What a sweeper uses of the store. */
type Swept = Pick<
  MaintenanceStore,
  'readmit' | 'unadmit' | 'failOverdue' | 'cancelOrphans' | 'deleteExpired' | 'deleteExpiredBatches'
>;

/** The same store, of which is counted what it has found: of several sweepers each counts its own. */
export function countedMaintenance(store: Swept, metrics: ProcessMetrics): Swept {
  return {
    unadmit: (taskIds) => store.unadmit(taskIds),
    readmit: async (staleMs, limit) => {
      const jobs = await store.readmit(staleMs, limit);
      metrics.swept('stale_job', jobs.length);
      return jobs;
    },
    failOverdue: async (maxLost, limit) => {
      const failed = await store.failOverdue(maxLost, limit);
      metrics.swept('failed', failed.length);
      for (const task of failed) {
        metrics.finished(task, task.outcomeKind);
        if (task.isLost) metrics.lost(task);
      }
      return failed;
    },
    cancelOrphans: async (limit) => {
      const orphans = await store.cancelOrphans(limit);
      metrics.swept('orphan', orphans.length);
      metrics.orphaned(orphans);
      return orphans;
    },
    deleteExpired: async (limit) => {
      const expired = await store.deleteExpired(limit);
      metrics.swept('expired', expired.deleted);
      for (const task of expired.open) metrics.expired(task);
      return expired;
    },
    deleteExpiredBatches: async (limit) => {
      const deleted = await store.deleteExpiredBatches(limit);
      metrics.swept('batch', deleted);
      return deleted;
    },
  };
}
