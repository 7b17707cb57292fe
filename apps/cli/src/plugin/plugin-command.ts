import path from 'node:path';
import { CliError, EXIT } from '../client/cli-error.ts';
import { runCheck } from './check-process.ts';
import { describeReport } from './describe-report.ts';
import { type DevOptions, DevSession } from './dev-session.ts';
import { newPlugin } from './new-plugin.ts';
import type { PluginContext } from './plugin-context.ts';
import { countFindings } from './plugin-report.ts';
import { pluginTarget } from './plugin-target.ts';
import { findServer } from './running-server.ts';

/*
 * `plugin new`, `plugin check` and `plugin dev`.
 *
 * Each gives the exit code and throws a CliError where its user is to mend something.
 */

export async function runNew({ root, ...context }: PluginContext, word: string): Promise<number> {
  newPlugin({ ...context, word, pluginPackage: path.join(root, 'packages', 'plugin') });
  return 0;
}

/** 0: a worker loads it; 1: it does not, or an example does not fit. */
export async function runCheckOf(
  { root, stop, config, currentDirectory, print }: PluginContext,
  word: string,
  options: { readonly json?: true | undefined; readonly strict?: true | undefined },
): Promise<number> {
  const { specifier } = pluginTarget(word, currentDirectory);
  const entry = checkEntry(root);
  const report = await runCheck({ entry, specifier, currentDirectory, config, signal: stop });
  const { errors, warnings } = countFindings(report);
  const isOk = errors === 0 && !(options.strict === true && warnings > 0);
  if (options.json === true) {
    print(JSON.stringify({ ok: isOk, errors, warnings, ...report }, null, 2));
  } else for (const line of describeReport(report, word, currentDirectory)) print(line);
  return isOk ? 0 : EXIT.failed;
}

export function runDev({ root, ...context }: PluginContext, word: string): Promise<number> {
  const worker = path.join(root, 'apps', 'worker', 'dist', 'main.js');
  return devCommand({ ...context, word, entries: { worker, check: checkEntry(root) } });
}

function checkEntry(root: string): string {
  return path.join(root, 'apps', 'worker', 'dist', 'check-main.js');
}

/**
 * Offers a plugin to the server that runs here, by a worker of its own, and reloads it when its sources are saved,
 * until `stop` fires.
 *
 * @returns the exit code
 * @throws {CliError} no such path, no server, or one with other settings
 */
async function devCommand(options: DevOptions): Promise<number> {
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
