import type { ClientContext, ClientOptions } from '../client/client-context.ts';
import type { KeysAction } from '../keys/keys-command.ts';
import type { PluginContext } from '../plugin/plugin-context.ts';

/** What becomes this process, or starts others. `keep-postgres` and `engine` are of no use by themselves. */
export type ServeCommand =
  | 'start'
  | 'stdio'
  | 'api'
  | 'worker'
  | 'migrate'
  | 'keep-postgres'
  | 'engine';

/**
 * Does what a command line asks for, and keeps the exit code. What it runs is loaded by then only: the
 * database and the queue take a second that a host which starts `stdio` need not wait for.
 */
export interface Handlers {
  /** @param options.channel of `stdio`: tell the host of its jobs */
  serve(command: ServeCommand, options?: { readonly channel: boolean }): Promise<void>;
  /** Expected errors of `run` are a line on standard error. */
  ask(options: ClientOptions, run: (context: ClientContext) => Promise<number>): Promise<void>;
  /** Expected errors of `run` are a line on standard error. */
  author(run: (context: PluginContext) => Promise<number>): Promise<void>;
  keys(action: KeysAction): Promise<void>;
  doctor(options: { readonly isJson: boolean }): Promise<void>;
  print(text: string): void;
  /** To standard error. */
  printError(text: string): void;
}
