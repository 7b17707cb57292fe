import type { AnswerOf, CallOf } from '@longshore/operator';
import { CliError, EXIT } from '../client/cli-error.ts';
import type { ClientContext } from '../client/client-context.ts';
import type { ListOptions } from '../client/list-tasks.ts';
import { localTime, sinceTime } from '../client/local-time.ts';
import { fittingTable } from '../client/table.ts';
import { OperatorApi } from './operator-api.ts';

type Task = AnswerOf<'GET /tasks'>['tasks'][number];
type Phase = Task['phase'];
type Me = AnswerOf<'GET /me'>;

/** What `tasks list` can be asked for beyond what the tool `job_list` knows. */
export interface SearchOptions extends ListOptions {
  readonly all?: true | undefined;
  readonly phase?: readonly Phase[] | undefined;
  readonly queue?: string | undefined;
  /** An id, its beginning, or a name. */
  readonly principal?: string | undefined;
  readonly text?: string | undefined;
}

/** Tasks, and principals, of a page of the API, at most. */
const PAGE = 200;

const ENDS: readonly Phase[] = ['input_required', 'completed', 'failed', 'cancelled'];
const QUEUED: readonly Phase[] = ['waiting', 'ready', 'retrying'];
const PHASES_OF: Readonly<Record<string, readonly Phase[]>> = {
  queued: QUEUED,
  running: ['running'],
  working: [...QUEUED, 'running'],
  ...Object.fromEntries(ENDS.map((phase) => [phase, [phase]])),
};

/** Whether it takes the operator API to answer. */
export function isSearch({ all, phase, queue, principal, text }: SearchOptions): boolean {
  return [all, phase, queue, principal, text].some((wish) => wish !== undefined);
}

/** `tasks list` of all principals, or with a filter that only the operator API has. @returns the exit code */
export async function searchTasksCommand(
  context: ClientContext,
  options: SearchOptions,
): Promise<number> {
  const { print, isJson, columns, line, stderr } = context;
  const api = new OperatorApi(context);
  const query = await queryOf(api, options);
  const found: Task[] = [];
  let cursor: string | null = null;
  do {
    const limit = Math.min(PAGE, options.limit - found.length);
    const page: AnswerOf<'GET /tasks'> = await api.call('GET /tasks', {
      query: { ...query, limit, ...(cursor === null ? {} : { cursor }) },
    });
    found.push(...page.tasks);
    cursor = page.next;
    // A text is looked for in every task, by bounded pages: with many tasks that is many pages.
    if (page.searchedTo !== null && stderr.isTTY) {
      const message = `looked at what is younger than ${localTime(page.searchedTo)} ...`;
      line.show({ progress: null, total: null, message });
    }
  } while (cursor !== null && found.length < options.limit);
  line.clear();
  print(isJson ? JSON.stringify(found, null, 2) : table(found, columns));
  return 0;
}

type Query = NonNullable<CallOf<'GET /tasks'>['query']>;

async function queryOf(api: OperatorApi, options: SearchOptions): Promise<Query> {
  const { status, phase, tool, queue, since, text } = options;
  const me = await api.call('GET /me');
  const principal = await whose(api, options, me);
  const phases = [...(phase ?? []), ...(status === undefined ? [] : (PHASES_OF[status] ?? []))];
  const createdAfter = since === undefined ? null : sinceTime(since, new Date()).toISOString();
  return {
    ...(phases.length === 0 ? {} : { phase: phases }),
    ...(tool === undefined ? {} : { tool }),
    ...(queue === undefined ? {} : { queue }),
    ...(text === undefined ? {} : { text }),
    ...(principal === null ? {} : { principal }),
    ...(createdAfter === null ? {} : { createdAfter }),
  };
}

/** @returns an id; null: everybody */
async function whose(api: OperatorApi, options: SearchOptions, me: Me): Promise<string | null> {
  const { all, principal } = options;
  if (principal !== undefined) return idOfPrincipal(api, principal);
  if (all !== true) return me.principal.id;
  if (me.seesAll) return null;
  throw new CliError(
    EXIT.refused,
    'tasks of all principals are for a key with ops:read. A key that may: longshore keys create --name operator --scope ops:read. Without --all the list has your own.',
  );
}

/** @throws {CliError} there is none, or several */
async function idOfPrincipal(api: OperatorApi, wanted: string): Promise<string> {
  const found: AnswerOf<'GET /principals'>['principals'] = [];
  let cursor: string | null = null;
  do {
    const page: AnswerOf<'GET /principals'> = await api.call('GET /principals', {
      query: { limit: PAGE, ...(cursor === null ? {} : { cursor }) },
    });
    for (const one of page.principals) {
      if (one.id === wanted) return one.id;
      if (one.subject === wanted || one.id.startsWith(wanted)) found.push(one);
    }
    cursor = page.next;
  } while (cursor !== null);
  const [only, ...others] = found;
  if (only !== undefined && others.length === 0) return only.id;
  const said = found.map(({ id, kind, subject }) => `${id} (${kind} ${subject})`).join(', ');
  throw new CliError(
    EXIT.usage,
    only === undefined
      ? `there is no principal '${wanted}', by its id, the beginning of it, or its name`
      : `'${wanted}' may be several principals: ${said}`,
  );
}

function table(tasks: readonly Task[], columns: number | null): string {
  if (tasks.length === 0) return 'there are no such tasks';
  return fittingTable(
    [
      ['ID', 'CREATED', 'PHASE', 'TOOL', 'QUEUE', 'PRINCIPAL', 'PROGRESS', 'SAYS'],
      ...tasks.map((task) => [
        task.id,
        localTime(task.createdAt),
        task.phase,
        task.tool,
        task.queue,
        task.principal?.subject ?? '',
        progressOf(task),
        task.message ?? task.progress?.message ?? '',
      ]),
    ],
    columns,
  );
}

function progressOf({ progress }: Task): string {
  if (progress === null) return '';
  return progress.total === null ? String(progress.done) : `${progress.done}/${progress.total}`;
}
