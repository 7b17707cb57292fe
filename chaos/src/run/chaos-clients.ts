import type { Era } from '@longshore/core';
import * as z from 'zod';
import type { ClientCounts, Surroundings } from '../clients/client.ts';
import { LegacyClient } from '../clients/legacy-client.ts';
import { ModernClient } from '../clients/modern-client.ts';
import { legacyTasks, modernTasks, type TaskApi } from '../clients/task-api.ts';
import type { ChaosSystem } from '../system/chaos-system.ts';

/** One client of each era for each principal. */
export interface ChaosClients {
  readonly principals: number;
  readonly counts: ClientCounts;
  apiOf(who: { readonly principal: number; readonly era: Era }): TaskApi;
  /** Ids of all tasks that a principal is shown. */
  list(principal: number): Promise<string[]>;
}

const Page = z.object({
  tasks: z.array(z.object({ taskId: z.string() })),
  nextCursor: z.string().optional(),
});

/** @param signal fires when no more answers are waited for */
export async function openClients(system: ChaosSystem, signal: AbortSignal): Promise<ChaosClients> {
  const counts = { requests: 0, lostConnections: 0, retryableErrors: 0, resumed: 0 };
  const around: Surroundings = { urls: system.urls, signal, counts };
  const clients = await Promise.all(
    system.principals.map(async ({ key }) => {
      const legacy = new LegacyClient(around, key);
      await legacy.open();
      return {
        legacy,
        byEra: {
          legacy: legacyTasks(legacy),
          modern: modernTasks(new ModernClient(around, key), signal),
        },
      };
    }),
  );
  const of = (principal: number) => {
    const client = clients[principal];
    if (client === undefined) throw new Error(`no principal ${principal}`);
    return client;
  };
  return {
    principals: clients.length,
    counts,
    apiOf: ({ principal, era }) => of(principal).byEra[era],
    list: async (principal) => {
      const ids: string[] = [];
      let cursor: string | undefined;
      do {
        const params = cursor === undefined ? {} : { cursor };
        const answer = await of(principal).legacy.request('tasks/list', params);
        if (answer.kind === 'error') throw new Error(`tasks/list: ${answer.error.message}`);
        const page = Page.parse(answer.result);
        ids.push(...page.tasks.map(({ taskId }) => taskId));
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      return ids;
    },
  };
}
