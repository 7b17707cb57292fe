import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { waitFor } from '@longshore/testing';
import { META } from '@longshore/testing/mcp';
import type { StdioHost } from './stdio-host.ts';

type Json = Record<string, unknown>;

/** `longshore stdio` by hand: whatever lines one likes. */
export class StdioPipe {
  /** Of its standard output, as they came. */
  readonly lines: string[] = [];
  /** Its standard error. */
  log = '';
  readonly #child: ChildProcess;
  #read = 0;

  constructor(host: StdioHost, options: readonly string[] = []) {
    const { command, args, env } = host.parameters;
    this.#child = spawn(command, [...args, ...options], { env, stdio: ['pipe', 'pipe', 'pipe'] });
    const { stdout, stderr } = this.#child;
    if (stdout !== null) createInterface({ input: stdout }).on('line', (l) => this.lines.push(l));
    stderr?.on('data', (bytes) => {
      this.log += String(bytes);
    });
  }

  send(line: string): void {
    this.#child.stdin?.write(`${line}\n`);
  }

  /** Sends a request of 2026-07-28. */
  post(id: string | number, method: string, params: Json, meta: Json = {}, abilities: Json = {}) {
    const envelope = { [META.version]: '2026-07-28', [META.capabilities]: abilities, ...meta };
    this.send(
      JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: envelope } }),
    );
  }

  /** Sends one, and waits for its response. */
  async request(
    id: string | number,
    method: string,
    params: Json,
    abilities: Json = {},
  ): Promise<Json> {
    this.post(id, method, params, {}, abilities);
    return this.next((message) => message['id'] === id);
  }

  /** The next message that fits; those before it are passed over. */
  async next(fits: (message: Json) => boolean): Promise<Json> {
    return waitFor(
      () => {
        while (this.#read < this.lines.length) {
          const message = JSON.parse(this.lines[this.#read] ?? '') as Json;
          this.#read += 1;
          if (fits(message)) return message;
        }
        return undefined;
      },
      { what: 'the message that is waited for', timeoutMs: 30_000 },
    );
  }

  /** Ends standard input, and waits for the process. */
  async end(): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
    const closed = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) =>
      this.#child.once('close', (code, signal) => resolve({ code, signal })),
    );
    this.#child.stdin?.end();
    return closed;
  }
}
