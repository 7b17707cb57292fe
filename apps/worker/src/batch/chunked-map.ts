import type { ChunkState, EndedTask, EventBus, TaskId } from '@longshore/core';
import { retryUntilAborted } from '../run/store-call.ts';
import { stopCancelled } from '../run/tell-task.ts';
import { BatchMap, type BatchMapOptions } from './batch-map.ts';
import type { BatchTarget } from './batch-target.ts';
import type { ChildWaits } from './child-waits.ts';
import { chunkArguments } from './chunk-arguments.ts';
import { derivedId } from './derived-id.ts';
import type { ItemReader } from './item-reader.ts';
import { failureText } from './run-chunk.ts';
import { SignalGate } from './signal-gate.ts';

export interface ChunkedMapOptions extends BatchMapOptions {
  readonly target: Extract<BatchTarget, { kind: 'chunks' }>;
  readonly waits: ChildWaits;
  readonly bus: EventBus;
  /** Says that tasks wait for their jobs. */
  readonly poke: () => void;
  /** Called with tasks that were cancelled because nobody wants their items any more. */
  readonly orphaned: (tasks: readonly EndedTask[]) => void;
}

/** Chunks that wait or run at once, unless the author says otherwise: enough for some workers. */
const CHUNKS_OUT = 32;

/** A chunk is tried again for reasons that lie outside of its items, such as a database that is away. */
const CHUNK_ATTEMPTS = 10;

/** Items have their own time; this is for a chunk that hangs for another reason. A week. */
const CHUNK_TIMEOUT_MS = 7 * 86_400_000;

/**
 * A map whose chunks are tasks of their own, for any worker that has the tool.
 *
 * Two loops: one stores chunks while fewer than `concurrency` are out, one looks what became of those that
 * are. Meanwhile the attempt has no seat, and its time stands still: with one seat in all, the chunks get it.
 */
export class ChunkedMap extends BatchMap {
  readonly #given: ChunkedMapOptions;
  readonly #limit: number;
  /** A chunk has ended, or reading has. */
  readonly #room = new SignalGate();
  readonly #changed = new SignalGate();

  constructor(given: ChunkedMapOptions) {
    super(given);
    this.#given = given;
    this.#limit = given.options.concurrency ?? CHUNKS_OUT;
  }

  protected override async work(reader: ItemReader): Promise<void> {
    const forget = await this.#given.waits.listen(() => this.#changed.open());
    const endWait = this.#given.attempt.wait('tasks');
    try {
      await this.#runLoops(reader);
    } finally {
      await endWait();
      forget();
    }
  }

  /** Both, until one fails or the batch is stopped, which ends the other. */
  async #runLoops(reader: ItemReader): Promise<void> {
    const { signal } = this.given;
    const ending = new AbortController();
    const follow = (): void => ending.abort(signal.reason);
    signal.throwIfAborted();
    signal.addEventListener('abort', follow, { once: true });
    const guarded = async (loop: Promise<void>): Promise<void> => {
      try {
        await loop;
      } catch (error) {
        ending.abort(error);
      }
    };
    await Promise.all([
      guarded(this.#produce(reader, ending.signal)),
      guarded(this.#collect(ending)),
    ]);
    signal.removeEventListener('abort', follow);
    if (!this.isStopped) ending.signal.throwIfAborted();
  }

  async #produce(reader: ItemReader, ended: AbortSignal): Promise<void> {
    while (!this.isSealed && !this.isStopped) {
      if (this.open.size >= this.#limit) {
        await this.#room.wait(ended);
        continue;
      }
      const chunk = await this.storeNext(reader, ended, (position) => this.#taskOf(position), {
        ...this.#given.target,
        maxAttempts: CHUNK_ATTEMPTS,
        timeoutMs: CHUNK_TIMEOUT_MS,
      });
      if (chunk !== null) this.#given.poke();
    }
    this.#changed.open();
  }

  async #collect(ending: AbortController): Promise<void> {
    for (;;) {
      await this.#look();
      if (this.isStopped) return ending.abort();
      if (this.isSealed && this.open.size === 0) return;
      await this.#changed.wait(ending.signal);
    }
  }

  async #look(): Promise<void> {
    const { store, id, signal } = this.given;
    const positions = [...this.open.keys()];
    const states = await retryUntilAborted('looking at chunks', signal, () =>
      store.chunks(id, positions),
    );
    for (const state of states) await this.#note(state);
    if (states.length > 0) this.tell();
    if (!this.isStopped && this.hasTooManyFailures(this.count().failed)) await this.#stopAll();
  }

  async #note(state: ChunkState): Promise<void> {
    if (!state.isEnded) {
      this.open.set(state.position, state);
      return;
    }
    const { size, ranMs, bytes } = state;
    if (ranMs !== null) this.sizer.measured(size, ranMs, bytes);
    const isThrough = state.done + state.failed >= size;
    // A chunk may end before its items do, when they fail too often: what is left of it is not run.
    const left = isThrough || this.hasTooManyFailures(state.failed) ? 0 : await this.#giveUp(state);
    this.close({ ...state, failed: state.failed + left });
    this.#room.open();
  }

  /** The task of the chunk has ended without it: what it has not run has failed. @returns how many */
  async #giveUp({ position, statusMessage }: ChunkState): Promise<number> {
    const { store, id, signal } = this.given;
    const chunk = await retryUntilAborted('reading a chunk', signal, () =>
      store.chunk(id, position),
    );
    if (chunk === null) throw new Error(`chunk ${position} of the batch is gone`);
    const through = new Set(chunk.outcomes.map(([offset]) => offset));
    const error = {
      code: 'CHUNK_FAILED',
      message: statusMessage ?? 'the task that was to run the item has ended',
    };
    const left = chunk.items
      .map((_item, offset) => offset)
      .filter((offset) => !through.has(offset));
    const failed = chunk.outcomes.filter((outcome) => outcome.length > 3).length;
    await this.save({
      batchId: id,
      position,
      save: chunk.saves + 1,
      outcomes: `[${left.map((offset) => failureText(offset, 0, error).text).join(',')}]`,
      done: through.size - failed,
      failed: failed + left.length,
    });
    this.given.saved({ done: 0, failed: left.length });
    return left.length;
  }

  async #stopAll(): Promise<void> {
    const { store, id, signal, attempt } = this.given;
    await this.stop();
    const out = [...this.open.values()];
    const tasks = out.flatMap(({ taskId }) => (taskId === null ? [] : [taskId]));
    const cancelled = await retryUntilAborted('stopping chunks', signal, () =>
      store.cancelChildren(attempt.claim, tasks),
    );
    this.#given.orphaned(cancelled);
    stopCancelled(this.#given.bus, cancelled);
    // Nothing is saved of them any more, so this is what came of them.
    const states = await retryUntilAborted('looking at chunks', signal, () =>
      store.chunks(
        id,
        out.map(({ position }) => position),
      ),
    );
    for (const state of states) this.close(state);
    this.tell();
    this.#room.open();
  }

  #taskOf(position: number): {
    readonly id: TaskId;
    readonly arguments: ReturnType<typeof chunkArguments>;
  } {
    const { id, options } = this.given;
    const { target } = this.#given;
    return {
      id: derivedId('chunk', id, position) as TaskId,
      arguments: chunkArguments({
        batch: id,
        position,
        item: target.item,
        itemAttempts: options.itemAttempts ?? target.itemAttempts,
        itemTimeoutMs: options.itemTimeoutMs ?? target.itemTimeoutMs,
        stopAfterFailures: options.stopAfterFailures,
        keepsValues: this.keepsValues,
      }),
    };
  }
}
