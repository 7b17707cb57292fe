import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { waitFor } from '@longshore/testing';

const PYTHON_TESTS = path.join(import.meta.dirname, '..', 'python');
const REQUIREMENTS = path.join(PYTHON_TESTS, 'requirements.txt');
/** What scripts/python.js makes. */
const ENVIRONMENT = path.join(import.meta.dirname, '..', '..', '.cache', 'python-clients');
const INSTALLED = path.join(ENVIRONMENT, 'requirements.txt');

/** Python reads hundreds of modules first, on a busy machine. */
const START_TIMEOUT_MS = 50_000;

/** For `describeWhere`. */
export function missingPythonClients(): string | null {
  const isThere =
    existsSync(INSTALLED) && readFileSync(INSTALLED).equals(readFileSync(REQUIREMENTS));
  return isThere ? null : 'the Python clients are not installed: run "npm run python-clients"';
}

/** What a call came to. */
export interface FastMcpResult {
  /** Of each block of its content. */
  readonly text: readonly string[];
  readonly structured: unknown;
}

/** A Python process with FastMCP, which has a client for each URL. */
export class FastMcpProcess {
  readonly #child: ChildProcess;
  readonly #lines: string[] = [];
  #log = '';
  /** Lines that are asked for: the announcement, and one for each command. */
  #due = 0;

  private constructor() {
    const script = path.join(PYTHON_TESTS, 'fastmcp_client.py');
    this.#child = spawn(path.join(ENVIRONMENT, 'bin', 'python'), [script]);
    const { stdout, stderr } = this.#child;
    if (stdout !== null) createInterface({ input: stdout }).on('line', (l) => this.#lines.push(l));
    stderr?.on('data', (bytes) => {
      this.#log += String(bytes);
    });
  }

  static async start(): Promise<FastMcpProcess> {
    const started = new FastMcpProcess();
    await started.#nextLine('started', START_TIMEOUT_MS);
    return started;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#child.once('close', resolve));
    this.#child.stdin?.end();
    await closed;
  }

  /** @throws {Error} with what the client raised, or what it wrote before it ended */
  async tell<Value>(command: { do: string; url: string; [name: string]: unknown }): Promise<Value> {
    this.#child.stdin?.write(`${JSON.stringify(command)}\n`);
    const told = JSON.parse(await this.#nextLine(`done ${command.do}`)) as
      | { readonly value: Value }
      | { readonly error: string };
    if ('error' in told) throw new Error(told.error);
    return told.value;
  }

  async #nextLine(what: string, timeoutMs?: number): Promise<string> {
    const place = this.#due;
    this.#due += 1;
    await waitFor(() => this.#lines.length > place || this.#child.exitCode !== null, {
      what: `FastMCP has ${what}`,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    });
    const line = this.#lines[place];
    if (line === undefined) throw new Error(`FastMCP ended:\n${this.#log}`);
    return line;
  }
}

/** FastMCP's client of one server. It answers each question with the name Ada. */
export class FastMcpClient {
  readonly #process: FastMcpProcess;
  readonly #url: string;

  constructor(process: FastMcpProcess, url: string) {
    this.#process = process;
    this.#url = url;
  }

  tools(): Promise<string[]> {
    return this.#do('tools');
  }

  /** Calls a tool as any application does: whether that was a task the client keeps to itself. */
  call(tool: string, args: object = {}): Promise<FastMcpResult> {
    return this.#do('call', { tool, arguments: args });
  }

  /** @returns the id of the task */
  start(tool: string, args: object = {}): Promise<string> {
    return this.#do('start', { tool, arguments: args });
  }

  /** Resolves to the status it has then. @param state null: any that is terminal */
  wait(task: string, state: string | null = null): Promise<string> {
    return this.#do('wait', { task, state });
  }

  result(task: string): Promise<FastMcpResult> {
    return this.#do('result', { task });
  }

  cancel(task: string): Promise<void> {
    return this.#do('cancel', { task });
  }

  /** Messages of the questions so far, of all clients of the process. */
  asked(): Promise<string[]> {
    return this.#do('asked');
  }

  #do<Value>(action: string, details: object = {}): Promise<Value> {
    return this.#process.tell({ do: action, url: this.#url, ...details });
  }
}
