import { execFile, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { LongshoreError } from '@longshore/core';
import type { NativePostgres } from './native-postgres.ts';
import { isServing } from './postmaster.ts';
import type { RunAs } from './run-as.ts';

const POLL_MS = 10;

/** Open sessions get this long to be ended and the last checkpoint to be written. */
const FAST_STOP_MS = 8_000;
/** After that the server is stopped as by a power cut, which is safe: it replays its log next time. */
const IMMEDIATE_STOP_MS = 5_000;

/** Over the defaults of PostgreSQL, which keep every committed transaction through a crash. */
const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
  // Errors of statements go to the client that sent them; the log is about the server.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
};

export interface LaunchOptions {
  readonly native: NativePostgres;
  readonly runAs: RunAs;
  readonly data: string;
  readonly log: string;
  readonly port: number;
  readonly settings: Readonly<Record<string, string>>;
}

export interface LaunchedServer {
  readonly pid: number;
  /** Null while it runs. */
  exitReason(): string | null;
  /** Lets this process end while the server runs. */
  release(): void;
}

/**
 * Spawns the server in a session of its own, so that Ctrl-C on a terminal reaches only us: the database
 * is the last thing to stop.
 */
export function launchServer(options: LaunchOptions): LaunchedServer {
  const { native, runAs, data, log, port } = options;
  const settings = Object.entries({ ...SETTINGS, ...options.settings });
  const [program, args] = runAs.command(native.program('postgres'), [
    '-D',
    data,
    '-p',
    String(port),
    ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]);
  const logFile = openSync(log, 'a', 0o600);
  const child = spawn(program, args, {
    ...runAs.ids,
    detached: true,
    stdio: ['ignore', logFile, logFile],
    ...(native.env === undefined ? {} : { env: native.env }),
  });
  closeSync(logFile);
  let reason: string | null = null;
  child.once('error', (error) => {
    reason = error.message;
  });
  child.once('exit', (code, signal) => {
    reason ??= signal === null ? `exit code ${code}` : `signal ${signal}`;
  });
  if (child.pid === undefined) {
    throw new LongshoreError('DATABASE_UNAVAILABLE', `${program} can not be run`);
  }
  return { pid: child.pid, exitReason: () => reason, release: () => child.unref() };
}

/** Ends a server of ours that is not ready yet. */
export async function abandonServer(
  native: NativePostgres,
  data: string,
  server: LaunchedServer,
): Promise<void> {
  await endServer(native, data, server.pid, () => server.exitReason() !== null);
}

/**
 * Stops the server that has `data` and waits until it is gone, 13 s at most.
 *
 * @throws {LongshoreError} DATABASE_UNAVAILABLE when it survives even that
 */
export async function stopServer(native: NativePostgres, data: string, pid: number): Promise<void> {
  await endServer(native, data, pid, () => !isServing(pid, data));
}

async function endServer(
  native: NativePostgres,
  data: string,
  pid: number,
  isGone: () => boolean,
): Promise<void> {
  if (isGone()) return;
  await requestStop(native, data, pid, 'fast');
  if (await becomesTrue(isGone, FAST_STOP_MS)) return;
  await requestStop(native, data, pid, 'immediate');
  if (await becomesTrue(isGone, IMMEDIATE_STOP_MS)) return;
  throw new LongshoreError(
    'DATABASE_UNAVAILABLE',
    `the PostgreSQL server of ${data} (pid ${pid}) does not stop`,
  );
}

async function requestStop(
  native: NativePostgres,
  data: string,
  pid: number,
  mode: 'fast' | 'immediate',
): Promise<void> {
  if (process.platform === 'win32') {
    // Windows has no signals; pg_ctl knows the server's own channel.
    const args = ['stop', '-D', data, '-m', mode, '-W'];
    await promisify(execFile)(native.program('pg_ctl'), args).catch(() => {});
    return;
  }
  try {
    process.kill(pid, mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
  } catch {
    // It ended in between.
  }
}

async function becomesTrue(condition: () => boolean, withinMs: number): Promise<boolean> {
  const until = performance.now() + withinMs;
  while (!condition()) {
    if (performance.now() >= until) return false;
    await sleep(POLL_MS);
  }
  return true;
}

/** The last lines of the server's log, for an error message. */
export function tailOf(log: string, lines = 5): string {
  try {
    return readFileSync(log, 'utf8').trimEnd().split('\n').slice(-lines).join('\n');
  } catch {
    return '(no log)';
  }
}
