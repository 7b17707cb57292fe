import { fork } from 'node:child_process';
import path from 'node:path';
import type { Config } from '@longshore/config';
import { pluginEnvironment } from '@longshore/plugin/process';
import { PluginReport } from './plugin-report.ts';

export interface CheckProcessOptions {
  /** Absolute path of the program that checks. */
  readonly entry: string;
  /** As in PLUGINS. */
  readonly specifier: string;
  readonly currentDirectory: string;
  /** What a worker would grant the plugin. */
  readonly config: Config;
  /** Ends the check. */
  readonly signal: AbortSignal;
}

/** Longer than the check itself gives an import (apps/worker: 30 s), for those that keep the thread busy. */
const TIMEOUT_MS = 40_000;

/**
 * Has a plugin checked in a process of its own. What the plugin prints goes to standard error.
 *
 * @returns also when the plugin ends the process, or keeps it from answering: that is a problem of the plugin
 */
export async function runCheck(options: CheckProcessOptions): Promise<PluginReport> {
  const { entry, specifier, currentDirectory, config, signal } = options;
  const child = fork(entry, [], {
    execArgv: [],
    env: pluginEnvironment(),
    stdio: ['ignore', 2, 2, 'ipc'],
  });
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, by) => resolve(by ?? `exit code ${code}`));
    child.once('error', (error) => resolve(error.message));
  });
  const answered = new Promise<unknown>((resolve) => child.once('message', resolve));
  const kill = (): void => void child.kill('SIGKILL');
  signal.addEventListener('abort', kill);
  const timer = setTimeout(kill, TIMEOUT_MS);
  try {
    child.send(
      {
        specifier,
        currentDirectory,
        directories: config.PLUGIN_DIRS.map((directory) => path.resolve(directory)),
        dataDir: path.resolve(config.DATA_DIR, 'files'),
        fileLimits: {
          fileBytes: config.MAX_FILE_BYTES,
          principalBytes: config.MAX_PRINCIPAL_FILE_BYTES,
        },
        network: {
          hosts: config.PLUGIN_HOSTS,
          privateHosts: config.PLUGIN_PRIVATE_HOSTS ?? [],
          userAgent: config.PLUGIN_USER_AGENT,
        },
      },
      () => {},
    );
    const answer = await Promise.race([answered, ended]);
    if (typeof answer !== 'string') return PluginReport.parse(answer);
    signal.throwIfAborted();
    return unanswered(answer);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', kill);
  }
}

function unanswered(end: string): PluginReport {
  const message =
    end === 'SIGKILL'
      ? `its import did not end within ${TIMEOUT_MS} ms and kept the process busy: move the work into run`
      : `it ended the process while it was imported (${end}): call process.exit nowhere`;
  return { name: null, version: null, entry: null, problem: { message, place: null }, offers: [] };
}
