import type { ChunkState, JsonValue } from '@longshore/core';
import type { ItemFunction, ToolLog } from '@longshore/plugin';
import { type ItemEnd, itemContext, runItem } from '@longshore/plugin/host';
import { retryUntilAborted } from '../run/store-call.ts';
import { BatchMap, type BatchMapOptions } from './batch-map.ts';
import type { ItemReader } from './item-reader.ts';
import { runChunk } from './run-chunk.ts';
import { tracedItem } from './traced-item.ts';

export interface InlineMapOptions extends BatchMapOptions {
  readonly run: ItemFunction<unknown, unknown>;
  readonly log: ToolLog;
}

/** Nobody else runs it. */
const NO_POLICY = { toolName: '', queue: '', maxAttempts: 1, timeoutMs: 1, toolLimit: null };

/** A map of a function in place: chunk after chunk, as a part of the attempt. */
export class InlineMap extends BatchMap {
  readonly #given: InlineMapOptions;

  constructor(given: InlineMapOptions) {
    super(given);
    this.#given = given;
  }

  protected override async work(reader: ItemReader): Promise<void> {
    for (const chunk of [...this.open.values()]) await this.#run(chunk);
    while (!this.isSealed && !this.isStopped) {
      const chunk = await this.storeNext(reader, this.given.signal, () => null, NO_POLICY);
      if (chunk !== null) await this.#run(chunk);
    }
  }

  async #run(state: ChunkState): Promise<void> {
    if (this.isStopped) return;
    const { store, id, signal, options } = this.#given;
    const chunk = await retryUntilAborted('reading a chunk', signal, () =>
      store.chunk(id, state.position),
    );
    if (chunk === null) throw new Error(`chunk ${state.position} of the batch is gone`);
    const startedAt = performance.now();
    let latest = state;
    const update = (done: number, failed: number): void => {
      latest = { ...state, done, failed };
      this.open.set(state.position, latest);
      this.tell();
    };
    const before = this.count().failed - state.failed;
    await runChunk({
      chunk,
      concurrency: options.concurrency ?? 1,
      keepsValues: this.keepsValues,
      signal,
      runItem: (item, index) => tracedItem(index, () => this.#runItem(item, index)),
      save: (progress) => this.save({ batchId: id, position: state.position, ...progress }),
      saved: this.given.saved,
      mayGoOn: (_done, failed) => !this.hasTooManyFailures(before + failed),
      counted: update,
    });
    this.sizer.measured(chunk.size, performance.now() - startedAt, 0);
    if (this.hasTooManyFailures(this.count().failed)) await this.stop();
    this.close(latest);
  }

  #runItem(item: JsonValue, index: number): Promise<ItemEnd> {
    const { run, log, attempt, options, signal } = this.#given;
    const { taskId, principalId: principal } = attempt.claim;
    return runItem({
      attempts: options.itemAttempts ?? 1,
      timeoutMs: options.itemTimeoutMs,
      signal,
      run: (tried) => run(item, itemContext({ taskId, principal, log }, index, tried)),
    });
  }
}
