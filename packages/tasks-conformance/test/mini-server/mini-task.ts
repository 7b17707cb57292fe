import type { JsonRpcMessage } from '../../src/wire/json-rpc.ts';
import type { MiniSession } from './mini-session.ts';
import type { MiniStream } from './mini-stream.ts';

export type MiniStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

export const RELATED_TASK = 'io.modelcontextprotocol/related-task';

/** One task: its state, who waits for it, and the questions its client has not got yet. */
export class MiniTask {
  readonly id: string | number;
  /** Higher than that of all older tasks. */
  readonly serial: number;
  readonly session: MiniSession;
  /** Of the tools/call that made it. */
  readonly requestId: string | number;
  readonly toolName: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly token: string | number | undefined;
  readonly ttl: number | null;
  readonly createdAt = new Date();
  readonly waits: MiniStream[] = [];
  readonly abort = new AbortController();
  /** Resolves when the status is terminal. */
  readonly ended: Promise<void>;
  /** Resolves when it asks its client something. */
  readonly asked: Promise<void>;
  status: MiniStatus = 'working';
  statusMessage: string | undefined;
  updatedAt = this.createdAt;
  /** What the call would have answered; null while it is not known. */
  outcome: JsonRpcMessage | null = null;
  /** How often its end was seen by tasks/get, and its outcome given out. */
  looks = 0;
  fetches = 0;
  #end: () => void = () => {};
  #ask: () => void = () => {};
  #undelivered: JsonRpcMessage[] = [];

  constructor(options: {
    id: string | number;
    serial: number;
    session: MiniSession;
    requestId: string | number;
    toolName: string;
    args: Readonly<Record<string, unknown>>;
    token: string | number | undefined;
    ttl: number | null;
  }) {
    this.id = options.id;
    this.serial = options.serial;
    this.session = options.session;
    this.requestId = options.requestId;
    this.toolName = options.toolName;
    this.args = options.args;
    this.token = options.token;
    this.ttl = options.ttl;
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.asked = new Promise((resolve) => {
      this.#ask = resolve;
    });
  }

  get isTerminal(): boolean {
    return ['completed', 'failed', 'cancelled'].includes(this.status);
  }

  isExpired(): boolean {
    if (this.ttl === null || this.session.isOn('kept for ever')) return false;
    const share = this.session.isOn('expires early') ? 0.5 : 1;
    return Date.now() > this.createdAt.getTime() + this.ttl * share;
  }

  /** As it goes over the wire. */
  describe(): Record<string, unknown> {
    return {
      taskId: this.id,
      status: this.status,
      ...(this.statusMessage === undefined ? {} : { statusMessage: this.statusMessage }),
      createdAt: this.createdAt.toISOString(),
      lastUpdatedAt: this.updatedAt.toISOString(),
      ttl: this.ttl,
      pollInterval: 50,
    };
  }

  move(status: MiniStatus, outcome: JsonRpcMessage | null = null, message?: string): void {
    const revives = this.status === 'cancelled' && this.session.isOn('cancelled tasks complete');
    if (this.isTerminal && !revives) return;
    this.status = status;
    this.statusMessage = message;
    this.updatedAt = new Date();
    this.outcome = outcome;
    this.send({ method: 'notifications/tasks/status', params: this.describe() });
    if (status === 'input_required') this.#ask();
    if (!this.isTerminal) return;
    const sleepsOn = status === 'cancelled' && this.session.isOn('waits outlive cancellation');
    if (!sleepsOn) this.#end();
  }

  /** Sends what belongs to the task; questions wait for a stream, notifications do not. */
  send(message: JsonRpcMessage): void {
    const delivered = this.session.deliver(this, message);
    if (!delivered && message.id !== undefined) this.#undelivered.push(message);
  }

  /** To be called when a stream was opened. */
  flush(): void {
    const waiting = this.#undelivered;
    this.#undelivered = [];
    for (const message of waiting) this.send(message);
  }
}
