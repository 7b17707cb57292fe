import type { BusEvent, BusMessage, TaskId } from '@longshore/core';
import { RecentMap } from './recent-map.ts';

/** Tasks waited for at other processes that are remembered; of older ones it may be said twice what they tell. */
const MAX_REMEMBERED = 10_000;
/** A stream of which nobody may have heard that it ended counts for this long. */
const UNSURE_MS = 25_000;
/** Streams per message: it has to be shorter than a notification of Postgres. */
const MAX_STREAMS = 80;

/** What is said of streams; a message for one of them each. */
export type StreamEvent = Extract<BusEvent, { kind: 'stream-open' | 'stream-close' }>;

/** The processes that have streams, as a turn knows them. */
export interface Hubs {
  /** UUID of this process's. */
  readonly own: string;
  isAlive(hub: string): boolean;
}

/** The stream that has a turn. */
interface Holder {
  readonly stream: string;
  /** Null: of a version that says every 10 s that it is there. */
  readonly hub: string | null;
  /** In milliseconds of `performance.now()`. */
  until: number;
}

/** The streams of this process that share a turn, the oldest first. */
interface Seat {
  readonly streams: StreamTurn[];
  holder: Holder | null;
}

export interface TurnOptions {
  /** The task that is waited for; null: the session's GET streams. */
  readonly taskId: TaskId | null;
  /** UUID of this stream. */
  readonly stream: string;
  /** A held call has one stream: it says nothing unless its client comes back. */
  readonly isSole: boolean;
  /** Called when the client has come back for this stream on another connection. */
  readonly superseded: () => void;
}

/**
 * Who carries what is said on one topic: a turn per task, among the streams that wait for it, and one for the
 * session, among its GET streams, which leave a task alone while somebody waits for it.
 *
 * All processes see the messages of a topic in one order. Whoever said `stream-open` last has the turn from that
 * message on; everybody sees the same last one. When that stream says `stream-close`, or its process is not
 * heard of any more, each process with other streams of the turn proposes its newest one.
 */
export class TopicTurns {
  readonly #hubs: Hubs;
  readonly #say: (message: BusMessage) => Promise<void>;
  readonly #seats = new Map<TaskId | null, Seat>();
  /** Turns that no stream here takes part in. */
  readonly #elsewhere = new RecentMap<TaskId | null, Holder>(MAX_REMEMBERED);

  constructor(hubs: Hubs, say: (message: BusMessage) => Promise<void>) {
    this.#hubs = hubs;
    this.#say = say;
  }

  /** How many turns streams of this process take part in. */
  get size(): number {
    return this.#seats.size;
  }

  /** The stream that has the turn, wherever it is; null: none that is known. */
  holder(taskId: TaskId | null): string | null {
    const seat = this.#seats.get(taskId);
    const holder = seat === undefined ? this.#elsewhere.get(taskId) : seat.holder;
    return holder !== null && holder !== undefined && this.#isThere(holder) ? holder.stream : null;
  }

  add(stream: StreamTurn): void {
    const seat = this.#seats.get(stream.taskId);
    if (seat !== undefined) seat.streams.push(stream);
    else {
      const holder = this.#elsewhere.get(stream.taskId) ?? null;
      this.#elsewhere.delete(stream.taskId);
      this.#seats.set(stream.taskId, { streams: [stream], holder });
    }
  }

  delete(stream: StreamTurn): void {
    const seat = this.#seats.get(stream.taskId);
    const index = seat?.streams.indexOf(stream) ?? -1;
    if (seat === undefined || index === -1) return;
    seat.streams.splice(index, 1);
    if (seat.streams.length > 0) return;
    this.#seats.delete(stream.taskId);
    // Also its own turn, until it is heard that it ended: what it leaves is then for the session's stream.
    if (seat.holder !== null) this.#elsewhere.set(stream.taskId, seat.holder);
  }

  async say(kind: 'stream-open' | 'stream-close', taskId: TaskId | null, stream: string) {
    await this.#say({ kind, stream, taskId, hub: this.#hubs.own });
  }

  /**
   * To be called with each such event of the topic, in order, before it is acted on.
   *
   * @returns the task that nobody waits for any more since this event, and what to say once it was acted on
   */
  observe(event: StreamEvent): { released: TaskId | null; answer: StreamTurn[] } {
    const { taskId, stream, hub = null } = event;
    const seat = this.#seats.get(taskId);
    if (event.kind === 'stream-open') {
      const until = hub === null ? performance.now() + UNSURE_MS : Number.POSITIVE_INFINITY;
      const holder = { stream, hub, until };
      if (seat === undefined) this.#elsewhere.set(taskId, holder);
      else seat.holder = holder;
      for (const other of [...(seat?.streams ?? [])]) if (other.isSole) other.overtaken(stream);
      // A GET stream at another process asks which tasks are waited for.
      return {
        released: null,
        answer: taskId === null && hub !== this.#hubs.own ? this.#held() : [],
      };
    }
    const had = this.holder(taskId) === stream;
    if (seat === undefined) {
      if (had) this.#elsewhere.delete(taskId);
      return { released: had ? taskId : null, answer: [] };
    }
    for (const other of [...seat.streams]) if (!other.isSole) other.ended(stream);
    if (seat.holder?.stream === stream) seat.holder = null;
    return { released: had ? taskId : null, answer: seat.holder === null ? newest(seat) : [] };
  }

  /**
   * Messages may be missing: no turn is known. @returns what to say once that was acted on
   */
  missed(): StreamTurn[] {
    const until = performance.now() + UNSURE_MS;
    for (const holder of this.#elsewhere.values()) holder.until = Math.min(holder.until, until);
    for (const seat of this.#seats.values()) seat.holder = null;
    return this.candidates();
  }

  /** Streams of this process for the turns that nobody has, tasks before the session. */
  candidates(): StreamTurn[] {
    return this.#select((seat) =>
      seat.holder !== null && this.#isThere(seat.holder) ? [] : newest(seat),
    );
  }

  /** Says of several streams that they have the turn. */
  async propose(streams: readonly StreamTurn[]): Promise<void> {
    const said: Promise<void>[] = [];
    for (let start = 0; start < streams.length; start += MAX_STREAMS) {
      const part = streams.slice(start, start + MAX_STREAMS);
      const [first] = part;
      if (part.length === 1 && first !== undefined) {
        said.push(this.say('stream-open', first.taskId, first.id));
      } else {
        const pairs = part.map(({ id, taskId }): [string, TaskId | null] => [id, taskId]);
        said.push(this.#say({ kind: 'streams-open', hub: this.#hubs.own, streams: pairs }));
      }
    }
    await Promise.all(said);
  }

  /** Those of this process that have a turn, said again: it may have been given up. */
  async repeat(): Promise<void> {
    await this.propose([...this.#held(), ...this.candidates()]);
  }

  #held(): StreamTurn[] {
    return this.#select((seat) => seat.streams.filter(({ isSole, mine }) => !isSole && mine));
  }

  /** The session's turn comes last: by then it is known which tasks are waited for. */
  #select(choose: (seat: Seat) => StreamTurn[]): StreamTurn[] {
    const chosen = [...this.#seats.values()].flatMap(choose);
    return [
      ...chosen.filter(({ taskId }) => taskId !== null),
      ...chosen.filter(({ taskId }) => taskId === null),
    ];
  }

  #isThere({ hub, until }: Holder): boolean {
    return performance.now() < until && (hub === null || this.#hubs.isAlive(hub));
  }
}

/** The stream that a process proposes, if it has one. */
function newest({ streams }: Seat): StreamTurn[] {
  return streams.filter(({ isSole }) => !isSole).slice(-1);
}

/** Whether a stream carries the messages that come now. */
export class StreamTurn {
  readonly id: string;
  readonly taskId: TaskId | null;
  readonly isSole: boolean;
  readonly #superseded: () => void;
  readonly #turns: () => TopicTurns | null;
  /** Null before it is opened and once it is closed. */
  #joined: TopicTurns | null = null;
  #isOvertaken = false;
  #isAnnounced = false;

  /** @param turns those of the topic, which must be listened to when the turn is opened */
  constructor(turns: () => TopicTurns | null, options: TurnOptions) {
    this.id = options.stream;
    this.taskId = options.taskId;
    this.isSole = options.isSole;
    this.#superseded = options.superseded;
    this.#turns = turns;
  }

  get mine(): boolean {
    if (this.isSole) return !this.#isOvertaken;
    return this.#joined?.holder(this.taskId) === this.id;
  }

  /** @param resumed UUID of the stream the client has come back from; it ends, if it is still there */
  async open(resumed: string | null): Promise<void> {
    const turns = this.#turns();
    if (turns === null) return;
    this.#joined = turns;
    turns.add(this);
    if (this.isSole && resumed === null) return;
    this.#isAnnounced = true;
    await turns.say('stream-open', this.taskId, this.id);
    // After the announcement: nobody takes the older stream's place for a moment.
    if (resumed !== null && !this.isSole) await turns.say('stream-close', this.taskId, resumed);
  }

  async close(): Promise<void> {
    const turns = this.#joined;
    this.#joined = null;
    this.#isOvertaken = true;
    turns?.delete(this);
    if (this.#isAnnounced) await turns?.say('stream-close', this.taskId, this.id);
  }

  /** Somebody has opened a stream for the held call. */
  overtaken(by: string): void {
    if (by === this.id) return;
    if (!this.#isOvertaken) this.#superseded();
    this.#isOvertaken = true;
  }

  /** Somebody has said of a stream that it ended, while this one is open. */
  ended(stream: string): void {
    if (stream === this.id) this.#superseded();
  }
}
