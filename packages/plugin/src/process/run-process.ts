import { type ChildProcess, spawn } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';
import { pluginEnvironment } from './plugin-environment.ts';
import { HAS_GROUPS, ProcessGroup } from './process-group.ts';

export interface ProcessOptions {
  /** Ends the process when it fires: that of the tool's context. */
  readonly signal: AbortSignal;
  /** Called with each line of its standard output, in order; the process waits for it. What it throws ends the process. */
  readonly onLine?: (line: string) => void | Promise<void>;
  /** For its standard input, which is closed after it. */
  readonly input?: string | Uint8Array;
  readonly cwd?: string;
  /** Its whole environment; `pluginEnvironment()` unless said otherwise. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Longest run, in milliseconds; as long as the signal allows unless said otherwise. */
  readonly timeoutMs?: number;
  /** Longest line of its standard output; 1 MiB unless said otherwise. */
  readonly maxLineBytes?: number;
  /** Between asking it to end and killing it, in milliseconds; 2 s unless said otherwise. */
  readonly killAfterMs?: number;
}

/** The process ended, but not well. */
export class ProcessFailed extends Error {
  override readonly name = 'ProcessFailed';
  readonly exitCode: number | null;
  /** The end of its standard error. */
  readonly errorOutput: string;

  constructor(
    message: string,
    facts: { exitCode: number | null; errorOutput: string },
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.exitCode = facts.exitCode;
    this.errorOutput = facts.errorOutput;
  }
}

const MAX_LINE_BYTES = 1_048_576;
const KILL_AFTER_MS = 2_000;
const ERROR_OUTPUT_BYTES = 4_096;

interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/**
 * Runs a program, without a shell, and waits until it and what it started have ended.
 *
 * @throws {ProcessFailed} it can not be run, did not end with exit code 0, or took too long
 * @throws {Error} a line is too long, and whatever `onLine` throws; the process has been ended
 * @throws the signal's reason once that has fired; likewise
 */
export async function runProcess(
  command: string,
  args: readonly string[],
  options: ProcessOptions,
): Promise<void> {
  const { signal, timeoutMs, onLine = (): void => {} } = options;
  signal.throwIfAborted();
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: options.env ?? pluginEnvironment(),
    detached: HAS_GROUPS,
    windowsHide: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const group = new ProcessGroup(child, options.killAfterMs ?? KILL_AFTER_MS);
  const errors = new Tail();
  child.stderr.on('data', (chunk: Buffer) => errors.add(chunk));
  // One that ends without reading its input is right to do so.
  child.stdin.on('error', () => {});
  child.stdin.end(options.input);
  const exited = exitOf(child, group);
  exited.catch(() => {});

  let isLate = false;
  const end = (): void => group.end();
  signal.addEventListener('abort', end, { once: true });
  const timer =
    timeoutMs === undefined
      ? undefined
      : setTimeout(() => {
          isLate = true;
          group.end();
        }, timeoutMs);
  const failed = (why: string, exitCode: number | null, cause?: unknown): ProcessFailed => {
    const errorOutput = errors.text();
    const said = errorOutput.trim() === '' ? '' : `: ${errorOutput.trim()}`;
    return new ProcessFailed(`${command} ${why}${said}`, { exitCode, errorOutput }, { cause });
  };
  try {
    for await (const line of boundedLines(child.stdout, options.maxLineBytes ?? MAX_LINE_BYTES)) {
      if (!signal.aborted) await onLine(line);
    }
    const exit = await exited.catch((cause: unknown) => {
      throw failed(
        `can not be run (${cause instanceof Error ? cause.message : cause})`,
        null,
        cause,
      );
    });
    signal.throwIfAborted();
    if (isLate) throw failed(`did not end within ${timeoutMs} ms`, exit.code);
    if (exit.code !== 0) {
      throw failed(`ended with ${exit.signal ?? `exit code ${exit.code}`}`, exit.code);
    }
  } catch (error) {
    group.end();
    await exited.catch(() => {});
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }
}

function exitOf(child: ChildProcess, group: ProcessGroup): Promise<Exit> {
  return new Promise((resolve, reject) => {
    child.once('error', (error) => {
      // One that has started can still fail to take a signal, and then ends as others do.
      if (child.pid === undefined) reject(error);
    });
    child.once('exit', (code, signal) => {
      // What it left behind may hold its output open for ever.
      group.clear();
      resolve({ code, signal });
    });
  });
}

/** The end of a text. */
class Tail {
  #kept = Buffer.alloc(0);

  add(chunk: Buffer): void {
    this.#kept = Buffer.concat([this.#kept, chunk]).subarray(-ERROR_OUTPUT_BYTES);
  }

  text(): string {
    return this.#kept.toString('utf8');
  }
}

/**
 * Splits UTF-8 into lines, without their ends; the last one need not have one.
 *
 * @param maxBytes of one line
 * @throws {Error} a line is longer
 */
async function* boundedLines(
  source: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of source) {
    const parts = (rest + decoder.write(Buffer.from(chunk))).split('\n');
    rest = parts.pop() ?? '';
    for (const part of parts) yield checked(part, maxBytes);
    checked(rest, maxBytes);
  }
  rest += decoder.end();
  if (rest !== '') yield checked(rest, maxBytes);
}

function checked(line: string, maxBytes: number): string {
  if (Buffer.byteLength(line) > maxBytes)
    throw new Error(`a line is longer than ${maxBytes} bytes`);
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}
