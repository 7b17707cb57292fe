export { askServer } from './client/ask-server.ts';
export { EXIT, EXIT_CODES } from './client/cli-error.ts';
export type { Handlers, ServeCommand } from './program/handlers.ts';
export { helpOf } from './program/help.ts';
export { createProgram, documentedCommands, runProgram } from './program/program.ts';
