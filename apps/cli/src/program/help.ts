import type { CommandUnknownOpts } from '@commander-js/extra-typings';

/** What one types, and what it does. */
export type Example = readonly [command: string, does: string];

/** What stands behind the options in the help of a command. */
export function examples(...given: readonly Example[]): string {
  const lines = given.flatMap(([command, does]) => [`  ${command}`, `      ${does}`]);
  return ['', given.length > 1 ? 'Examples:' : 'Example:', ...lines].join('\n');
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
