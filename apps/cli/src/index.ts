export { type CommandLine, parseCommandLine } from './command-line.ts';
export type { CommandSpec, OptionSpec } from './help/command-spec.ts';
export { COMMAND_SPECS } from './help/command-specs.ts';
export { commandHelp, EXIT_CODES, USAGE } from './help/render-help.ts';
