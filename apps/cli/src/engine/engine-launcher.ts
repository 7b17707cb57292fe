import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Logger, LongshoreError } from '@longshore/core';
import { countHosts, lockHolder } from '../database/data-dir-lock.ts';
import { isRunning } from '../database/process-identity.ts';
import { differingSettings, type EngineAddress, findEngine, settingsOf } from './engine-address.ts';

export interface LauncherOptions {
  /** Where the engine is found. */
  readonly directory: string;
  /** Absolute path of our own program. */
  readonly cli: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Logger;
}

/** A first start makes a database, and on a slow disk takes its time; a stopping engine takes some 15 s. */
const PATIENCE_MS = 120_000;
const POLL_MS = 50;
/** Starts that fail although nobody else holds the directory: the first one says why, others are races. */
const MAX_FAILURES = 2;
/** What is kept of an engine's log when the next one starts. */
const MAX_LOG_BYTES = 4_194_304;
const TAIL_BYTES = 2_000;

/** Finds the engine of a directory, and starts one when there is none. */
export class EngineLauncher {
  readonly #options: LauncherOptions;
  #child: ChildProcess | null = null;
  #failures = 0;
  #hasWarned = false;

  constructor(options: LauncherOptions) {
    this.#options = options;
  }

  /**
   * @param signal gives up the wait; an engine that starts goes on
   * @throws {LongshoreError} CONFIG_INVALID with the last words of an engine that does not start, or with the
   *   process that is in its way
   */
  async find(signal: AbortSignal): Promise<EngineAddress> {
    const { directory, log } = this.#options;
    const until = performance.now() + PATIENCE_MS;
    for (;;) {
      const found = findEngine(directory);
      if (found !== null && !this.#isOutdated(found)) return found;
      const holder = lockHolder(directory);
      if (found === null && holder === null && !this.#isStarting()) this.#start();
      if (performance.now() >= until) throw stuck(directory, holder);
      if (holder !== null && holder !== this.#child?.pid) {
        log.debug({ pid: holder }, 'waiting for another process');
      }
      await sleep(POLL_MS, undefined, { signal });
    }
  }

  /** Ends an engine that runs with other settings, when no other host uses it; its tasks are handed over. */
  #isOutdated(found: EngineAddress): boolean {
    const { directory, env, log } = this.#options;
    const differing = differingSettings(found.settings, settingsOf(env));
    if (differing.length === 0) return false;
    const isOnlyHost = countHosts(directory) <= 1;
    if (found.endsByItself && isOnlyHost) {
      log.info({ pid: found.pid, differing }, 'starting the engine anew, with other settings');
      if (isRunning(found.pid)) process.kill(found.pid, 'SIGTERM');
      rmSync(path.join(directory, 'engine.json'), { force: true });
      return true;
    }
    if (!this.#hasWarned) {
      log.warn(
        { pid: found.pid, differing },
        'the engine that runs here has other settings, which count: stop it to change them',
      );
    }
    this.#hasWarned = true;
    return false;
  }

  #isStarting(): boolean {
    const child = this.#child;
    if (child === null || child.exitCode === null)
      return child !== null && child.signalCode === null;
    if (child.exitCode === 0) return false;
    this.#failures += 1;
    this.#child = null;
    if (this.#failures < MAX_FAILURES) return false;
    throw new LongshoreError(
      'CONFIG_INVALID',
      `the engine did not start. Its last lines, of ${logFile(this.#options.directory)}:\n${tail(this.#options.directory)}`,
    );
  }

  /** In a session of its own, so that no signal for the host or its group reaches it. */
  #start(): void {
    const { directory, cli, env, log } = this.#options;
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const output = openSync(logFile(directory), isLarge(logFile(directory)) ? 'w' : 'a', 0o600);
    try {
      this.#child = spawn(process.execPath, [cli, 'engine'], {
        detached: true,
        stdio: ['ignore', output, output],
        env: { ...env },
      });
    } finally {
      closeSync(output);
    }
    this.#child.on('error', (err) => log.error({ err }, 'the engine can not be run'));
    this.#child.unref();
    log.info({ pid: this.#child.pid, log: logFile(directory) }, 'started an engine');
  }
}

function stuck(directory: string, holder: number | null): LongshoreError {
  return new LongshoreError(
    'CONFIG_INVALID',
    holder === null
      ? `no engine came up in ${directory}: see ${logFile(directory)}`
      : `${directory} is in use by process ${holder}, which offers no engine. Stop that one first, or set DATA_DIR to another folder.`,
  );
}

function logFile(directory: string): string {
  return path.join(directory, 'engine.log');
}

function isLarge(file: string): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > MAX_LOG_BYTES;
}

function tail(directory: string): string {
  try {
    return readFileSync(logFile(directory), 'utf8').slice(-TAIL_BYTES).trimEnd();
  } catch {
    return '(there are none)';
  }
}
