import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { isInsideJest, jestGlobals } from '../jest-globals.ts';
import { waitFor } from '../wait-for.ts';
import { guard } from './guardian-process.ts';

const ROOT = path.join(import.meta.dirname, '..', '..', '..', '..');

/** Lines kept per process; older ones are dropped. */
const MAX_LOG_LINES = 20_000;

/** How long an ended process's outputs are read when somebody else holds them open. */
const OUTPUT_GRACE_MS = 1_000;

export interface SpawnOptions {
  /** The environment of the process, over ours. Undefined takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  /** Milliseconds until `ready`; 30 s by default. */
  readonly readyTimeoutMs?: number;
  /** The promise waits until a line of its output matches; without it the process is ready at once. */
  readonly ready?: RegExp | ((line: string) => boolean);
}

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A real child process under test. */
export interface SpawnedProcess {
  readonly pid: number;
  /** Lines of both outputs so far, in the order they came. */
  readonly lines: readonly string[];
  /** The same as one text, for failure messages. */
  logs(): string;
  /** The first line that matches, now or later. */
  waitForLine(pattern: RegExp, timeoutMs?: number): Promise<string>;
  isRunning(): boolean;
  /** Resolves when it has ended and its output was read. */
  readonly exited: Promise<ProcessExit>;
  /** Sends the signal (SIGTERM by default) and waits for the end, however long it takes. */
  kill(signal?: NodeJS.Signals): Promise<ProcessExit>;
  /** Sends a signal and does not wait: SIGSTOP, SIGCONT, SIGTERM in the middle of something. */
  signal(signal: NodeJS.Signals): void;
}

/**
 * Starts `command` as a real process and waits until it is ready.
 *
 * Nothing stays behind: what still runs when the test file ends is killed, and so it is when the whole
 * test run is killed.
 *
 * @throws {Error} with the output so far, when the process ends or stays silent instead of becoming ready
 */
export async function spawnProcess(
  command: string,
  args: readonly string[],
  options: SpawnOptions = {},
): Promise<SpawnedProcess> {
  const child = spawn(command, args, {
    // A process group of its own, which is how what it starts itself is found again.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...options.env },
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
  const spawned = watch(child, await pidOf(child, command));
  const problem = await whyNotReady(spawned, options);
  if (problem === null) return spawned;
  await spawned.kill('SIGKILL');
  throw new Error(`${[command, ...args].join(' ')}: ${problem}. Its output:\n${spawned.logs()}`);
}

/** Starts `apps/<name>/dist/main.js`, as production does; run a build first. */
export function spawnApp(
  name: 'api' | 'worker' | 'cli',
  args: readonly string[],
  options: SpawnOptions,
): Promise<SpawnedProcess> {
  const main = path.join(ROOT, 'apps', name, 'dist', 'main.js');
  return spawnProcess(process.execPath, [main, ...args], { cwd: ROOT, ...options });
}

async function whyNotReady(spawned: SpawnedProcess, options: SpawnOptions): Promise<string | null> {
  const { ready, readyTimeoutMs = 30_000 } = options;
  if (ready === undefined) return null;
  const isReady = (): boolean =>
    spawned.lines.some((line) => (typeof ready === 'function' ? ready(line) : ready.test(line)));
  let end: ProcessExit | null = null;
  void spawned.exited.then((exit) => {
    end = exit;
  });
  try {
    await waitFor(() => isReady() || end !== null, {
      what: 'it is ready',
      timeoutMs: readyTimeoutMs,
    });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  if (isReady()) return null;
  const { code, signal } = await spawned.exited;
  return `it ended (${signal ?? `exit code ${code}`})`;
}

/**
 * Kills, with SIGKILL, what `spawnProcess` started and still runs, and what these processes started in
 * turn. Runs by itself after a test file.
 */
export async function killSpawnedProcesses(): Promise<void> {
  await Promise.all([...remains.values()].map((end) => end()));
}

/** By process group: how to end what is left of it. */
const remains = new Map<number, () => Promise<void>>();

if (isInsideJest()) jestGlobals().afterAll(killSpawnedProcesses);

function watch(child: ChildProcess, pid: number): SpawnedProcess {
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) collect(stream, lines);

  const withdraw = guard({ pid: -pid, signal: 'SIGKILL' });
  const forgetGroup = (): void => {
    withdraw();
    remains.delete(pid);
  };
  const exited = new Promise<ProcessExit>((resolve) => {
    child.once('exit', (code, signal) => {
      if (!isThere(-pid)) forgetGroup();
      // What it started may hold its outputs open for ever: those lines are not waited for.
      const resolveSoon = setTimeout(() => resolve({ code, signal }), OUTPUT_GRACE_MS);
      child.once('close', () => {
        clearTimeout(resolveSoon);
        resolve({ code, signal });
      });
    });
  });
  remains.set(pid, async () => {
    sendSignal(-pid, 'SIGKILL');
    await exited;
    forgetGroup();
  });

  return {
    pid,
    lines,
    exited,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    logs: () => lines.join('\n'),
    waitForLine: (pattern, timeoutMs) =>
      waitFor(() => lines.find((line) => pattern.test(line)), {
        what: `a line that matches ${pattern}`,
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
      }),
    kill: (signal = 'SIGTERM') => {
      child.kill(signal);
      return exited;
    },
    signal: (signal) => {
      child.kill(signal);
    },
  };
}

function isThere(pid: number): boolean {
  return sendSignal(pid, 0);
}

function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}

function collect(stream: Readable | null, lines: string[]): void {
  if (stream === null) return;
  createInterface({ input: stream }).on('line', (line) => {
    lines.push(line);
    if (lines.length > MAX_LOG_LINES) lines.shift();
  });
}

function pidOf(child: ChildProcess, command: string): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('spawn', () => resolve(child.pid ?? 0));
    child.once('error', (cause) =>
      reject(new Error(`${command} can not be run: ${cause.message}`, { cause })),
    );
  });
}
