import type { Config } from '@longshore/config';
import { CliError, EXIT } from './cli-error.ts';
import type { ClientContext, ClientOptions } from './client-context.ts';
import { McpClient, ServerError } from './mcp-client.ts';
import { type Output, ProgressLine } from './progress-line.ts';
import { otherServers, serverAddress } from './server-address.ts';

export interface Terminal {
  readonly version: string;
  readonly print: (text: string) => void;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly ask: ClientContext['ask'];
  readonly keyboard: ClientContext['keyboard'];
  readonly stop: AbortSignal;
}

/**
 * Runs a command that asks a server. Expected errors are a line on standard error.
 * @returns the exit code
 */
export async function askServer(
  options: ClientOptions & { readonly patience?: number | undefined },
  config: Config,
  { version, print, stdout, stderr, ask, keyboard, stop }: Terminal,
  run: (context: ClientContext) => Promise<number>,
): Promise<number> {
  const { url, apiKey, output, patience = 0 } = options;
  const line = new ProgressLine(stderr);
  try {
    const client = new McpClient(() => serverAddress({ url, apiKey }, config), {
      version,
      patienceMs: patience * 1_000,
      say: (text) => line.say(text),
      stop,
    });
    return await run({
      client,
      print,
      isJson: output === 'json',
      stdout,
      stderr,
      line,
      columns: stdout.isTTY === true ? stdout.columns || 80 : null,
      again: (words) => `longshore ${words}${url === undefined ? '' : ` --url ${url}`}`,
      ask,
      keyboard,
      stop,
    });
  } catch (error) {
    line.clear();
    if (stop.aborted && !(error instanceof CliError)) return EXIT.interrupted;
    if (!(error instanceof CliError || error instanceof ServerError)) throw error;
    const isUnknown = error instanceof ServerError && error.stableCode === 'TASK_NOT_FOUND';
    const elsewhere = isUnknown ? otherServers({ url, apiKey }, config) : '';
    stderr.write(`longshore: ${error.message}${elsewhere}\n`);
    return error instanceof CliError ? error.exitCode : EXIT.failed;
  }
}
