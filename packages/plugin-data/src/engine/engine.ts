import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { ToolError } from '@longshore/plugin';
import { limitedNode } from '@longshore/plugin/process';
import { EngineMessage, type EngineRequest, type EngineRows } from './engine-protocol.ts';
import { runEngine } from './run-engine.ts';

/**
 * DuckDB runs in a process of its own, one for each call of a tool:
 *
 * - DuckDB's memory limit does not cover what functions allocate: `len(range(1000000000))` takes 8 GB,
 *   `repeat('x', 4000000000)` 4 GB whatever the limit (1.5.6). Here the process has a limit of its own,
 *   and DuckDB reports a failed allocation as an ordinary error.
 * - A query can end its process: `FROM enable_logging(storage='file', ...)` without file access aborts.
 * - A query ends within milliseconds when it is cancelled, whatever it is doing: the process is killed.
 * - DuckDB would occupy the thread pool that the worker's own file and name look-ups need.
 * - The process has no environment and no secrets, and only the files of this call are open in it.
 *
 * It costs about 0.2 s at the start of each call (measured on two shared cores).
 */
const LIMITS = {
  /** Private memory of the process, in KiB: DuckDB's own limit, results, code and Node. */
  dataKib: 1_200_000,
  /** Threads of one engine. */
  threads: 2,
  /** DuckDB's own limit: beyond it, it writes to its temporary directory. */
  memory: '512MB',
  /** Of the temporary directory. */
  temporarySize: '2GB',
} as const;

const START_TIMEOUT_MS = 30_000;

/** Kept of what the process says before it dies, in characters. */
const MAX_LAST_WORDS = 2_000;

const NOTHING_MORE = { maxRows: 1, maxLength: 1_000_000 } as const;

export interface EngineOptions {
  /** Fires: the process is killed and every call rejects with the signal's reason. */
  readonly signal: AbortSignal;
  /** File descriptors of this process that the engine gets as 4, 5 and so on. */
  readonly descriptors: readonly number[];
  /** Directory of this engine alone, for what does not fit into memory. */
  readonly temporaryDirectory: string;
}

interface Pending {
  readonly resolve: (rows: EngineRows) => void;
  readonly reject: (error: unknown) => void;
  readonly onProgress: (percentage: number) => void;
}

/** A DuckDB database in memory, in a process of its own. One statement at a time. */
export class Engine {
  readonly #child: ChildProcess;
  readonly #signal: AbortSignal;
  readonly #exited: Promise<void>;
  readonly #onAbort = (): void => this.#kill();
  #pending: Pending | null = null;
  #end: Error | null = null;
  #lastWords = '';

  private constructor({ signal, descriptors, temporaryDirectory }: EngineOptions) {
    const duckdb = createRequire(import.meta.url).resolve('@duckdb/node-api');
    const settings = {
      threads: String(LIMITS.threads),
      memory_limit: LIMITS.memory,
      temp_directory: temporaryDirectory,
      max_temp_directory_size: LIMITS.temporarySize,
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
      allow_community_extensions: 'false',
      allow_persistent_secrets: 'false',
    };
    const args = [duckdb, JSON.stringify(settings)];
    this.#child = spawn(...limitedNode(`(${runEngine})()`, args, LIMITS.dataKib), {
      cwd: '/',
      env: { TZ: 'UTC' },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc', ...descriptors],
    });
    this.#signal = signal;
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#lastWords = (this.#lastWords + text).slice(-MAX_LAST_WORDS);
    });
    this.#child.on('message', (message) => this.#receive(message));
    this.#exited = new Promise((resolve) => {
      this.#child.once('error', (error) => {
        this.#fail(new Error(`DuckDB could not be started: ${error.message}`, { cause: error }));
        resolve();
      });
      this.#child.once('close', (code, signalName) => {
        this.#fail(this.#crash(code, signalName));
        resolve();
      });
    });
    signal.addEventListener('abort', this.#onAbort);
  }

  /**
   * Starts a process and waits until its database is there.
   *
   * @throws {Error} when it can not start
   * @throws the signal's reason when it fires
   */
  static async start(options: EngineOptions): Promise<Engine> {
    options.signal.throwIfAborted();
    const engine = new Engine(options);
    const timer = setTimeout(() => {
      engine.#fail(new Error('DuckDB did not start in time'));
      engine.#kill();
    }, START_TIMEOUT_MS);
    try {
      await engine.#wait(() => {});
      return engine;
    } catch (error) {
      await engine.close();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Of the engine's process, for logs. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  /**
   * Runs one statement.
   *
   * @param onProgress gets 0 to 100, as DuckDB estimates it
   * @throws {DuckDBError} with DuckDB's message
   * @throws {ToolError} when the process died of the statement
   * @throws the signal's reason when it fires
   */
  async query(
    request: EngineRequest,
    onProgress: (percentage: number) => void = () => {},
  ): Promise<EngineRows> {
    if (this.#pending !== null) throw new Error('the engine runs one statement at a time');
    const answer = this.#wait(onProgress);
    this.#child.send(request, (error) => {
      if (error !== null) this.#fail(error);
    });
    return answer;
  }

  /** Runs a statement of ours that returns nothing of interest. */
  async execute(sql: string): Promise<void> {
    await this.query({ sql, values: [], ...NOTHING_MORE });
  }

  /** Ends the process, whatever it does. Resolves when it is gone. */
  async close(): Promise<void> {
    this.#signal.removeEventListener('abort', this.#onAbort);
    this.#kill();
    await this.#exited;
  }

  #wait(onProgress: (percentage: number) => void): Promise<EngineRows> {
    return new Promise((resolve, reject) => {
      if (this.#end !== null) reject(this.#reasonOf(this.#end));
      else this.#pending = { resolve, reject, onProgress };
    });
  }

  #receive(message: unknown): void {
    const parsed = EngineMessage.safeParse(message);
    if (!parsed.success) {
      this.#fail(new Error('the engine sent something unknown', { cause: parsed.error }));
      return;
    }
    const answer = parsed.data;
    if (answer.kind === 'progress') {
      this.#pending?.onProgress(answer.percentage);
      return;
    }
    const pending = this.#pending;
    this.#pending = null;
    if (answer.kind === 'error') pending?.reject(new DuckDBError(answer.message));
    else if (answer.kind === 'rows') pending?.resolve(answer.result);
    else pending?.resolve({ columns: [], rows: [], truncated: false });
  }

  #fail(error: Error): void {
    this.#end ??= error;
    const pending = this.#pending;
    this.#pending = null;
    pending?.reject(this.#reasonOf(this.#end));
  }

  /** A process that died because its call was aborted did not crash. */
  #reasonOf(end: Error): unknown {
    return this.#signal.aborted ? this.#signal.reason : end;
  }

  #kill(): void {
    this.#child.kill('SIGKILL');
  }

  #crash(code: number | null, signalName: NodeJS.Signals | null): Error {
    return new ToolError(
      `DuckDB ended while it ran the query (${signalName ?? `exit code ${code}`}), probably for lack of memory: read fewer rows or columns at once`,
      { cause: new Error(this.#lastWords) },
    );
  }
}

/** DuckDB refused or failed a statement. */
export class DuckDBError extends Error {
  override readonly name = 'DuckDBError';
}
