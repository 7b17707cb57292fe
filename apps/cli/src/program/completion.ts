import type { CommandUnknownOpts } from '@commander-js/extra-typings';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

const BASH = `_longshore() {
  local IFS=$'\\n'
  COMPREPLY=($(longshore complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _longshore longshore`;

/** A script for a shell that asks this program what may follow; where it knows nothing, files do. */
export function completionScript(shell: Shell): string {
  switch (shell) {
    case 'bash':
      return BASH;
    case 'zsh':
      // zsh runs completions of bash.
      return `autoload -U +X bashcompinit && bashcompinit\n${BASH}`;
    case 'fish':
      return "complete -c longshore -a '(longshore complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'";
  }
}

/**
 * What the last word may become: commands, their options, and the values of options and arguments that are few.
 *
 * @param words what follows the name of the program; the last one is what is being typed, also when it is empty
 */
export function candidates(program: CommandUnknownOpts, words: readonly string[]): string[] {
  const typed = words.at(-1) ?? '';
  let command = program;
  for (const word of words.slice(0, -1)) {
    command = command.commands.find((inner) => inner.name() === word) ?? command;
  }
  const before = words.at(-2);
  const option = command.options.find(({ long, short }) => long === before || short === before);
  return following(command, option, typed).filter((word) => word.startsWith(typed));
}

function following(
  command: CommandUnknownOpts,
  option: CommandUnknownOpts['options'][number] | undefined,
  typed: string,
): readonly string[] {
  if (option?.required === true) return option.argChoices ?? [];
  const help = command.createHelp();
  if (typed.startsWith('-')) {
    return help.visibleOptions(command).flatMap(({ long }) => long ?? []);
  }
  const names = help.visibleCommands(command).map((inner) => inner.name());
  return [...names, ...(command.registeredArguments[0]?.argChoices ?? [])];
}
