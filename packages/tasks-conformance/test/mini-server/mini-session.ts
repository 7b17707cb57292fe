import type { JsonRpcMessage } from '../../src/wire/json-rpc.ts';
import type { Behaviour, Switch } from '../faults/fault.ts';
import { MiniStream } from './mini-stream.ts';
import type { MiniTask } from './mini-task.ts';

/** What a client has opened: its capabilities, streams, and the way messages of tasks take to it. */
export class MiniSession {
  readonly id = crypto.randomUUID();
  readonly principal: string;
  readonly version: string;
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly tasks: MiniTask[] = [];
  /** Requests of the client that wait, by id. */
  readonly withdrawals = new Map<string | number, () => void>();
  readonly #behaviour: Behaviour | null;
  readonly #streams: MiniStream[] = [];

  constructor(options: {
    principal: string | null;
    version: string;
    capabilities: Readonly<Record<string, unknown>>;
    behaviour: Behaviour | null;
  }) {
    this.principal = options.principal ?? this.id;
    this.version = options.version;
    this.capabilities = options.capabilities;
    this.#behaviour = options.behaviour;
  }

  isOn(name: Switch): boolean {
    return this.#behaviour?.switches?.includes(name) ?? false;
  }

  newStream(kind: 'get' | 'post'): MiniStream {
    const idOf = (stream: number, event: number): string =>
      this.isOn('event ids per stream') ? `${event}` : `${stream}-${event}`;
    const stream = new MiniStream(this.#streams.length, kind, idOf);
    this.#streams.push(stream);
    return stream;
  }

  /** The stream of an event, and what came on it after that event. */
  after(eventId: string): { stream: MiniStream; events: string[] } | null {
    const [, number, event] = /^(\d+)-(\d+)$/.exec(eventId) ?? [];
    const stream = this.#streams[Number(number ?? Number.NaN)];
    if (stream === undefined) return null;
    const own = stream.events.slice(Number(event) + 1);
    const events = this.isOn('replay of all streams')
      ? this.#streams.flatMap((other) => other.events)
      : own;
    return { stream, events };
  }

  /** Streams that are open; the latest first. */
  open(kind: 'get' | 'post'): MiniStream[] {
    return this.#streams.filter((stream) => stream.kind === kind && stream.isOpen).reverse();
  }

  /** Sends a message of a task on one stream. @returns false when none is open */
  deliver(task: MiniTask, message: JsonRpcMessage): boolean {
    const targets = this.#targets(task, message);
    for (const altered of this.#behaviour?.outgoing?.(message, task) ?? [message]) {
      for (const stream of targets) stream.send(altered);
    }
    return targets.length > 0;
  }

  /** A copy of a response for the GET streams, where it does not belong. */
  leak(answer: JsonRpcMessage): void {
    for (const stream of this.open('get')) stream.send(answer);
  }

  end(): void {
    for (const stream of this.#streams) stream.end();
  }

  #targets(task: MiniTask, message: JsonRpcMessage): MiniStream[] {
    const isQuestion = message.id !== undefined;
    const waits = task.waits.filter((stream) => stream.isOpen).reverse();
    const gets = this.open('get');
    const all = [...waits, ...gets];
    if (isQuestion && this.isOn('questions on GET only')) return gets.slice(0, 1);
    if (isQuestion && this.isOn('broadcast questions')) return all;
    if (!isQuestion && this.isOn('broadcast notifications')) return all;
    return all.slice(0, 1);
  }
}
