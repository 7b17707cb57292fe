import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings';

/** What one types, and what it does. */
type Example = readonly [command: string, does: string];

/**
 * A command with its help.
 *
 * @param summary its line among the commands, and its first sentence
 * @param more the sentences behind that one
 */
export function leaf(name: string, summary: string, more: string, ...examples: Example[]) {
  const lines = examples.flatMap(([command, does]) => [`  ${command}`, `      ${does}`]);
  const sentence = `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
  return new Command(name)
    .summary(summary)
    .description(`${sentence} ${more}`.trimEnd())
    .addHelpText(
      'after',
      ['', examples.length > 1 ? 'Examples:' : 'Example:', ...lines].join('\n'),
    );
}

/** The commands that do something, in the order of the help: `call`, `tasks list`. */
export function leafCommands(program: CommandUnknownOpts): CommandUnknownOpts[] {
  return visible(program).flatMap((command) =>
    command.commands.length === 0 ? [command] : leafCommands(command),
  );
}

/** The commands and groups below one, without those that users have no use for. */
export function visible(command: CommandUnknownOpts): readonly CommandUnknownOpts[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .filter(({ parent }) => parent === command);
}

/** `tasks list`. */
export function nameOf(command: CommandUnknownOpts): string {
  const { parent } = command;
  return parent === null ? '' : `${nameOf(parent)} ${command.name()}`.trimStart();
}

/** All that `--help` prints. */
export function helpOf(command: CommandUnknownOpts): string {
  let text = '';
  const { writeOut, ...others } = command.configureOutput();
  command.configureOutput({
    ...others,
    writeOut: (written) => {
      text += written;
    },
  });
  command.outputHelp();
  command.configureOutput({ ...others, ...(writeOut === undefined ? {} : { writeOut }) });
  return text;
}
