import { Command, Option } from '@commander-js/extra-typings';
import type { Handlers } from './handlers.ts';
import { examples } from './help.ts';
import {
  answering,
  asking,
  CANCEL_ON_INTERRUPT,
  DETACH,
  LIMIT,
  OUT,
  PATIENCE,
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
export function tasksCommand({ ask }: Handlers) {
  const tasks = new Command('tasks').description('what became of calls: your tasks');
  answering(
    tasks
      .command('list')
      .summary('your tasks, newest first')
      .description(
        'Your tasks, newest first, as far as they are kept. Times are of this machine; a table is as wide as the terminal, and --json has all of it.',
      )
      .addOption(
        new Option(
          '--status <status>',
          'only those; working is queued and running together',
        ).choices(STATUSES),
      )
      .option('--tool <name>', 'only calls of this tool')
      .option(
        '--since <time>',
        'only those made in the last 30m, 12h or 7d, or since 2027-03-01T09:00',
      )
      .addOption(LIMIT),
  )
    .addHelpText(
      'after',
      examples(
        ['longshore tasks list --status failed --since 1d', 'what went wrong today'],
        ['longshore tasks list --json', 'one JSON array'],
      ),
    )
    .action((options) =>
      ask(options, async (context) =>
        (await import('../client/list-tasks.ts')).listTasksCommand(context, options),
      ),
    );
  answering(
    tasks
      .command('show')
      .summary('where a task stands: tool, arguments, attempts, logs, result')
      .description(
        'Where a task stands: its tool and arguments, what it waits for, its attempts with their workers and errors, what it has logged, the items that failed, its result. Exits with 0 whatever became of the task.',
      )
      .argument('<id>'),
  )
    .addHelpText('after', examples(['longshore tasks show 0198...', 'all there is to know of it']))
    .action((id, options) =>
      ask(options, async (context) =>
        (await import('../client/show-task.ts')).showTaskCommand(context, id),
      ),
    );
  answering(
    tasks
      .command('tail')
      .summary('follow a task to its end and print its result')
      .description(
        'Follow a task to its end and print its result. When the server goes away meanwhile the command waits for it. Exits as `call` does.',
      )
      .argument('<id>')
      .addOption(CANCEL_ON_INTERRUPT)
      .addOption(PATIENCE),
  )
    .addHelpText(
      'after',
      examples(['longshore tasks tail 0198...', 'progress on standard error, then the result']),
    )
    .action((id, options) =>
      ask(options, async (context) =>
        (await import('../client/tasks-command.ts')).tailTaskCommand(context, id, options),
      ),
    );
  answering(
    tasks
      .command('result')
      .summary('the whole result of a task that has ended')
      .description(
        'The whole result of a task that has ended, also one that is too large for an answer. Exits as `call` does.',
      )
      .argument('<id>'),
  )
    .addHelpText('after', examples(['longshore tasks result 0198... --json', 'for programs']))
    .action((id, options) =>
      ask(options, async (context) =>
        (await import('../client/fetch-task.ts')).taskResultCommand(context, id),
      ),
    );
  asking(
    tasks
      .command('items')
      .summary('what came of the items of a batch')
      .description(
        'What came of the items of a batch: a line of JSON each, or CSV. While the task runs, of those that are done.',
      )
      .argument('<id>')
      .option('--failed', 'only those that failed')
      .option('--csv', 'as CSV, for spreadsheets')
      .addOption(OUT),
  )
    .addHelpText(
      'after',
      examples(['longshore tasks items 0198... --failed --csv -o failed.csv', 'a spreadsheet']),
    )
    .action((id, options) =>
      ask(options, async (context) =>
        (await import('../client/fetch-task.ts')).taskItemsCommand(context, id, options),
      ),
    );
  asking(
    tasks
      .command('download')
      .summary('a file that the tool of a task made')
      .description(
        'A file that the tool of a task made, into this folder or where -o says. Without a name: the only one there is, else their names.',
      )
      .argument('<id>')
      .argument('[name]')
      .addOption(OUT),
  )
    .addHelpText(
      'after',
      examples(['longshore tasks download 0198... report.csv', 'writes ./report.csv']),
    )
    .action((id, name, options) =>
      ask(options, async (context) =>
        (await import('../client/fetch-task.ts')).downloadCommand(context, id, name, options),
      ),
    );
  answering(
    tasks
      .command('cancel')
      .summary('cancel a task')
      .description(
        'Cancel a task. A task that has ended otherwise stays as it is, and the command exits with 1.',
      )
      .argument('<id>'),
  )
    .addHelpText('after', examples(['longshore tasks cancel 0198...', 'prints what it is now']))
    .action((id, options) =>
      ask(options, async (context) =>
        (await import('../client/tasks-command.ts')).cancelTaskCommand(context, id),
      ),
    );
  answering(
    tasks
      .command('retry')
      .summary('run the call of a task that has ended again, as a new task')
      .description(
        'Run the call of a task that has ended again, as a new task, with the same tool and arguments; then as `call` does. The tool `retry_failed` runs only the failed items of a batch again.',
      )
      .argument('<id>')
      .addOption(WATCH)
      .addOption(DETACH)
      .addOption(CANCEL_ON_INTERRUPT)
      .addOption(PATIENCE),
  )
    .addHelpText(
      'after',
      examples(
        ['longshore tasks retry 0198...', 'shows progress, then the result of the new task'],
        ['longshore call retry_failed --arg task_id=0198...', 'the failed items of a batch'],
      ),
    )
    .action((id, options) =>
      ask(options, async (context) =>
        (await import('../client/tasks-command.ts')).retryTaskCommand(context, id, options),
      ),
    );
  return tasks;
}
