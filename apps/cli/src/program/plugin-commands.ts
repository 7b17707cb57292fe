import { Command } from '@commander-js/extra-typings';
import type { Handlers } from './handlers.ts';
import { leaf } from './help.ts';

/** `plugin`. */
export function pluginCommands({ author }: Handlers) {
  const commands = () => import('../plugin/plugin-command.ts');
  const make = leaf(
    'new',
    'make a plugin: a typed tool, its test and a README',
    'In a new folder of that name, inside or outside of this checkout; the name may be a path. It works at once, without a build and without npm install.',
    ['longshore plugin new my-tools', 'then: cd my-tools, npm test, npm run dev'],
  )
    .argument('<name>')
    .action((name) => author(async (context) => (await commands()).runNew(context, name)));
  const dev = leaf(
    'dev',
    'offer a plugin to what runs here, and reload it when it is saved',
    'By a worker of its own, beside what `start` or `stdio` runs in DATA_DIR (unless that is set also in the folders above, and ~/.longshore) or by DATABASE_URL and REDIS_URL. Clients see its tools at once, and after each save what it says then: the worker before takes no more tasks and ends with those it runs. A save that can not be loaded changes nothing and is explained. Ctrl-C takes the tools away; what runs gets SHUTDOWN_GRACE_MS. LOG_LEVEL=info shows the worker at work.',
    ['longshore plugin dev ./my-tools', 'prints how its tools are called'],
  )
    .argument('<path>')
    .action((path) => author(async (context) => (await commands()).runDev(context, path)));
  const check = leaf(
    'check',
    'say what a worker would refuse in a plugin, and what models need',
    'Loads it as a worker does and checks names, descriptions, schemas, examples, and that outputs can be written as JSON. Starts nothing and runs no tool. Exits with 1 when there are errors, with 2 when there is no such path.',
    ['longshore plugin check ./my-tools', 'ok, warning or ERROR for each tool'],
    ['longshore plugin check @longshore/plugin-text --json', 'for programs'],
  )
    .argument('<path|package>')
    .option('--json', 'print the findings as one JSON object')
    .option('--strict', 'exit with 1 for warnings as well')
    .action((word, options) =>
      author(async (context) => (await commands()).runCheckOf(context, word, options)),
    );
  return new Command('plugin')
    .description('make tools of your own')
    .addCommand(make)
    .addCommand(dev)
    .addCommand(check);
}
