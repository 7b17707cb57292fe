import type { ClientOptions } from '../../src/client/client-context.ts';
import type { KeysAction } from '../../src/keys/keys-command.ts';
import type { Handlers } from '../../src/program/handlers.ts';
import { createProgram, runProgram } from '../../src/program/program.ts';

/** What a command line would do. */
export interface Recorded {
  readonly printed: string[];
  /** `start`, or which handler was asked. */
  ran: string | null;
  options: ClientOptions | null;
  key: KeysAction | null;
}

/** Reads a command line whose commands only note that they would run. */
export async function read(...args: string[]) {
  const recorded: Recorded = { printed: [], ran: null, options: null, key: null };
  const reading = await runProgram(programOf(recorded), args);
  return { ...reading, ...recorded };
}

export function programOf(
  recorded: Recorded = { printed: [], ran: null, options: null, key: null },
) {
  const handlers: Handlers = {
    serve: async (command) => {
      recorded.ran = command;
    },
    ask: async (options) => {
      recorded.ran = 'ask';
      recorded.options = options;
    },
    author: async () => {
      recorded.ran = 'author';
    },
    keys: async (action) => {
      recorded.ran = 'keys';
      recorded.key = action;
    },
    doctor: async () => {
      recorded.ran = 'doctor';
    },
    print: (text) => void recorded.printed.push(text),
    printError: (text) => void recorded.printed.push(text),
  };
  return createProgram('1.2.3', handlers);
}
