import type { AnswerOf } from '@longshore/operator';
import type { ClientContext } from '../client/client-context.ts';
import { fittingTable } from '../client/table.ts';
import { OperatorApi } from './operator-api.ts';
import { durationOf } from './recent-past.ts';

export type Queue = AnswerOf<'GET /queues'>['queues'][number];

/** `queues list`. @returns the exit code */
export async function listQueuesCommand(context: ClientContext): Promise<number> {
  const { print, isJson, columns } = context;
  const { queues } = await new OperatorApi(context).call('GET /queues');
  if (isJson) print(JSON.stringify(queues, null, 2));
  else if (queues.length === 0) print('there are no queues: no worker has run here yet');
  else print(queuesTable(queues, columns));
  return 0;
}

export function queuesTable(queues: readonly Queue[], columns: number | null): string {
  return fittingTable(
    [
      [
        ...['QUEUE', 'STATE', 'WAITING', 'READY', 'RETRYING', 'RUNNING', 'ASKING', 'OLDEST'],
        ...['WORKERS', 'SEATS'],
      ],
      ...queues.map((queue) => [
        queue.name,
        queue.isPaused ? 'paused' : 'on',
        String(queue.waiting),
        String(queue.ready),
        String(queue.retrying),
        String(queue.running),
        String(queue.inputRequired),
        queue.oldestWaitMs === null ? '' : durationOf(queue.oldestWaitMs),
        String(queue.workers),
        String(queue.seats),
      ]),
    ],
    columns,
  );
}
