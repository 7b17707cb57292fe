export interface ChunkSizerOptions {
  /** Items per chunk; null: as measured. */
  readonly fixed: number | null;
  /** Items of the batch, when that is known. */
  readonly total: number | null;
}

/** How long a chunk should run: long against what a chunk costs, short against what a crash repeats. */
const TARGET_MS = 1_000;

/** A chunk that runs shorter costs more than it does. */
const SHORTEST_MS = 50;

const LARGEST = 5_000;

/** Of what comes out of a chunk: it is written and read whole. */
const LARGEST_BYTES = 4 * 1024 * 1024;

/** Of what is left, so that at the end all workers have something to do. */
const SHARE = 8;

/** A chunk is at most this much larger than the one that was measured. */
const GROWTH = 16;

/** Says how many items the next chunk gets, by how long the items of earlier ones took. */
export class ChunkSizer {
  readonly #options: ChunkSizerOptions;
  #itemMs: number | null = null;
  #itemBytes = 0;
  #measured = 1;

  constructor(options: ChunkSizerOptions) {
    this.#options = options;
  }

  /** @param stored items that are in chunks already */
  next(stored: number): number {
    const { fixed, total } = this.#options;
    if (fixed !== null) return fixed;
    const share = total === null ? LARGEST : Math.ceil((total - stored) / SHARE);
    if (this.#itemMs === null) return clamp(total === null ? 4 : Math.ceil(total / 64), 16);
    const itemMs = Math.max(this.#itemMs, 0.001);
    const fitting = LARGEST_BYTES / Math.max(this.#itemBytes, 1);
    const wanted = Math.min(TARGET_MS / itemMs, this.#measured * GROWTH, fitting);
    return clamp(
      Math.max(Math.min(wanted, share), Math.min(wanted, SHORTEST_MS / itemMs)),
      LARGEST,
    );
  }

  /**
   * A chunk has run. The latest ones count most.
   *
   * @param bytes of its outcomes, compressed
   */
  measured(size: number, ranMs: number, bytes: number): void {
    this.#itemBytes = Math.max(this.#itemBytes * 0.7, bytes / size);
    const itemMs = ranMs / size;
    this.#itemMs = this.#itemMs === null ? itemMs : this.#itemMs * 0.7 + itemMs * 0.3;
    this.#measured = Math.max(this.#measured, size);
  }
}

function clamp(size: number, max: number): number {
  return Math.max(1, Math.min(max, Math.floor(size)));
}
