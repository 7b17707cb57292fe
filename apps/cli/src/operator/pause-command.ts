import { CliError, EXIT } from '../client/cli-error.ts';
import type { ClientContext } from '../client/client-context.ts';
import { nearNames } from '../client/tools.ts';
import { OperatorApi } from './operator-api.ts';

type Kind = 'queue' | 'tool';

/** `queues pause NAME` and `tools pause NAME`: of what is there, since the API takes any name. */
export function pauseCommand(kind: Kind) {
  return async (context: ClientContext, name: string): Promise<number> => {
    const api = new OperatorApi(context);
    const names = await (kind === 'queue' ? queueNames(api) : toolNames(api));
    if (!names.includes(name)) throw noSuch(kind, name, names);
    await api.call(kind === 'queue' ? 'POST /queues/{name}/pause' : 'POST /tools/{name}/pause', {
      params: { name },
    });
    return said(context, kind, name, true);
  };
}

/** `queues resume NAME` and `tools resume NAME`: also of what no worker offers by now. */
export function resumeCommand(kind: Kind) {
  return async (context: ClientContext, name: string): Promise<number> => {
    const api = new OperatorApi(context);
    await api.call(kind === 'queue' ? 'POST /queues/{name}/resume' : 'POST /tools/{name}/resume', {
      params: { name },
    });
    return said(context, kind, name, false);
  };
}

function said(
  { print, isJson }: ClientContext,
  kind: Kind,
  name: string,
  isPaused: boolean,
): number {
  const text = isPaused
    ? `${kind} ${name} is paused: nothing more of it starts, what runs goes on`
    : `${kind} ${name} is on: what waits starts again`;
  print(isJson ? JSON.stringify({ [kind]: name, isPaused }) : text);
  return 0;
}

async function queueNames(api: OperatorApi): Promise<string[]> {
  const [{ queues }, { workers }] = await Promise.all([
    api.call('GET /queues'),
    api.call('GET /workers'),
  ]);
  const served = workers.flatMap((worker) => worker.queues);
  return [...new Set([...queues.map(({ name }) => name), ...served])].sort();
}

async function toolNames(api: OperatorApi): Promise<string[]> {
  return (await api.call('GET /tools')).tools.map(({ name }) => name);
}

function noSuch(kind: Kind, name: string, names: readonly string[]): CliError {
  const near = nearNames(name, names);
  const hint =
    near.length > 0 ? `Did you mean ${near.join(', ')}?` : `There are: ${names.join(', ')}.`;
  return new CliError(EXIT.usage, `there is no ${kind} '${name}'. ${hint}`);
}
