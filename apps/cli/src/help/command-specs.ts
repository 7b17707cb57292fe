import type { CommandSpec, OptionSpec } from './command-spec.ts';

const SERVER: Readonly<Record<string, OptionSpec>> = {
  url: {
    type: 'string',
    value: 'URL',
    text: 'the MCP endpoint; else LONGSHORE_URL, else what runs in DATA_DIR or ~/.longshore, else http://127.0.0.1:PORT/mcp',
  },
  'api-key': {
    type: 'string',
    value: 'KEY',
    text: 'who calls; else LONGSHORE_API_KEY, which other users of the machine do not see',
  },
  output: {
    type: 'string',
    values: ['text', 'json'],
    text: 'how the result is printed on standard output; text unless said',
  },
};

const ARGUMENTS: Readonly<Record<string, OptionSpec>> = {
  arg: { type: 'string', multiple: true, value: 'NAME=VALUE', text: 'an argument' },
  json: {
    type: 'string',
    value: 'FILE',
    text: 'all arguments, as one JSON object; - for standard input',
  },
};

const FOLLOWING: Readonly<Record<string, OptionSpec>> = {
  watch: { type: 'boolean', text: 'show progress on standard error; so on a terminal anyway' },
  detach: { type: 'boolean', text: 'print the id of the task and end, without waiting' },
  'cancel-on-interrupt': {
    type: 'boolean',
    text: 'Ctrl-C and SIGTERM cancel the task; else they leave it running and print its id',
  },
};

/** The commands that run something here. */
const SERVING: readonly CommandSpec[] = [
  {
    name: 'start',
    positionals: [],
    summary: 'run everything on this machine',
    about:
      'An API, WORKERS workers and, when DATABASE_URL is unset, a PostgreSQL whose data is kept in DATA_DIR. Migrates the database first. Prints one line with the URL when it is ready. SIGINT and SIGTERM end it: running tasks get SHUTDOWN_GRACE_MS to finish.',
    options: {},
    examples: [['longshore start', 'serves http://127.0.0.1:3000/mcp']],
  },
  {
    name: 'stdio',
    positionals: [],
    summary: 'MCP over standard input and output, for hosts that start their servers',
    about:
      'Uses what runs in DATA_DIR (here ~/.longshore unless set), or starts it in the background, where tasks go on when the host has gone. It ends by itself, STDIO_IDLE_MS after the last host and the last task.',
    options: {},
    examples: [['claude mcp add longshore -- longshore stdio', 'adds it to Claude Code']],
  },
  {
    name: 'api',
    positionals: [],
    summary: 'run one API on DATABASE_URL, without workers',
    about: 'Any number of them serve the same tasks. The database must be migrated.',
    options: {},
    examples: [['PORT=3001 longshore api', 'one more API beside the first']],
  },
  {
    name: 'worker',
    positionals: [],
    summary: 'run one worker on DATABASE_URL',
    about: 'Loads PLUGINS and runs their tools. Any number of them share the work.',
    options: {},
    examples: [['PLUGINS=./my-tools.js longshore worker', 'a worker for your tools']],
  },
  {
    name: 'migrate',
    positionals: [],
    summary: 'bring the database to the schema of this version',
    about: 'Of DATABASE_URL, or the embedded one of DATA_DIR. Prints what was applied.',
    options: {},
    examples: [['longshore migrate', 'prints "applied ..." for each migration']],
  },
];

/** The commands that ask a server. */
export const CLIENT_SPECS: readonly CommandSpec[] = [
  {
    name: 'call',
    positionals: ['TOOL'],
    summary: 'call a tool as a task, wait for it and print its result',
    about:
      'Arguments come from --json, and from --arg over it, where a value is text, number, truth or JSON as the tool’s schema has it. A tool that does not run as a task is called directly.',
    options: {
      ...ARGUMENTS,
      key: {
        type: 'string',
        value: 'TEXT',
        text: 'idempotency key: calls with the same one are one task',
      },
      ...FOLLOWING,
      ...SERVER,
    },
    examples: [
      ['longshore call text_count --arg path=README.md --arg top=3', 'shows progress, then counts'],
      ['echo \'{"path":"."}\' | longshore call text_count --json -', 'arguments from a program'],
      ['id=$(longshore call text_count --arg path=. --detach)', 'for `longshore tasks show $id`'],
    ],
  },
  {
    name: 'batch',
    positionals: ['TOOL'],
    summary: 'run a tool over many argument sets as one task',
    about:
      'By the tool `batch` of the server. The items are read here and sent with the call; a file that is too large for that is read by the server with --items-from. Exits with 1 when an item failed.',
    options: {
      items: {
        type: 'string',
        value: 'FILE',
        text: '.jsonl or .ndjson with an object per line, or .csv whose first line names the arguments',
      },
      'items-from': { type: 'string', value: 'PATH', text: 'such a file, as the server sees it' },
      concurrency: { type: 'string', value: 'NUMBER', text: 'runs at once at most' },
      'stop-after': {
        type: 'string',
        value: 'NUMBER',
        text: 'failed items after which nothing more is started',
      },
      results: {
        type: 'string',
        values: ['summary', 'failures_only', 'all'],
        text: 'what is shown beside the counts; failures_only unless said',
      },
      ...FOLLOWING,
      ...SERVER,
    },
    examples: [['longshore batch text_count --items paths.csv', 'a run per line of the file']],
  },
  {
    name: 'tasks list',
    positionals: [],
    summary: 'your tasks, newest first',
    about: 'Those with a handle, as far as they are kept.',
    options: {
      limit: { type: 'string', value: 'NUMBER', text: 'at most so many; 20 unless said' },
      ...SERVER,
    },
    examples: [['longshore tasks list --output json', 'one JSON array']],
  },
  {
    name: 'tasks show',
    positionals: ['ID'],
    summary: 'where a task stands, and its result',
    about: 'Exits with 0 whatever became of the task.',
    options: { ...SERVER },
    examples: [['longshore tasks show 0198...', 'status, and the result once it is there']],
  },
  {
    name: 'tasks tail',
    positionals: ['ID'],
    summary: 'follow a task to its end and print its result',
    about: 'Exits as `call` does.',
    options: { 'cancel-on-interrupt': FOLLOWING['cancel-on-interrupt'] as OptionSpec, ...SERVER },
    examples: [['longshore tasks tail 0198...', 'progress on standard error, then the result']],
  },
  {
    name: 'tasks cancel',
    positionals: ['ID'],
    summary: 'cancel a task',
    about: 'A task that has ended otherwise stays as it is, and the command exits with 1.',
    options: { ...SERVER },
    examples: [['longshore tasks cancel 0198...', 'prints what it is now']],
  },
  {
    name: 'tasks retry',
    positionals: ['ID'],
    summary: 'run the call of a task that has ended again, as a new task',
    about:
      'With the same tool and arguments; then as `call` does. The tool `retry_failed` runs only the failed items of a batch again.',
    options: { ...FOLLOWING, ...SERVER },
    examples: [
      ['longshore tasks retry 0198...', 'shows progress, then the result of the new task'],
      ['longshore call retry_failed --arg task_id=0198...', 'the failed items of a batch'],
    ],
  },
  {
    name: 'schedule add',
    positionals: ['TOOL'],
    summary: 'run a tool later: once, or again and again',
    about:
      'By the tool `job_schedule` of the server. Says --cron or --at, one of them. Each run is a task of yours. Prints the id and when it runs next; exits with 1 when the server refuses the schedule.',
    options: {
      cron: {
        type: 'string',
        value: 'EXPRESSION',
        text: "minute, hour, day of month, month, day of week: '0 9 * * 1-5'; or @hourly, @daily, @weekly, @monthly",
      },
      at: {
        type: 'string',
        value: 'TIME',
        text: 'once, at 2027-03-01T09:00 in --time-zone, or at 2027-03-01T08:00:00Z',
      },
      'time-zone': {
        type: 'string',
        value: 'ZONE',
        text: 'such as Europe/Berlin; UTC unless said',
      },
      name: { type: 'string', value: 'NAME', text: 'a name of your own for it' },
      missed: {
        type: 'string',
        values: ['skip', 'run_once', 'run_all'],
        text: 'what becomes of times at which the server was away; run_once unless said',
      },
      overlap: {
        type: 'string',
        values: ['skip', 'start'],
        text: 'what happens when the run before has not ended; skip unless said',
      },
      ...ARGUMENTS,
      ...SERVER,
    },
    examples: [
      [
        "longshore schedule add text_count --arg path=. --cron '0 9 * * 1-5' --time-zone Europe/Berlin --name count",
        'counts at nine on weekdays',
      ],
    ],
  },
  {
    name: 'schedule list',
    positionals: [],
    summary: 'your schedules, newest first',
    about: 'With when they run next, what came of them, and what is wrong.',
    options: {
      limit: { type: 'string', value: 'NUMBER', text: 'at most so many; 20 unless said' },
      ...SERVER,
    },
    examples: [['longshore schedule list --output json', 'one JSON array']],
  },
  {
    name: 'schedule remove',
    positionals: ['ID|NAME'],
    summary: 'remove a schedule',
    about: 'Tasks it has started go on. Exits with 1 when there is no such schedule.',
    options: { ...SERVER },
    examples: [['longshore schedule remove count', 'it runs no more']],
  },
];

/** The commands for authors of plugins. */
const AUTHORING: readonly CommandSpec[] = [
  {
    name: 'plugin new',
    positionals: ['NAME'],
    summary: 'make a plugin: a typed tool, its test and a README',
    about:
      'In a new folder of that name, inside or outside of this checkout; NAME may be a path. It works at once, without a build and without npm install.',
    options: {},
    examples: [['longshore plugin new my-tools', 'then: cd my-tools, npm test, npm run dev']],
  },
  {
    name: 'plugin dev',
    positionals: ['PATH'],
    summary: 'offer a plugin to what runs here, and reload it when it is saved',
    about:
      'By a worker of its own, beside what `start` or `stdio` runs in DATA_DIR (unless that is set also in the folders above, and ~/.longshore) or by DATABASE_URL and REDIS_URL. Clients see its tools at once, and after each save what it says then: the worker before takes no more tasks and ends with those it runs. A save that can not be loaded changes nothing and is explained. Ctrl-C takes the tools away; what runs gets SHUTDOWN_GRACE_MS. LOG_LEVEL=info shows the worker at work.',
    options: {},
    examples: [['longshore plugin dev ./my-tools', 'prints how its tools are called']],
  },
  {
    name: 'plugin check',
    positionals: ['PATH|PACKAGE'],
    summary: 'say what a worker would refuse in a plugin, and what models need',
    about:
      'Loads it as a worker does and checks names, descriptions, schemas, examples, and that outputs can be written as JSON. Starts nothing and runs no tool. Exits with 1 when there are errors, with 2 when there is no such path.',
    options: {
      json: { type: 'boolean', text: 'print the findings as one JSON object' },
      strict: { type: 'boolean', text: 'exit with 1 for warnings as well' },
    },
    examples: [
      ['longshore plugin check ./my-tools', 'ok, warning or ERROR for each tool'],
      ['longshore plugin check @longshore/plugin-text --json', 'for programs'],
    ],
  },
];

const HELPING: readonly CommandSpec[] = [
  {
    name: 'doctor',
    positionals: [],
    summary: 'check what Longshore needs here, and say how to mend it',
    about:
      'Node.js, DATA_DIR, PORT, the database and its migrations, Redis and its maxmemory-policy. Changes nothing. Exits with 1 when something must be mended.',
    options: { output: SERVER['output'] as OptionSpec },
    examples: [['DATABASE_URL=... REDIS_URL=... longshore doctor', 'before the first start']],
  },
  {
    name: 'completion',
    positionals: ['bash|zsh|fish'],
    summary: 'print a script that completes commands and options',
    about: 'For the start file of your shell.',
    options: {},
    examples: [
      ['eval "$(longshore completion bash)"', 'in ~/.bashrc'],
      ['longshore completion fish > ~/.config/fish/completions/longshore.fish', 'for fish'],
    ],
  },
];

/** `keys` has a parser of its own. */
const KEYS: CommandSpec = {
  name: 'keys',
  positionals: ['create|list|revoke'],
  summary: 'who may call under AUTH=api-key',
  about:
    'In DATABASE_URL or the database of a running `start`. `create` prints a new key, once. Scopes: tasks:read, tasks:write, tools:NAME, tools:*, prompts:*, resources:*; all without --scope. Keys of the same principal share their tasks; without --principal a key is a principal of its own. Limits, where they are not those of the environment: requestsPerMinute, concurrentTasks, queuedTasks, argumentBytes, maxTtlMs, openStreams, schedules.',
  options: {
    name: { type: 'string', value: 'NAME', text: 'create: what the key is for' },
    scope: { type: 'string', multiple: true, value: 'SCOPE', text: 'create: what it may do' },
    limit: { type: 'string', multiple: true, value: 'LIMIT=NUMBER', text: 'create: a limit' },
    expires: { type: 'string', value: '30d', text: 'create: s, m, h or d from now' },
    principal: { type: 'string', value: 'NAME', text: 'create: whose tasks it sees' },
    json: { type: 'boolean', text: 'print JSON' },
  },
  examples: [
    ['longshore keys create --name laptop --scope tools:* --expires 30d', 'prints the key'],
    ['longshore keys list', 'all keys, without their secrets'],
    ['longshore keys revoke ID', 'at once, on all APIs'],
  ],
};

export const COMMAND_SPECS: readonly CommandSpec[] = [
  ...SERVING,
  ...CLIENT_SPECS,
  ...AUTHORING,
  KEYS,
  ...HELPING,
];

/** First words of commands that have two. */
export const GROUPS: readonly string[] = [
  ...new Set(
    COMMAND_SPECS.flatMap(({ name }) => (name.includes(' ') ? [name.split(' ')[0] ?? ''] : [])),
  ),
];
