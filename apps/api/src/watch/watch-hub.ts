/*
 * THE WATCH HUB: everything at this API process that waits for a task, and every stream of a session.
 *
 * Authority. The row in Postgres says what became of a task; a message only says that it is worth reading. Which
 * stream carries a notification is decided by the order of the messages of a topic, which is the same for all
 * processes (`turns.ts`). Who asks a question and how far a log was carried is in Postgres, and does not
 * rely on turns.
 *
 * What there is once per process, however many wait: a subscription per topic (`hub-topic.ts`), from which each
 * event goes to those it concerns; the reading of rows (`row-reads.ts`), grouped into statements, with one
 * timer; the leases of questions, renewed by one statement (`question-leases.ts`); and one sign of life for
 * all streams, on HUBS_TOPIC. What there is once per stream is said once: that it opens, and that it ends.
 *
 * States of a wait. Listening, from `join` on: nothing that happens now is missed. Reading: once at the start, and
 * after each message about its task, a `resync`, or 30 to 40 s without either. Over: the goal is met, the row is
 * gone, or nobody waits any more; then the maps hold nothing of it.
 * States of a turn. Nobody's, from a `resync` or the holder's end until the next `stream-open`; somebody's, from that
 * message on, here or at another process.
 *
 * Trust window. A process says every 3 s that it is there. One that is not heard of for 10 s is gone, its streams have
 * no turn, and those of others take over. A process that hears its own sign of life later than that may have
 * been given up: it says again which turns it has. After lost messages nothing is known: each process proposes its
 * streams anew, and what it had heard of others counts for 25 s more.
 *
 * Failure. Bus away: waits read on their timer and after the `resync` that ends the outage. Postgres away: nobody
 * reads for a second, then all go on. A process that dies: its clients come back elsewhere, its turns go to others
 * within the window, its questions when their leases run out.
 *
 * The reader may rely on: a wait ends at the latest one reading after its task, whatever was lost; of the streams of
 * a turn at most one is the turn's at any message, except for processes that have just given each other up; and
 * the work for n waits grows with n, also when one session has them all. It may not rely on a turn being somebody's
 * at each moment: around a change a progress message or a status is carried by nobody, an end by the answer.
 */
import { randomUUID } from 'node:crypto';
import {
  type BusEvent,
  type EventBus,
  HUBS_TOPIC,
  type InputStore,
  isTerminal,
  type Logger,
  LongshoreError,
  type PrincipalId,
  type Service,
  type SessionId,
  type Subscription,
  sessionTopic,
  type Task,
  type TaskId,
  type TaskStore,
  type TaskWithOutcome,
  taskTopic,
} from '@longshore/core';
import type { Delivery } from '../edge/delivery.ts';
import { taskNotFound } from '../tasks/owned-tasks.ts';
import { type HearEvent, HubTopic, type Interest } from './hub-topic.ts';
import { QuestionLeases } from './question-leases.ts';
import { type AwaitedRow, RowReads } from './row-reads.ts';
import { StreamTurn, type TurnOptions } from './turns.ts';

/** How often a process says that it is there. */
const ALIVE_MS = 3_000;
/** A process that is not heard of for so long, three signs of life, is gone. */
const GONE_MS = 10_000;

export interface WatchedTask {
  readonly id: TaskId;
  readonly owner: PrincipalId;
  /** The session the task was created in: decides where its messages are. */
  readonly sessionId: SessionId | null;
}

export interface WatchOptions {
  readonly delivery: Pick<Delivery, 'requestId' | 'signal' | 'withdraw'>;
  /** The session of whoever waits: there a withdrawal of the request is heard. Null: the caller has none. */
  readonly callerSessionId: SessionId | null;
  /** Called with each message about the task, in order. */
  readonly onEvent: (event: BusEvent) => void;
  /** Called with each state of the row that was read, in order. */
  readonly onRow: (task: Task) => void;
  /** Called once messages are heard, before the row is read. */
  readonly onListening?: () => Promise<void>;
}

/**
 * Says after each read of the row whether the wait is over. What it throws ends the wait, unless it is
 * retryable: then the row is read again.
 */
export type WatchGoal = (found: TaskWithOutcome) => boolean | Promise<boolean>;

/** Null: nobody waits any more. */
export type WatchOutcome = TaskWithOutcome | null;

/** See the head of this file. Usable before it is started; then other processes do not hear that it is there. */
export class WatchHub implements Service {
  readonly #bus: EventBus;
  readonly #log: Logger;
  /** The rows that are waited for here. */
  readonly reads: RowReads;
  /** Of the questions that streams of this process have. */
  readonly leases: QuestionLeases;
  readonly #id = randomUUID();
  readonly #topics = new Map<string, { topic: HubTopic; live: Promise<Subscription> }>();
  /** When each process was last heard of, in milliseconds of `performance.now()`. */
  readonly #heardAtMs = new Map<string, number>();
  #alive: { readonly timer: NodeJS.Timeout; readonly heard: Subscription } | null = null;

  constructor(options: {
    tasks: Pick<TaskStore, 'findWithOutcome'>;
    inputs: Pick<InputStore, 'renewLeases'>;
    bus: EventBus;
    log: Logger;
  }) {
    this.#bus = options.bus;
    this.#log = options.log;
    this.reads = new RowReads(options);
    this.leases = new QuestionLeases({ store: options.inputs, log: options.log });
  }

  /** What it holds at the moment, in numbers. */
  get size(): { topics: number; interests: number; turns: number; rows: number } {
    const topics = [...this.#topics.values()].map(({ topic }) => topic);
    return {
      topics: topics.length,
      interests: topics.reduce((sum, topic) => sum + topic.size, 0),
      turns: topics.reduce((sum, { turns }) => sum + turns.size, 0),
      rows: this.reads.size,
    };
  }

  /** @throws {LongshoreError} QUEUE_UNAVAILABLE when the bus does not answer */
  async start(): Promise<void> {
    if (this.#alive !== null) return;
    const heard = await this.#bus.subscribe(HUBS_TOPIC, (event) => this.#hearHubs(event));
    const timer = setInterval(() => this.#beat(), ALIVE_MS).unref();
    this.#alive = { timer, heard };
    this.#beat();
  }

  async stop(): Promise<void> {
    if (this.#alive === null) return;
    const { timer, heard } = this.#alive;
    this.#alive = null;
    clearInterval(timer);
    await heard.close();
  }

  /**
   * Hears what is said on a topic, as far as it is of interest.
   * @throws {LongshoreError} QUEUE_UNAVAILABLE when the bus does not answer
   */
  async join(name: string, interest: Interest, hear: HearEvent): Promise<Subscription> {
    const listened = this.#topics.get(name) ?? this.#listen(name);
    const leave = listened.topic.add(interest, hear);
    const close = async (): Promise<void> => {
      leave();
      if (!listened.topic.isEmpty || this.#topics.get(name) !== listened) return;
      this.#topics.delete(name);
      await (await listened.live).close();
    };
    try {
      await listened.live;
    } catch (error) {
      leave();
      if (this.#topics.get(name) === listened) this.#topics.delete(name);
      throw error;
    }
    return { close };
  }

  /** Of a stream that listens to the topic by the time it opens. */
  turn(name: string, options: TurnOptions): StreamTurn {
    return new StreamTurn(() => this.#topics.get(name)?.topic.turns ?? null, options);
  }

  /** Whether a stream of its own waits for the task, at whatever process. */
  isWaitedFor(name: string, taskId: TaskId): boolean {
    const turns = this.#topics.get(name)?.topic.turns;
    return turns !== undefined && turns.holder(taskId) !== null;
  }

  /**
   * @returns the ended task with its outcome, or null when the delivery's signal fired before
   * @throws {LongshoreError} TASK_NOT_FOUND when it is deleted or expires meanwhile
   */
  untilEnded(watched: WatchedTask, options: WatchOptions): Promise<WatchOutcome> {
    return this.until(({ task }) => isTerminal(task), watched, options);
  }

  /**
   * Waits for `goal`, such as the task's end or a question it asks. Listens first and reads the row after that,
   * so nothing falls between.
   *
   * @returns the row that met the goal, or null when the delivery's signal fired before
   * @throws {LongshoreError} TASK_NOT_FOUND when it is deleted or expires meanwhile
   */
  async until(goal: WatchGoal, watched: WatchedTask, options: WatchOptions): Promise<WatchOutcome> {
    const { delivery, callerSessionId } = options;
    const joined: Subscription[] = [];
    /** Null until the row is read for the first time. */
    let row: AwaitedRow | null = null;
    try {
      joined.push(
        await this.join(taskTopic(watched), { taskId: watched.id }, (event) => {
          options.onEvent(event);
          if (row !== null && (event.kind === 'changed' || event.kind === 'resync')) {
            this.reads.poke(row);
          }
        }),
      );
      if (callerSessionId !== null) {
        const { requestId } = delivery;
        const topic = sessionTopic(callerSessionId);
        joined.push(
          await this.join(topic, { requestId }, ({ kind }) => {
            if (kind === 'request-cancelled') delivery.withdraw();
          }),
        );
      }
      await options.onListening?.();
      if (delivery.signal.aborted) return null;
      return await new Promise<WatchOutcome>((resolve, reject) => {
        const end = (outcome: WatchOutcome): void => {
          leave();
          resolve(outcome);
        };
        const stop = (): void => {
          // What is looked at now ends the wait by itself.
          if (!this.reads.delete(own)) end(null);
        };
        const leave = (): void => {
          this.reads.delete(own);
          delivery.signal.removeEventListener('abort', stop);
        };
        const own: AwaitedRow = {
          id: watched.id,
          owner: watched.owner,
          look: async (found) => {
            const met = await this.#look(found, goal, options);
            if (met !== null || delivery.signal.aborted) end(met);
          },
          fail: (error) => {
            leave();
            // Nobody waits any more for what would be tried again.
            const isOver = error instanceof LongshoreError && error.retryable;
            if (isOver && delivery.signal.aborted) resolve(null);
            else reject(error);
          },
        };
        row = own;
        delivery.signal.addEventListener('abort', stop);
        this.reads.add(own);
      });
    } finally {
      await Promise.all(joined.map((subscription) => subscription.close()));
    }
  }

  async #look(
    found: TaskWithOutcome | null,
    goal: WatchGoal,
    { delivery: { signal }, onRow }: WatchOptions,
  ): Promise<WatchOutcome> {
    if (signal.aborted) return null;
    if (found === null) throw taskNotFound();
    onRow(found.task);
    return (await goal(found)) ? found : null;
  }

  #listen(name: string): { topic: HubTopic; live: Promise<Subscription> } {
    const topic = new HubTopic({
      hubs: { own: this.#id, isAlive: (hub) => this.#isAlive(hub) },
      log: this.#log,
      say: (message) => this.#bus.publish(name, message),
    });
    const live = this.#bus.subscribe(name, (event) => {
      if ('hub' in event && event.hub !== undefined)
        this.#heardAtMs.set(event.hub, performance.now());
      topic.hear(event);
    });
    const listened = { topic, live };
    this.#topics.set(name, listened);
    return listened;
  }

  #isAlive(hub: string): boolean {
    return hub === this.#id || performance.now() - (this.#heardAtMs.get(hub) ?? -GONE_MS) < GONE_MS;
  }

  #beat(): void {
    for (const [hub, heardAtMs] of this.#heardAtMs) {
      if (hub !== this.#id && performance.now() - heardAtMs >= GONE_MS) this.#heardAtMs.delete(hub);
    }
    for (const { topic } of this.#topics.values()) {
      void topic.turns.propose(topic.turns.candidates());
    }
    void this.#bus.publish(HUBS_TOPIC, { kind: 'hub-alive', hub: this.#id });
  }

  #hearHubs(event: BusEvent): void {
    const now = performance.now();
    if (event.kind === 'resync') {
      // Whoever said something meanwhile was not heard.
      for (const hub of this.#heardAtMs.keys()) this.#heardAtMs.set(hub, now);
    } else if (event.kind === 'hub-alive') {
      const before = this.#heardAtMs.get(event.hub);
      this.#heardAtMs.set(event.hub, now);
      if (event.hub !== this.#id || before === undefined || now - before < GONE_MS) return;
      for (const { topic } of this.#topics.values()) void topic.turns.repeat();
    }
  }
}
