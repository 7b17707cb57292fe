import { Command, Option } from '@commander-js/extra-typings';
import type { Handlers } from './handlers.ts';
import { leaf } from './help.ts';
import { toolPauseCommands } from './operator-commands.ts';
import {
  ARG,
  ARGUMENTS,
  answering,
  asking,
  CANCEL_ON_INTERRUPT,
  DETACH,
  IDEMPOTENCY_KEY,
  LIMIT,
  OUTPUT,
  PATIENCE,
  running,
  WATCH,
  wholeNumber,
} from './options.ts';

const tools = () => import('../client/tools-command.ts');
const schedules = () => import('../client/schedule-command.ts');

/** `call` and `batch`. */
export function callCommands(handlers: Handlers) {
  const call = asking(
    leaf(
      'call',
      'call a tool as a task, wait for it and print its result',
      'Arguments come from --json, and from --arg over it, where a value is text, number, truth or JSON as the tool’s schema has it. The id of the task is on standard error at once. When the server goes away meanwhile the command waits for it, and goes on. A tool that does not run as a task is called directly.',
      ['longshore call text_count --arg path=README.md --arg top=3', 'shows progress, then counts'],
      ['longshore call text_count --help', 'what the tool takes'],
      ['echo \'{"path":"."}\' | longshore call text_count --json -', 'arguments from a program'],
      ['id=$(longshore call text_count --arg path=. --detach)', 'for `longshore tasks show $id`'],
    )
      .argument('[tool]', 'see `longshore tools list`')
      .addOption(ARG)
      .addOption(ARGUMENTS)
      .addOption(IDEMPOTENCY_KEY)
      .addOption(WATCH)
      .addOption(DETACH)
      .addOption(CANCEL_ON_INTERRUPT)
      .addOption(PATIENCE),
  )
    .addOption(OUTPUT)
    // Of a tool that is named: its own arguments. For commander's own option there would be no tool.
    .helpOption(false)
    .option('-h, --help', 'this text; behind the name of a tool, its arguments')
    .action((tool, options, command) => {
      if (tool === undefined) {
        if (options.help !== true) command.error("error: missing required argument 'tool'");
        command.outputHelp();
        return;
      }
      return handlers.ask(options, async (context) => {
        if (options.help === true) return (await tools()).showToolCommand(context, tool);
        return (await import('../client/call-command.ts')).callCommand(context, tool, options);
      });
    });
  const batch = answering(
    leaf(
      'batch',
      'run a tool over many argument sets as one task',
      'By the tool `batch` of the server. The items are read here and sent with the call; a file that is too large for that is read by the server with --items-from. Exits with 1 when an item failed.',
      ['longshore batch text_count --items paths.csv', 'a run per line of the file'],
    )
      .argument('<tool>')
      .option(
        '--items <file>',
        '.jsonl or .ndjson with an object per line, or .csv whose first line names the arguments',
      )
      .option('--items-from <path>', 'such a file, as the server sees it')
      .addOption(
        new Option('--concurrency <number>', 'runs at once at most').argParser(wholeNumber),
      )
      .addOption(
        new Option(
          '--stop-after <number>',
          'failed items after which nothing more is started',
        ).argParser(wholeNumber),
      )
      .addOption(
        new Option(
          '--results <kind>',
          'what is shown beside the counts; failures_only unless said',
        ).choices(['summary', 'failures_only', 'all'] as const),
      )
      .addOption(IDEMPOTENCY_KEY)
      .addOption(WATCH)
      .addOption(DETACH)
      .addOption(CANCEL_ON_INTERRUPT)
      .addOption(PATIENCE),
  );
  running(handlers, batch)(async () => (await import('../client/batch-command.ts')).batchCommand);
  return [call, batch] as const;
}

/** `tools`. */
export function toolsCommand(handlers: Handlers) {
  const list = answering(
    leaf('list', 'the tools that can be called, and what they are for', '', [
      'longshore tools list',
      'a line per tool',
    ]),
  );
  const show = answering(
    leaf('show', 'what a tool is for and what it takes, with a call to copy', '', [
      'longshore tools show text_count',
      'its arguments as a table',
    ]).argument('<tool>'),
  );
  const [pause, resume] = toolPauseCommands(handlers);
  return new Command('tools')
    .description('which tools there are, and what they take')
    .addCommand(running(handlers, list)(async () => (await tools()).listToolsCommand))
    .addCommand(running(handlers, show)(async () => (await tools()).showToolCommand))
    .addCommand(pause)
    .addCommand(resume);
}

/** `schedule`. */
export function scheduleCommand(handlers: Handlers) {
  const add = asking(
    leaf(
      'add',
      'run a tool later: once, or again and again',
      'By the tool `job_schedule` of the server. Says --cron or --at, one of them. Each run is a task of yours. Prints the id and when it runs next; exits with 1 when the server refuses the schedule.',
      [
        "longshore schedule add text_count --arg path=. --cron '0 9 * * 1-5' --time-zone Europe/Berlin",
        'counts at nine on weekdays',
      ],
    )
      .argument('<tool>')
      .addOption(
        new Option(
          '--cron <expression>',
          "minute, hour, day of month, month, day of week: '0 9 * * 1-5'; or @hourly, @daily, @weekly, @monthly",
        ).conflicts('at'),
      )
      .option('--at <time>', 'once, at 2027-03-01T09:00 in --time-zone, or at 2027-03-01T08:00:00Z')
      .option('--time-zone <zone>', 'such as Europe/Berlin; UTC unless said')
      .option('--name <name>', 'a name of your own for it')
      .addOption(
        new Option(
          '--missed <what>',
          'what becomes of times at which the server was away; run_once unless said',
        ).choices(['skip', 'run_once', 'run_all'] as const),
      )
      .addOption(
        new Option(
          '--overlap <what>',
          'what happens when the run before has not ended; skip unless said',
        ).choices(['skip', 'start'] as const),
      )
      .addOption(ARG)
      .addOption(ARGUMENTS),
  ).addOption(OUTPUT);
  const list = answering(
    leaf(
      'list',
      'your schedules, newest first',
      'With when they run next, what came of them, and what is wrong.',
      ['longshore schedule list --json', 'one JSON array'],
    ).addOption(LIMIT),
  );
  const remove = answering(
    leaf(
      'remove',
      'remove a schedule',
      'Tasks it has started go on. Exits with 1 when there is no such schedule.',
      ['longshore schedule remove count', 'it runs no more'],
    ).argument('<id|name>'),
  );
  return new Command('schedule')
    .description('run tools later, once or again and again')
    .addCommand(running(handlers, add)(async () => (await schedules()).addScheduleCommand))
    .addCommand(running(handlers, list)(async () => (await schedules()).listSchedulesCommand))
    .addCommand(running(handlers, remove)(async () => (await schedules()).removeScheduleCommand));
}
