import type { AnswerOf } from '@longshore/operator';
import { CliError, EXIT } from '../client/cli-error.ts';
import type { ClientContext } from '../client/client-context.ts';
import { localTime } from '../client/local-time.ts';
import { fittingTable } from '../client/table.ts';
import { OperatorApi } from './operator-api.ts';

export type Worker = AnswerOf<'GET /workers'>['workers'][number];

/** `workers list`. @returns the exit code */
export async function listWorkersCommand(context: ClientContext): Promise<number> {
  const { print, isJson, columns } = context;
  const { workers } = await new OperatorApi(context).call('GET /workers');
  if (isJson) print(JSON.stringify(workers, null, 2));
  else if (workers.length === 0) print('no worker is running. Start one with "longshore worker".');
  else print(workersTable(workers, columns));
  return 0;
}

/** `workers drain ID`. @returns the exit code */
export async function drainWorkerCommand(context: ClientContext, id: string): Promise<number> {
  const api = new OperatorApi(context);
  const worker = await workerOf(api, id);
  await api.call('POST /workers/{id}/drain', { params: { id: worker.id } });
  return showAfter(context, api, worker.id, ({ running }) =>
    running === 0
      ? 'takes nothing new, and runs nothing: it can be stopped'
      : `takes nothing new, and ends what it runs: ${running} now`,
  );
}

/** `workers resume ID`. @returns the exit code */
export async function resumeWorkerCommand(context: ClientContext, id: string): Promise<number> {
  const api = new OperatorApi(context);
  const worker = await workerOf(api, id);
  await api.call('POST /workers/{id}/resume', { params: { id: worker.id } });
  return showAfter(context, api, worker.id, () => 'takes tasks again');
}

export function workersTable(workers: readonly Worker[], columns: number | null): string {
  return fittingTable(
    [
      ['WORKER', 'STATE', 'RUNS', 'HOST', 'PID', 'STARTED', 'VERSION', 'QUEUES'],
      ...workers.map((worker) => [
        worker.id,
        worker.state,
        `${worker.running}/${worker.seats}`,
        worker.host,
        String(worker.pid),
        localTime(worker.startedAt),
        worker.version,
        worker.queues.join(' '),
      ]),
    ],
    columns,
  );
}

async function showAfter(
  { print, isJson }: ClientContext,
  api: OperatorApi,
  id: string,
  said: (worker: Worker) => string,
): Promise<number> {
  const { tasks: _, ...worker } = await api.call('GET /workers/{id}', { params: { id } });
  print(
    isJson
      ? JSON.stringify(worker, null, 2)
      : `worker ${id} (${worker.host}, pid ${worker.pid}) ${said(worker)}`,
  );
  return 0;
}

/**
 * @param beginning of its id, or all of it
 * @throws {CliError} there is no such worker, or several
 */
async function workerOf(api: OperatorApi, beginning: string): Promise<Worker> {
  const { workers } = await api.call('GET /workers');
  const [only, ...others] = workers.filter(({ id }) => id.startsWith(beginning));
  if (only !== undefined && others.length === 0) return only;
  if (only !== undefined) {
    const ids = [only, ...others].map(({ id, host, pid }) => `${id} (${host}, pid ${pid})`);
    throw new CliError(EXIT.usage, `'${beginning}' may be several workers: ${ids.join(', ')}`);
  }
  throw new CliError(
    EXIT.usage,
    `there is no worker '${beginning}': it may have stopped. See "longshore workers list".`,
  );
}
