import {
  type EventBus,
  type Logger,
  PAUSES_TOPIC,
  type Pause,
  type PauseStore,
  PeriodicService,
  type Subscription,
  type WorkerId,
} from '@longshore/core';

export interface PausesOptions {
  readonly store: Pick<PauseStore, 'read'>;
  /** The worker this is; null: it is none. */
  readonly worker: WorkerId | null;
  /** Called when this worker is to take nothing new, and when it may again; never twice with the same. */
  readonly onDrain?: (isDraining: boolean) => Promise<void>;
  readonly bus: EventBus;
  readonly log: Logger;
  /** Milliseconds between two looks, should a message be lost; 5 s by default. */
  readonly intervalMs?: number;
}

/** What operators have paused, as this process knows it. A pause is heard of at once, and looked for now and then. */
export class Pauses extends PeriodicService {
  readonly #options: PausesOptions;
  #paused: ReadonlySet<string> = new Set();
  #tools: readonly string[] = [];
  #isDraining = false;
  #subscription: Subscription | null = null;

  constructor(options: PausesOptions) {
    const { intervalMs = 5_000, log } = options;
    super({ name: 'pauses', intervalMs, log });
    this.#options = options;
  }

  /** Resolves when what is paused is known. */
  override async start(): Promise<void> {
    this.#subscription ??= await this.#options.bus.subscribe(PAUSES_TOPIC, () => this.poke());
    await this.runOnce();
    await super.start();
  }

  override async stop(): Promise<void> {
    await this.#subscription?.close();
    this.#subscription = null;
    await super.stop();
  }

  /** Tools of which nothing is to start. */
  get tools(): readonly string[] {
    return this.#tools;
  }

  has({ kind, name }: Pause): boolean {
    return this.#paused.has(`${kind} ${name}`);
  }

  /** Whether calls of the tool, in the queue, are not to start. */
  holds(tool: string, queue: string): boolean {
    if (this.#paused.size === 0) return false;
    return this.has({ kind: 'tool', name: tool }) || this.has({ kind: 'queue', name: queue });
  }

  /** What the client of a call that waits is told; null: nothing that it needs is paused. */
  noteOn(tool: string, queue: string | null): string | null {
    if (this.#paused.size === 0) return null;
    if (this.has({ kind: 'tool', name: tool })) return `Waits: the tool ${tool} is paused.`;
    if (queue === null || !this.has({ kind: 'queue', name: queue })) return null;
    return `Waits: the queue ${queue} is paused.`;
  }

  async runOnce(): Promise<void> {
    const { store, worker, onDrain } = this.#options;
    const { pauses, isDraining } = await store.read(worker);
    this.#paused = new Set(pauses.map(({ kind, name }) => `${kind} ${name}`));
    this.#tools = pauses.filter(({ kind }) => kind === 'tool').map(({ name }) => name);
    if (isDraining === this.#isDraining) return;
    this.#isDraining = isDraining;
    await onDrain?.(isDraining);
  }
}
