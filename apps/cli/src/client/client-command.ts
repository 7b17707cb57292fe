import type { Config } from '@longshore/config';
import type { ParsedCommand } from '../parsed-command.ts';
import { batchCommand } from './batch-command.ts';
import { callCommand } from './call-command.ts';
import { CliError, EXIT } from './cli-error.ts';
import { McpClient, ServerError } from './mcp-client.ts';
import {
  addScheduleCommand,
  listSchedulesCommand,
  removeScheduleCommand,
} from './schedule-command.ts';
import { serverAddress } from './server-address.ts';
import {
  cancelTaskCommand,
  listTasksCommand,
  retryTaskCommand,
  showTaskCommand,
  tailTaskCommand,
} from './tasks-command.ts';

/** What a command that asks a server works with. */
export interface ClientContext {
  readonly command: ParsedCommand;
  readonly client: McpClient;
  /** Results, and nothing else. */
  readonly print: (text: string) => void;
  readonly isJson: boolean;
  readonly stderr: NodeJS.WriteStream;
  /** Asks what becomes of the task; null: there is nobody to ask. */
  readonly ask: (() => Promise<'cancel' | 'detach'>) | null;
  /** Fires when the user wants to go. */
  readonly stop: AbortSignal;
}

const COMMANDS: Readonly<Record<string, (context: ClientContext) => Promise<number>>> = {
  call: callCommand,
  batch: batchCommand,
  'tasks list': listTasksCommand,
  'tasks show': showTaskCommand,
  'tasks tail': tailTaskCommand,
  'tasks cancel': cancelTaskCommand,
  'tasks retry': retryTaskCommand,
  'schedule add': addScheduleCommand,
  'schedule list': listSchedulesCommand,
  'schedule remove': removeScheduleCommand,
};

/** Runs `call`, `batch`, or one of `tasks` or `schedule`. Expected errors are a line on standard error. */
export async function clientCommand(
  command: ParsedCommand,
  options: {
    config: Config;
    version: string;
    print: (text: string) => void;
    stderr: NodeJS.WriteStream;
    ask: ClientContext['ask'];
    stop: AbortSignal;
  },
): Promise<number> {
  const { config, version, print, stderr, ask, stop } = options;
  try {
    const run = COMMANDS[command.name];
    if (run === undefined) throw new Error(`no command ${command.name}`);
    const url = command.text('url');
    const address = serverAddress({ url, apiKey: command.text('api-key') }, config);
    const client = new McpClient(address, version);
    const isJson = command.text('output') === 'json';
    return await run({ command, client, print, isJson, stderr, ask, stop });
  } catch (error) {
    if (stop.aborted && !(error instanceof CliError)) return EXIT.interrupted;
    if (!(error instanceof CliError || error instanceof ServerError)) throw error;
    stderr.write(`longshore: ${error.message}\n`);
    return error instanceof CliError ? error.exitCode : EXIT.failed;
  }
}
