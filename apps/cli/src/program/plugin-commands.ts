import { Command } from '@commander-js/extra-typings';
import type { Handlers } from './handlers.ts';
import { examples } from './help.ts';

/** `plugin`. */
export function pluginCommands({ author }: Handlers) {
  const plugin = new Command('plugin').description('make tools of your own');
  plugin
    .command('new')
    .summary('make a plugin: a typed tool, its test and a README')
    .description(
      'Make a plugin: a typed tool, its test and a README. In a new folder of that name, inside or outside of this checkout; the name may be a path. It works at once, without a build and without npm install.',
    )
    .argument('<name>')
    .addHelpText(
      'after',
      examples(['longshore plugin new my-tools', 'then: cd my-tools, npm test, npm run dev']),
    )
    .action((name) =>
      author(async (context) =>
        (await import('../plugin/plugin-command.ts')).runNew(context, name),
      ),
    );
  plugin
    .command('dev')
    .summary('offer a plugin to what runs here, and reload it when it is saved')
    .description(
      'Offer a plugin to what runs here, and reload it when it is saved. By a worker of its own, beside what `start` or `stdio` runs in DATA_DIR (unless that is set also in the folders above, and ~/.longshore) or by DATABASE_URL and REDIS_URL. Clients see its tools at once, and after each save what it says then: the worker before takes no more tasks and ends with those it runs. A save that can not be loaded changes nothing and is explained. Ctrl-C takes the tools away; what runs gets SHUTDOWN_GRACE_MS. LOG_LEVEL=info shows the worker at work.',
    )
    .argument('<path>')
    .addHelpText(
      'after',
      examples(['longshore plugin dev ./my-tools', 'prints how its tools are called']),
    )
    .action((path) =>
      author(async (context) =>
        (await import('../plugin/plugin-command.ts')).runDev(context, path),
      ),
    );
  plugin
    .command('check')
    .summary('say what a worker would refuse in a plugin, and what models need')
    .description(
      'Say what a worker would refuse in a plugin, and what models need. Loads it as a worker does and checks names, descriptions, schemas, examples, and that outputs can be written as JSON. Starts nothing and runs no tool. Exits with 1 when there are errors, with 2 when there is no such path.',
    )
    .argument('<path|package>')
    .option('--json', 'print the findings as one JSON object')
    .option('--strict', 'exit with 1 for warnings as well')
    .addHelpText(
      'after',
      examples(
        ['longshore plugin check ./my-tools', 'ok, warning or ERROR for each tool'],
        ['longshore plugin check @longshore/plugin-text --json', 'for programs'],
      ),
    )
    .action((word, options) =>
      author(async (context) =>
        (await import('../plugin/plugin-command.ts')).runCheckOf(context, word, options),
      ),
    );
  return plugin;
}
