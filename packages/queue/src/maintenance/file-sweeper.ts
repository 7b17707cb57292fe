import { type FileRecords, type FileStore, type Logger, PeriodicService } from '@longshore/core';

export interface FileSweeperOptions {
  readonly records: Pick<FileRecords, 'pickUnwanted' | 'forget'>;
  readonly store: Pick<FileStore, 'delete'>;
  readonly log: Logger;
  /** Milliseconds between runs; 10 s by default. */
  readonly intervalMs?: number;
  /** Milliseconds after which a file whose bytes could not be deleted is tried again; 5 minutes by default. */
  readonly retryMs?: number;
  /** Files per statement; 100 by default. */
  readonly batchSize?: number;
}

/** Deletions under way at once. */
const CONCURRENCY = 8;

/**
 * Deletes the bytes of files nobody wants any more, and then their rows: replaced ones, given up ones, and those
 * of tasks that are gone. Any number of processes may sweep at once; what can not be deleted is tried
 * again later, for ever.
 */
export class FileSweeper extends PeriodicService {
  readonly #options: FileSweeperOptions;

  constructor(options: FileSweeperOptions) {
    const { intervalMs = 10_000, log } = options;
    super({
      name: 'file sweeper',
      intervalMs,
      minGapMs: intervalMs / 2,
      maxBackoffMs: 300_000,
      log,
    });
    this.#options = options;
  }

  /**
   * Deletes in batches until none is due, or the signal fires: what was picked and not begun by then is picked again
   * after `retryMs`.
   *
   * @returns how many are gone
   * @throws what the store threw first, after the others of the batch were done
   */
  async runOnce(signal?: AbortSignal): Promise<number> {
    const { records, batchSize = 100, retryMs = 300_000, log } = this.#options;
    let deleted = 0;
    let picked: number;
    do {
      const keys = await records.pickUnwanted(batchSize, retryMs);
      picked = keys.length;
      deleted += await this.#delete(keys, signal);
    } while (picked >= batchSize && signal?.aborted !== true);
    if (deleted > 0) log.debug({ deleted }, 'unwanted files deleted');
    return deleted;
  }

  async #delete(keys: readonly string[], signal: AbortSignal | undefined): Promise<number> {
    const gone: string[] = [];
    const errors: unknown[] = [];
    for (let start = 0; start < keys.length; start += CONCURRENCY) {
      if (signal?.aborted === true) break;
      await Promise.all(
        keys.slice(start, start + CONCURRENCY).map(async (key) => {
          try {
            await this.#options.store.delete(key);
            gone.push(key);
          } catch (error) {
            errors.push(error);
          }
        }),
      );
    }
    await this.#options.records.forget(gone);
    if (errors.length > 0) throw errors[0];
    return gone.length;
  }
}
