import {
  type BusEvent,
  type ClientAbilities,
  type Logger,
  LongshoreError,
  type Session,
  type Subscription,
  sessionTopic,
  type Task,
  type TaskId,
} from '@longshore/core';
import type { JsonRpcNotification, ServerMessage, SessionStreamPlace } from '@longshore/protocol';
import type { BroadcastSource } from '../catalogue/broadcasts.ts';
import { giveBackQuestions } from './give-back-questions.ts';
import { SerialWork } from './serial-work.ts';
import { SessionTasks, type TaskNews } from './session-tasks.ts';
import { SessionStreamPosition } from './stream-position.ts';
import type { CarrierContext } from './task-carrier.ts';
import type { StreamTurn } from './turns.ts';

/** Streams that wait for tasks answer a new GET stream within this time; until then it holds back. */
const SETTLE_MS = 300;
/** Tasks looked through for what a new stream has to tell; the store looks at no more. */
const MAX_LOOKED_AT = 1_000;
/** Changes this much older than what the client has seen are told again: they may have been committed late. */
const OVERLAP_MS = 1_000;
/** Least time between two searches for questions that other streams have given back. */
const SEARCH_PAUSE_MS = 20_000;
/** While Postgres is away. */
const RETRY_MS = 1_000;

export interface SessionStreamOptions {
  readonly session: Session;
  readonly abilities: ClientAbilities;
  readonly broadcasts: BroadcastSource;
  /** What the client came back with; null: a stream it has just opened. */
  readonly resumed: SessionStreamPlace | null;
  readonly log: Logger;
  readonly send: (message: ServerMessage) => void;
  /** The client has come back for the stream on another connection. */
  readonly supersede: () => void;
}

/**
 * What a session's GET stream carries: progress, status, logs and questions of the session's tasks, except
 * of those that somebody waits for on a stream of its own, and broadcasts; all this only while no newer GET
 * stream is open (`StreamTurn`). A resumed one first tells what changed meanwhile.
 */
export class SessionStream {
  readonly position: SessionStreamPosition;
  readonly #context: CarrierContext;
  readonly #options: SessionStreamOptions;
  readonly #turn: StreamTurn;
  readonly #work: SerialWork;
  readonly #tasks: SessionTasks;
  readonly #topic: string;
  /** Whether the turn was this stream's at the event before. */
  #hadTurn = false;
  readonly #heldBack = new Set<TaskId>();
  /** Tasks that were waited for at some time while this stream held back: their streams told of them. */
  readonly #waitedMeanwhile = new Set<TaskId>();
  readonly #heldBroadcasts = new Map<string, JsonRpcNotification>();
  #subscription: Subscription | null = null;
  #endBroadcasts: (() => void) | null = null;
  #settled = false;
  #settleTimer: NodeJS.Timeout | null = null;
  #retryTimer: NodeJS.Timeout | null = null;
  #searchedAtMs = 0;
  #missedMessages = false;
  #closed = false;

  constructor(context: CarrierContext, options: SessionStreamOptions) {
    const { session, abilities, send } = options;
    this.#context = context;
    this.#options = options;
    this.position = new SessionStreamPosition(options.resumed);
    this.#topic = sessionTopic(session.id);
    this.#turn = context.watch.turn(this.#topic, {
      taskId: null,
      stream: this.position.stream,
      isSole: false,
      superseded: options.supersede,
    });
    this.#work = new SerialWork(options.log);
    this.#tasks = new SessionTasks(context, {
      position: this.position,
      work: this.#work,
      abilities,
      session,
      carries: (id) => this.#carries(id),
      send,
    });
  }

  /**
   * Listens, and finds out what there is to tell; nothing is sent before `open`.
   * @throws {LongshoreError} DATABASE_UNAVAILABLE, QUEUE_UNAVAILABLE
   */
  async prepare(): Promise<void> {
    const { resumed } = this.#options;
    const { watch } = this.#context;
    const subscription = await watch.join(this.#topic, 'everything', (event, released) =>
      this.#hear(event, released),
    );
    this.#subscription = subscription;
    if (this.#closed) {
      await subscription.close();
      return;
    }
    const since = (resumed?.changedAtMs ?? Number.POSITIVE_INFINITY) - OVERLAP_MS;
    for (const task of await this.#allTasks()) {
      const asks = task.state === 'input_required';
      const changed = task.updatedAt.getTime() > since;
      if (changed || asks) this.#heldBack.add(task.id);
      if (asks && !changed) this.#tasks.assume(task);
      // A new stream has nothing to tell of what was before it.
      if (resumed === null) this.position.saw(task);
    }
  }

  /** Starts sending. */
  async open(): Promise<void> {
    const { resumed, broadcasts } = this.#options;
    if (this.#closed) return;
    this.#endBroadcasts = broadcasts.subscribe((message) => this.#broadcast(message));
    this.#settleTimer = setTimeout(() => this.#settle(), SETTLE_MS);
    // The connection the client had may still look alive: take from it what it holds.
    if (resumed !== null) await this.#context.inputs.store.unlease(resumed.stream);
    // Said of a stream that closed meanwhile, it would leave the turn with nobody.
    if (!this.#closed) await this.#turn.open(resumed?.stream ?? null);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#settleTimer !== null) clearTimeout(this.#settleTimer);
    if (this.#retryTimer !== null) clearTimeout(this.#retryTimer);
    this.#endBroadcasts?.();
    await this.#subscription?.close();
    this.#tasks.close();
    await this.#work.done();
    await giveBackQuestions(this.#context.inputs.store, this.position.stream, this.#options.log);
    await this.#turn.close();
  }

  #hear(event: BusEvent, released: TaskId | null): void {
    if (this.#closed) return;
    const had = this.#hadTurn;
    this.#hadTurn = this.#turn.mine;
    if (event.kind === 'resync') this.#missedMessages = true;
    if (!this.#settled && (event.kind === 'stream-open' || event.kind === 'stream-close')) {
      if (event.taskId !== null) this.#waitedMeanwhile.add(event.taskId);
    }
    if (!had && this.#hadTurn && this.#settled) {
      this.#flush();
      this.#search();
    }
    // Whoever waited may have left questions and log messages.
    if (released !== null) this.#take({ kind: 'released', taskId: released });
    if (event.kind === 'progress' || event.kind === 'changed' || event.kind === 'logged') {
      this.#take(event);
    }
  }

  /** What is not settled yet is worked off once it is known who waits for what. */
  #take(news: TaskNews): void {
    const { kind, taskId } = news;
    const carries = this.#carries(taskId);
    if (kind === 'changed' && news.asked !== undefined) {
      this.#tasks.becameTask(taskId);
      if (carries) for (const question of news.asked) this.position.asks(question);
    }
    if (this.#tasks.isNoTask(taskId)) return;
    if (!carries) {
      // Questions stay with the stream that has asked them, whosever turn it is.
      if (kind !== 'changed' || !this.#tasks.hasQuestions(taskId)) return;
      this.#do(() => this.#tasks.followQuestions(taskId));
      return;
    }
    if (!this.#settled) this.#heldBack.add(taskId);
    else if (kind !== 'progress' || !this.#work.isCrowded) this.#do(() => this.#tasks.tell(news));
  }

  #settle(): void {
    this.#settled = true;
    if (this.#turn.mine) this.#flush();
  }

  #flush(): void {
    for (const taskId of this.#heldBack) {
      if (this.#waitedMeanwhile.has(taskId)) this.#take({ kind: 'released', taskId });
      else this.#takeAll(taskId);
    }
    this.#heldBack.clear();
    this.#waitedMeanwhile.clear();
    for (const message of this.#heldBroadcasts.values()) this.#broadcast(message);
    this.#heldBroadcasts.clear();
  }

  #takeAll(taskId: TaskId): void {
    this.#take({ kind: 'changed', taskId });
    this.#take({ kind: 'logged', taskId });
  }

  #carries(taskId: TaskId): boolean {
    if (this.#closed || (this.#settled && !this.#turn.mine)) return false;
    return !this.#context.watch.isWaitedFor(this.#topic, taskId);
  }

  /**
   * The turn has come to this stream: from another one, which may have left questions, or after messages
   * were lost, which nobody may have heard.
   */
  #search(): void {
    const { elicitation, sampling, roots } = this.#options.abilities;
    const missed = this.#missedMessages;
    if (!missed) {
      if (!elicitation.form && !elicitation.url && !sampling && !roots) return;
      if (Date.now() - this.#searchedAtMs < SEARCH_PAUSE_MS) return;
    }
    this.#missedMessages = false;
    this.#searchedAtMs = Date.now();
    this.#do(async () => {
      const since = this.position.changedAtMs - OVERLAP_MS;
      for (const task of await this.#allTasks()) {
        this.#tasks.becameTask(task.id);
        if (missed && task.updatedAt.getTime() > since) this.#takeAll(task.id);
        else if (task.state === 'input_required' && this.#carries(task.id)) {
          await this.#tasks.ask(task);
        }
      }
    });
  }

  /** What fails because Postgres is away is made up for by a search once it is back. */
  #do(piece: () => Promise<void>): void {
    this.#work.add(async () => {
      try {
        await piece();
      } catch (error) {
        if (error instanceof LongshoreError && error.retryable) this.#searchLater();
        throw error;
      }
    });
  }

  #searchLater(): void {
    this.#missedMessages = true;
    if (this.#closed) return;
    this.#retryTimer ??= setTimeout(() => {
      this.#retryTimer = null;
      if (this.#turn.mine) this.#search();
    }, RETRY_MS);
  }

  #broadcast(message: JsonRpcNotification): void {
    if (!this.#settled) this.#heldBroadcasts.set(JSON.stringify(message), message);
    else if (this.#turn.mine && !this.#closed) this.#options.send(message);
  }

  #allTasks(): Promise<Task[]> {
    const { id, principalId } = this.#options.session;
    return this.#context.tasks.changedSince(id, principalId, new Date(0), MAX_LOOKED_AT);
  }
}
