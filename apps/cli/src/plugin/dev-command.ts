import { CliError, EXIT } from '../client/cli-error.ts';
import { type DevOptions, DevSession } from './dev-session.ts';
import { pluginTarget } from './plugin-target.ts';
import { findServer } from './running-server.ts';

/**
 * Offers a plugin to the server that runs here, by a worker of its own, and reloads it when its sources are saved,
 * until `stop` fires.
 *
 * @returns the exit code
 * @throws {CliError} no such path, no server, or one with other settings
 */
export async function devCommand(options: DevOptions): Promise<number> {
  const { word, config, env, currentDirectory } = options;
  const target = pluginTarget(word, currentDirectory);
  if (target.specifier.includes(',')) {
    throw new CliError(
      EXIT.usage,
      `${target.specifier} has a comma, which parts the names of plugins`,
    );
  }
  const find = () => findServer(config, env, currentDirectory);
  const server = find();
  if (server === null) {
    throw new CliError(
      EXIT.unreachable,
      'nothing runs here that could offer the tools: start it first (npm start, or longshore start) and run this in the same folder or below it, or set DATA_DIR to its .longshore, or DATABASE_URL and REDIS_URL to those of the server',
    );
  }
  if (server.differing.length > 0) {
    throw new CliError(
      EXIT.usage,
      `what runs in ${server.dataDir} was started with other values of ${server.differing.join(', ')}: set the same here`,
    );
  }
  return new DevSession({ ...options, target, server, find }).run();
}
