import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** How long the sum of a directory counts, in milliseconds; what this process writes is added to it meanwhile. */
const FRESH_MS = 10_000;

/**
 * What the files of one principal take on this machine: what lay in its directory at the last look, and what this
 * process has written since. Other processes may have written as much again in between.
 */
export class FileUsage {
  static readonly #all = new Map<string, FileUsage>();
  /** Files being written, by their path, in bytes. */
  readonly #open = new Map<string, number>();
  #kept = 0;
  #measuredAt = Number.NEGATIVE_INFINITY;
  #measuring: Promise<void> | null = null;

  /** @param directory of the principal */
  static async of(directory: string): Promise<FileUsage> {
    const now = performance.now();
    for (const [other, usage] of FileUsage.#all) {
      if (usage.#open.size === 0 && !usage.#isFresh(now)) FileUsage.#all.delete(other);
    }
    const usage = FileUsage.#all.get(directory) ?? new FileUsage();
    FileUsage.#all.set(directory, usage);
    if (!usage.#isFresh(now)) {
      usage.#measuring ??= usage.#measure(directory);
      await usage.#measuring;
    }
    return usage;
  }

  get bytes(): number {
    let sum = this.#kept;
    for (const bytes of this.#open.values()) sum += bytes;
    return sum;
  }

  /** A file has this many bytes by now. */
  grow(path: string, bytes: number): void {
    this.#open.set(path, bytes);
  }

  /** A file is through, and stays. */
  keep(path: string): void {
    this.#kept += this.#open.get(path) ?? 0;
    this.#open.delete(path);
  }

  /** A file is gone, or has been kept. */
  drop(path: string): void {
    this.#open.delete(path);
  }

  #isFresh(now: number): boolean {
    return now - this.#measuredAt < FRESH_MS;
  }

  async #measure(directory: string): Promise<void> {
    let bytes = 0;
    const pending = [directory];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      // What vanishes meanwhile takes nothing.
      for (const entry of await readdir(next, { withFileTypes: true }).catch(() => [])) {
        const path = join(next, entry.name);
        if (entry.isDirectory()) pending.push(path);
        else if (!this.#open.has(path)) bytes += (await lstat(path).catch(() => null))?.size ?? 0;
      }
    }
    this.#kept = bytes;
    this.#measuredAt = performance.now();
    this.#measuring = null;
  }
}
