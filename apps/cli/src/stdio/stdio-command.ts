import type { Config } from '@longshore/config';
import { type Logger, LongshoreError } from '@longshore/core';
import { recordHost } from '../database/data-dir-lock.ts';
import type { EngineAddress } from '../engine/engine-address.ts';
import { EngineLauncher } from '../engine/engine-launcher.ts';
import { engineDirectory } from '../engine/engine-settings.ts';
import { idOfTooLong } from '../wire/carried-id.ts';
import { Channel } from './channel.ts';
import { EngineConnection } from './engine-connection.ts';
import { readLines } from './lines.ts';
import { MessageWriter } from './message-writer.ts';
import { StdioBridge } from './stdio-bridge.ts';

export interface StdioOptions {
  readonly config: Config;
  /** With which an engine is started. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Writes to standard error. */
  readonly log: Logger;
  readonly stop: AbortSignal;
  /** Absolute path of our own program. */
  readonly cli: string;
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
}

/**
 * MCP over standard input and output, until the input ends or `stop` fires. The engine is another process, and
 * stays.
 *
 * @returns the exit code
 * @throws {LongshoreError} when there is no engine and none can be started
 */
export async function stdioCommand(options: StdioOptions): Promise<number> {
  const { config, env, log, cli, input, output } = options;
  const directory = engineDirectory(config.DATA_DIR, config.DATABASE_URL);
  const host = recordHost(directory);
  const ending = new AbortController();
  const end = (): void => ending.abort();
  options.stop.addEventListener('abort', end);
  if (options.stop.aborted) end();
  try {
    const launcher = new EngineLauncher({ directory, cli, env, log });
    const find = (signal: AbortSignal): Promise<EngineAddress> => launcher.find(signal);
    const connection = new EngineConnection({ find, log });
    const { pid, url } = await launcher.find(ending.signal);
    log.info({ pid, url }, 'connected to the engine');
    const writer = new MessageWriter(output);
    const deliver = (message: unknown): Promise<void> => writer.write(message, null);
    const channel = config.STDIO_CHANNEL ? new Channel({ find, deliver, log }) : null;
    const bridge = new StdioBridge({ connection, writer, channel, log });
    writer.gone.addEventListener('abort', end);
    ending.signal.addEventListener('abort', () => input.destroy());
    await carry(input, bridge, config.MAX_BODY_BYTES);
    await bridge.end(ending.signal.aborted ? 0 : config.SHUTDOWN_GRACE_MS);
    return 0;
  } catch (error) {
    if (ending.signal.aborted) return 0;
    throw error;
  } finally {
    host.release();
  }
}

async function carry(
  input: NodeJS.ReadStream,
  bridge: StdioBridge,
  maxLineBytes: number,
): Promise<void> {
  try {
    for await (const line of readLines(input, maxLineBytes)) {
      // Not awaited: what comes next may be what this one waits for.
      if ('text' in line) void bridge.take(line.text);
      else {
        const reason = `The message is over the limit of ${maxLineBytes} bytes`;
        await bridge.refuse(
          idOfTooLong(line.tooLong),
          new LongshoreError('BODY_TOO_LARGE', reason),
        );
      }
    }
  } catch (error) {
    // Destroyed, by us.
    if (!input.destroyed) throw error;
  }
}
