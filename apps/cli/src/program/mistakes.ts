import { VARIABLES } from '@longshore/config';
import type { CommanderError } from 'commander';

/**
 * What is wrong with a command line, in one line with the word that is right.
 *
 * @param args without the interpreter and the script
 */
export function explain({ code, message }: CommanderError, args: readonly string[]): string {
  if (code === 'commander.help') return 'no command given: the commands are above';
  const text = message.replace(/^error: /, '').replaceAll(/\s*\n\s*/g, ' ');
  if (code === 'commander.unknownOption') return unknownOption(text, args);
  if (code === 'commander.optionMissingArgument' && text.includes("'--json <file>'")) {
    return `${text}: here it takes the arguments; for an answer in JSON say --output json`;
  }
  return text;
}

/** What is set by a variable is often tried as an option. */
function unknownOption(text: string, args: readonly string[]): string {
  const [, name = ''] = /--([a-z0-9-]+)/.exec(text) ?? [];
  const variable = name.toUpperCase().replaceAll('-', '_');
  if (!Object.hasOwn(VARIABLES, variable)) return text;
  const command = args.slice(
    0,
    Math.max(
      1,
      args.findIndex((word) => word.startsWith('-')),
    ),
  );
  const at = args.findIndex((word) => word === `--${name}` || word.startsWith(`--${name}=`));
  const value = args[at]?.split('=', 2)[1] ?? args[at + 1] ?? '...';
  return `there is no option --${name}: set the variable ${variable}, as in ${variable}=${value} longshore ${command.join(' ')}`;
}
