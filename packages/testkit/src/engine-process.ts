import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** Lines kept; older ones are dropped. */
const MAX_LOG_LINES = 5_000;

/** The first start makes a database, which takes a while on a slow disk. */
const READY_TIMEOUT_MS = 120_000;

/** Far beyond the grace that everything inside has. */
const STOP_TIMEOUT_MS = 30_000;

const READY = /^longshore ready at (\S+)$/;

/** `longshore start` as a child process. */
export class EngineProcess {
  readonly #child: ChildProcess;
  readonly #lines: string[] = [];
  readonly #exited: Promise<unknown>;
  #url: string | null = null;
  #onUrl: () => void = () => {};

  /** @param main the program */
  constructor(main: string, environment: Readonly<Record<string, string>>) {
    this.#child = spawn(process.execPath, [main, 'start'], {
      // A process group of its own: Ctrl-C is for the test runner, which stops this when its tests have ended.
      detached: true,
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#exited = once(this.#child, 'exit');
    for (const stream of [this.#child.stdout, this.#child.stderr]) this.#read(stream);
  }

  /**
   * @returns the URL of its MCP endpoint
   * @throws {Error} with the end of its log, when it ends or is not ready in time; it is stopped then
   * @throws the signal's reason once that has fired; likewise
   */
  async ready(signal: AbortSignal | undefined): Promise<string> {
    let stopWaiting = (): void => {};
    try {
      return await new Promise<string>((resolve, reject) => {
        const fail = (why: string): void =>
          reject(new Error(`longshore ${why}. The end of its log:\n${this.logs(40)}`));
        const timer = setTimeout(
          () => fail(`is not ready after ${READY_TIMEOUT_MS / 1_000} s`),
          READY_TIMEOUT_MS,
        );
        const abort = (): void => reject(signal?.reason);
        signal?.addEventListener('abort', abort, { once: true });
        stopWaiting = () => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', abort);
        };
        this.#exited.then(
          () => fail('ended while it started'),
          (cause: unknown) => fail(`can not be run: ${String(cause)}`),
        );
        this.#onUrl = () => {
          if (this.#url !== null) resolve(this.#url);
        };
        this.#onUrl();
        if (signal?.aborted === true) abort();
      });
    } catch (error) {
      await this.stop();
      throw error;
    } finally {
      stopWaiting();
    }
  }

  /** @param lines how many of the last ones */
  logs(lines = MAX_LOG_LINES): string {
    return this.#lines.slice(-lines).join('\n');
  }

  /** Resolves when it and everything it started has ended. May be called twice. */
  async stop(): Promise<void> {
    const { pid, exitCode, signalCode } = this.#child;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    const timer = setTimeout(() => process.kill(-pid, 'SIGKILL'), STOP_TIMEOUT_MS);
    this.#child.kill('SIGTERM');
    await this.#exited;
    clearTimeout(timer);
  }

  #read(stream: Readable | null): void {
    if (stream === null) return;
    createInterface({ input: stream }).on('line', (line) => {
      this.#lines.push(line);
      if (this.#lines.length > MAX_LOG_LINES) this.#lines.shift();
      this.#url ??= READY.exec(line)?.[1] ?? null;
      this.#onUrl();
    });
  }
}
