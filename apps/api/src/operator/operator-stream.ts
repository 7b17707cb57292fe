import {
  type EventBus,
  type Logger,
  type OperatorStore,
  PAUSES_TOPIC,
  PeriodicService,
  type PrincipalId,
  type Service,
  type Subscription,
} from '@longshore/core';
import type { OperatorEvent } from '@longshore/operator';
import type { Response } from 'express';
import { whenClosed } from '../edge/when-closed.ts';
import { showProgress } from './show-task.ts';

const INTERVAL_MS = 1_000;
/** A reader who has this much unread is told to read all again, once it reads. */
const MAX_UNREAD_BYTES = 65_536;
/** A comment says that the server lives. */
const SILENCE_MS = 15_000;

/**
 * `GET /api/v1/events`: what changes, once a second, for as many pages as are open. One look at the database serves all streams of the
 * process that may see the same; without a stream there is none.
 */
export class OperatorStream implements Service {
  readonly #looks: Looks;
  readonly #bus: EventBus;
  readonly #fleet: { onChange(listener: () => void): () => void };
  #subscription: Subscription | null = null;
  #unlisten: (() => void) | null = null;

  /** @param options.catalogue says when workers offer something else */
  constructor(options: {
    store: Pick<OperatorStore, 'changes'>;
    bus: EventBus;
    catalogue: { onChange(listener: () => void): () => void };
    log: Logger;
  }) {
    this.#looks = new Looks(options);
    this.#bus = options.bus;
    this.#fleet = options.catalogue;
  }

  async start(): Promise<void> {
    const tell = (): void => this.#looks.tellAll({ kind: 'fleet' });
    this.#subscription ??= await this.#bus.subscribe(PAUSES_TOPIC, tell);
    this.#unlisten ??= this.#fleet.onChange(tell);
    await this.#looks.start();
  }

  async stop(): Promise<void> {
    this.#unlisten?.();
    this.#unlisten = null;
    await this.#subscription?.close();
    this.#subscription = null;
    await this.#looks.stop();
    this.#looks.endAll();
  }

  /**
   * @param visible whose tasks it tells of; null: of all
   * @param ended called when the stream is over
   */
  open(response: Response, visible: PrincipalId | null, ended: () => void): void {
    const stream = new Stream(response);
    const leave = this.#looks.join(visible, stream);
    whenClosed(response, () => {
      leave();
      ended();
    });
  }
}

/** Streams that tell of the same tasks. */
interface Audience {
  readonly visible: PrincipalId | null;
  readonly streams: Set<Stream>;
  since: Date | null;
  /** What the look before has told: the next tells it once more. */
  told: ReadonlySet<string>;
}

class Looks extends PeriodicService {
  readonly #store: Pick<OperatorStore, 'changes'>;
  readonly #audiences = new Map<PrincipalId | null, Audience>();

  constructor(options: { store: Pick<OperatorStore, 'changes'>; log: Logger }) {
    super({ name: 'events of operators', intervalMs: INTERVAL_MS, log: options.log });
    this.#store = options.store;
  }

  join(visible: PrincipalId | null, stream: Stream): () => void {
    const audience = this.#audiences.get(visible) ?? {
      visible,
      streams: new Set(),
      since: null,
      told: new Set<string>(),
    };
    this.#audiences.set(visible, audience);
    audience.streams.add(stream);
    // Of who is the first, the first look says it.
    if (audience.since === null) this.poke();
    else stream.tell({ kind: 'resync' });
    return () => {
      audience.streams.delete(stream);
      if (audience.streams.size === 0) this.#audiences.delete(visible);
    };
  }

  tellAll(event: OperatorEvent): void {
    for (const { streams } of this.#audiences.values())
      for (const stream of streams) stream.tell(event);
  }

  endAll(): void {
    for (const { streams } of this.#audiences.values())
      for (const stream of [...streams]) stream.end();
  }

  async runOnce(): Promise<void> {
    for (const audience of [...this.#audiences.values()]) await this.#look(audience);
  }

  async #look(audience: Audience): Promise<void> {
    const isFirst = audience.since === null;
    const { now, created, changed } = await this.#store
      .changes(audience.since ?? new Date(), audience.visible)
      .catch((error: unknown) => {
        // What is missed until it answers again, nobody will say.
        audience.since = null;
        throw error;
      });
    audience.since = now;
    const { told } = audience;
    const made = created.filter((id) => !told.has(id)).length;
    const moved = changed.filter((change) => !told.has(JSON.stringify(change)));
    audience.told = new Set([...created, ...changed.map((change) => JSON.stringify(change))]);
    for (const stream of audience.streams) {
      if (isFirst) stream.tell({ kind: 'resync' });
      if (isFirst || made + moved.length === 0) {
        stream.beat();
        continue;
      }
      stream.tell({
        kind: 'tasks',
        created: made,
        changed: moved.map(({ id, phase, progress }) => ({
          id,
          phase,
          progress: showProgress(progress),
        })),
      });
    }
  }
}

/** The stream of one page. */
class Stream {
  readonly #response: Response;
  #isBehind = false;
  #toldAt = performance.now();

  constructor(response: Response) {
    this.#response = response;
    response.writeHead(200, {
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-cache, no-transform',
      'X-Accel-Buffering': 'no',
    });
    response.write('retry: 1000\n\n');
  }

  tell(event: OperatorEvent): void {
    if (this.#response.writableLength > MAX_UNREAD_BYTES) {
      this.#isBehind = true;
      return;
    }
    this.#write(`data: ${JSON.stringify(this.#isBehind ? { kind: 'resync' } : event)}\n\n`);
    this.#isBehind = false;
  }

  beat(): void {
    if (performance.now() - this.#toldAt > SILENCE_MS) this.#write(': here\n\n');
  }

  end(): void {
    this.#response.end();
  }

  #write(text: string): void {
    if (this.#response.writableEnded || this.#response.destroyed) return;
    this.#toldAt = performance.now();
    this.#response.write(text);
  }
}
