import { Command, Option } from '@commander-js/extra-typings';
import { PHASES } from '@longshore/operator/words';
import type { Handlers } from './handlers.ts';
import { leaf } from './help.ts';
import {
  answering,
  asking,
  CANCEL_ON_INTERRUPT,
  DETACH,
  LIMIT,
  OUT,
  PATIENCE,
  running,
  WATCH,
} from './options.ts';

const STATUSES = [
  'queued',
  'running',
  'working',
  'input_required',
  'completed',
  'failed',
  'cancelled',
] as const;

/** `tasks`. */
export function tasksCommand(handlers: Handlers) {
  const list = answering(
    leaf(
      'list',
      'your tasks, newest first',
      'Those that have expired are gone. Times are of this machine; a table is as wide as the terminal, and --json has all of it. What --all, --phase, --queue, --principal and --text ask for is asked of the operator API, and --json prints its tasks.',
      ['longshore tasks list --status failed --since 1d', 'what went wrong today'],
      ['longshore tasks list --all --phase waiting ready', 'what waits, whosever it is'],
      ['longshore tasks list --json', 'one JSON array'],
    )
      .addOption(
        new Option(
          '--status <status>',
          'only those; working is queued and running together',
        ).choices(STATUSES),
      )
      .option('--all', 'those of all principals: needs a key with ops:read')
      .addOption(
        new Option(
          '--phase <phase...>',
          'only those; finer than a status: waiting for their turn, ready for a worker, retrying later',
        ).choices(PHASES),
      )
      .option('--tool <name>', 'only calls of this tool')
      .option('--queue <name>', 'only those of this queue')
      .option(
        '--principal <id|name>',
        'only those of this principal, by its id, the beginning of it, or its name: needs ops:read',
      )
      .option('--text <text>', 'only those with this in their arguments or in what they say')
      .option(
        '--since <time>',
        'only those made in the last 30m, 12h or 7d, or since 2027-03-01T09:00',
      )
      .addOption(LIMIT),
  );
  const show = answering(
    leaf(
      'show',
      'where a task stands: tool, arguments, attempts, logs, result',
      'Also what it waits for, the workers and errors of its attempts, and the items that failed. Exits with 0 whatever became of the task.',
      ['longshore tasks show 0198...', 'all there is to know of it'],
    ).argument('<id>'),
  );
  const tail = answering(
    leaf(
      'tail',
      'follow a task to its end and print its result',
      'When the server goes away meanwhile the command waits for it. Exits as `call` does.',
      ['longshore tasks tail 0198...', 'progress on standard error, then the result'],
    )
      .argument('<id>')
      .addOption(CANCEL_ON_INTERRUPT)
      .addOption(PATIENCE),
  );
  const result = answering(
    leaf(
      'result',
      'the whole result of a task that has ended',
      'Also one that is too large for an answer. Exits as `call` does.',
      ['longshore tasks result 0198... --json', 'for programs'],
    ).argument('<id>'),
  );
  const items = asking(
    leaf(
      'items',
      'what came of the items of a batch',
      'A line of JSON each, or CSV. While the task runs, of those that are done.',
      ['longshore tasks items 0198... --failed --csv -o failed.csv', 'a spreadsheet'],
    )
      .argument('<id>')
      .option('--failed', 'only those that failed')
      .option('--csv', 'as CSV, for spreadsheets')
      .addOption(OUT),
  );
  const download = asking(
    leaf(
      'download',
      'a file that the tool of a task made',
      'It goes into this folder, or where -o says. Without a name: the only one there is, else their names.',
      ['longshore tasks download 0198... report.csv', 'writes ./report.csv'],
    )
      .argument('<id>')
      .argument('[name]')
      .addOption(OUT),
  );
  const cancel = answering(
    leaf(
      'cancel',
      'cancel a task',
      'A task that has ended otherwise stays as it is, and the command exits with 1.',
      ['longshore tasks cancel 0198...', 'prints what it is now'],
    ).argument('<id>'),
  );
  const retry = answering(
    leaf(
      'retry',
      'run the call of a task that has ended again, as a new task',
      'Tool and arguments are the same; it is followed as `call` does. The tool `retry_failed` runs only the failed items of a batch again.',
      ['longshore tasks retry 0198...', 'shows progress, then the result of the new task'],
      ['longshore call retry_failed --arg task_id=0198...', 'the failed items of a batch'],
    )
      .argument('<id>')
      .addOption(WATCH)
      .addOption(DETACH)
      .addOption(CANCEL_ON_INTERRUPT)
      .addOption(PATIENCE),
  );
  const listing = () => import('../client/list-tasks.ts');
  const searching = () => import('../operator/search-tasks.ts');
  const showing = () => import('../client/show-task.ts');
  const ofTasks = () => import('../client/tasks-command.ts');
  const fetching = () => import('../client/fetch-task.ts');
  return new Command('tasks')
    .description('what became of calls: your tasks')
    .addCommand(
      running(
        handlers,
        list,
      )(async () => {
        const { isSearch, searchTasksCommand } = await searching();
        const { listTasksCommand } = await listing();
        return (context, options) =>
          (isSearch(options) ? searchTasksCommand : listTasksCommand)(context, options);
      }),
    )
    .addCommand(running(handlers, show)(async () => (await showing()).showTaskCommand))
    .addCommand(running(handlers, tail)(async () => (await ofTasks()).tailTaskCommand))
    .addCommand(running(handlers, result)(async () => (await fetching()).taskResultCommand))
    .addCommand(running(handlers, items)(async () => (await fetching()).taskItemsCommand))
    .addCommand(running(handlers, download)(async () => (await fetching()).downloadCommand))
    .addCommand(running(handlers, cancel)(async () => (await ofTasks()).cancelTaskCommand))
    .addCommand(running(handlers, retry)(async () => (await ofTasks()).retryTaskCommand));
}
