export { type Command, type CommandLine, parseCommandLine, USAGE } from './command-line.ts';
