import type { CommandSpec } from './command-spec.ts';
import { COMMAND_SPECS, GROUPS } from './command-specs.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

export function isShell(text: string): text is Shell {
  return SHELLS.some((shell) => shell === text);
}

/** A script for a shell that completes commands, their options, and the values of options that are few. */
export function completionScript(shell: Shell): string {
  switch (shell) {
    case 'bash':
      return bash();
    case 'zsh':
      // zsh runs completions of bash.
      return `autoload -U +X bashcompinit && bashcompinit\n${bash()}`;
    case 'fish':
      return fish();
  }
}

const FIRST_WORDS = [...new Set(COMMAND_SPECS.map(({ name }) => name.split(' ')[0] ?? ''))];

function secondWords(group: string): string[] {
  return COMMAND_SPECS.flatMap(({ name }) => {
    const [first, second] = name.split(' ');
    return first === group && second !== undefined ? [second] : [];
  });
}

/** What may follow a command beside its options. */
function words({ name, positionals }: CommandSpec): string[] {
  return name === 'keys' || name === 'completion' ? (positionals[0]?.split('|') ?? []) : [];
}

function flags({ options }: CommandSpec): string[] {
  return [...Object.keys(options).map((name) => `--${name}`), '--help'];
}

function bash(): string {
  const cases = COMMAND_SPECS.map(
    (spec) => `    "${spec.name}") words="${[...words(spec), ...flags(spec)].join(' ')}" ;;`,
  );
  const groups = GROUPS.map(
    (group) => `  if [ "$command" = ${group} ]; then
    if [ "$COMP_CWORD" -eq 2 ]; then
      COMPREPLY=($(compgen -W "${secondWords(group).join(' ')}" -- "$cur")); return
    fi
    command="${group} \${COMP_WORDS[2]}"
  fi`,
  );
  const values = [
    ...new Set(
      COMMAND_SPECS.flatMap(({ options }) =>
        Object.entries(options).flatMap(([name, option]) =>
          option.values === undefined
            ? []
            : [
                `    --${name}) COMPREPLY=($(compgen -W "${option.values.join(' ')}" -- "$cur")); return ;;`,
              ],
        ),
      ),
    ),
  ];
  return `_longshore() {
  local cur=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} command=\${COMP_WORDS[1]} words
  case $previous in
${values.join('\n')}
    --json|--items) COMPREPLY=($(compgen -f -- "$cur")); return ;;
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${FIRST_WORDS.join(' ')} --help" -- "$cur")); return
  fi
${groups.join('\n')}
  case "$command" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
  case "$command" in "plugin check"|"plugin dev") COMPREPLY+=($(compgen -f -- "$cur")) ;; esac
}
complete -F _longshore longshore
`;
}

function fish(): string {
  const quoted = (text: string): string => `'${text.replaceAll(/['\\]/g, '\\$&')}'`;
  const lines = COMMAND_SPECS.flatMap((spec) => {
    const [first = '', second] = spec.name.split(' ');
    const seen =
      second === undefined ? first : `${first}; and __fish_seen_subcommand_from ${second}`;
    const when = quoted(`__fish_seen_subcommand_from ${seen}`);
    const start =
      second === undefined
        ? `complete -c longshore -n __fish_use_subcommand -a ${first} -d ${quoted(spec.summary)}`
        : `complete -c longshore -n ${quoted(`__fish_seen_subcommand_from ${first}`)} -a ${second} -d ${quoted(spec.summary)}`;
    return [
      start,
      ...words(spec).map((word) => `complete -c longshore -n ${when} -a ${word}`),
      ...Object.entries(spec.options).map(([name, option]) => {
        const takes =
          option.type === 'boolean'
            ? ''
            : ` -x${option.values === undefined ? '' : ` -a ${quoted(option.values.join(' '))}`}`;
        const file = option.value === 'FILE' ? ' -r -F' : takes;
        return `complete -c longshore -n ${when} -l ${name}${file} -d ${quoted(option.text)}`;
      }),
    ];
  });
  const groups = GROUPS.map(
    (group) =>
      `complete -c longshore -n __fish_use_subcommand -a ${group} -d ${quoted(secondWords(group).join(', '))}`,
  );
  return ['complete -c longshore -f', ...groups, ...lines, ''].join('\n');
}
