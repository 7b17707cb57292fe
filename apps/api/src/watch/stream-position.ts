import { randomUUID } from 'node:crypto';
import type { EventCursor, RequestId, Task, TaskId } from '@longshore/core';
import { encodeEventId, type SessionStreamPlace, type TaskStreamPlace } from '@longshore/protocol';
import type { EventNames } from '../edge/delivery.ts';

type OpenPlace = TaskStreamPlace | SessionStreamPlace;

/**
 * How far the client has read one stream: what is in the ids of its events, so that any replica can go on
 * with it. A resumed stream starts where its client was.
 */
export abstract class StreamPosition<Place extends OpenPlace = OpenPlace> implements EventNames {
  /** Names the stream: who leases questions, who has the turn. */
  readonly stream = randomUUID();
  /** What the client came back with; null for a stream it has just opened. */
  readonly resumed: Place | null;
  readonly #asked: Set<EventCursor>;
  #events = 0;

  protected constructor(resumed: Place | null) {
    this.resumed = resumed;
    this.#asked = new Set(resumed?.asked);
  }

  protected abstract place(asked: readonly EventCursor[]): OpenPlace;

  next(): string | null {
    this.#events += 1;
    return encodeEventId(this.place(this.asked), this.#events);
  }

  last(): string | null {
    const isNamed = this.next() !== null;
    return isNamed ? encodeEventId({ kind: 'ended', stream: this.stream }, this.#events) : null;
  }

  /** Questions that the client has and that are not settled. */
  get asked(): readonly EventCursor[] {
    return [...this.#asked];
  }

  /** Whether the client got this question on the stream. */
  hasAsked(question: EventCursor): boolean {
    return this.#asked.has(question);
  }

  /** To be called before the message goes out that the client knows it by. */
  asks(question: EventCursor): void {
    this.#asked.add(question);
  }

  /** The question is answered or gone. */
  forget(question: EventCursor): void {
    this.#asked.delete(question);
  }
}

/** Of a stream that ends with the answer to a request. */
export class TaskStreamPosition extends StreamPosition<TaskStreamPlace> {
  readonly #kind: TaskStreamPlace['kind'];
  readonly #taskId: TaskId;
  readonly #requestId: RequestId;
  /** The last log message the client has seen. */
  cursor: EventCursor;

  constructor(
    stream: Pick<TaskStreamPlace, 'kind' | 'taskId' | 'requestId'>,
    resumed: TaskStreamPlace | null,
  ) {
    super(resumed);
    this.#kind = stream.kind;
    this.#taskId = stream.taskId;
    this.#requestId = stream.requestId;
    this.cursor = resumed?.cursor ?? '0';
  }

  protected place(asked: readonly EventCursor[]): TaskStreamPlace {
    return {
      kind: this.#kind,
      taskId: this.#taskId,
      requestId: this.#requestId,
      cursor: this.cursor,
      asked,
      stream: this.stream,
    };
  }
}

/** Of a session's GET stream. */
export class SessionStreamPosition extends StreamPosition<SessionStreamPlace> {
  #changedAtMs: number;

  constructor(resumed: SessionStreamPlace | null) {
    super(resumed);
    this.#changedAtMs = resumed?.changedAtMs ?? 0;
  }

  /** When the latest change happened that the client has seen, in milliseconds of the database's clock. */
  get changedAtMs(): number {
    return this.#changedAtMs;
  }

  /** The client knows of what happened to the task so far. */
  saw(task: Pick<Task, 'updatedAt'>): void {
    this.#changedAtMs = Math.max(this.#changedAtMs, task.updatedAt.getTime());
  }

  protected place(asked: readonly EventCursor[]): SessionStreamPlace {
    return { kind: 'session', changedAtMs: this.#changedAtMs, asked, stream: this.stream };
  }
}
