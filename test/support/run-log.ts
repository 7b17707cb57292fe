import { closeSync, openSync, readSync, writeFileSync } from 'node:fs';

/**
 * The file in which batch-tools.js notes each run of an item: what the items have really done to the world,
 * whatever the server says. It is read on from where it was read before.
 */
export class RunLog {
  /** The number of the item of each run, in order. */
  readonly runs: number[] = [];
  readonly file: string;
  #offset = 0;
  #rest = '';

  constructor(file: string) {
    this.file = file;
    this.clear();
  }

  /** Begins anew. */
  clear(): void {
    writeFileSync(this.file, '');
    this.runs.length = 0;
    this.#offset = 0;
    this.#rest = '';
  }

  /** @returns runs so far */
  read(): number {
    const buffer = Buffer.alloc(256 * 1024);
    const fd = openSync(this.file, 'r');
    try {
      for (;;) {
        const bytes = readSync(fd, buffer, 0, buffer.length, this.#offset);
        if (bytes === 0) return this.runs.length;
        this.#offset += bytes;
        const lines = (this.#rest + buffer.toString('latin1', 0, bytes)).split('\n');
        this.#rest = lines.pop() ?? '';
        for (const line of lines) this.runs.push(Number(line.split(' ')[0]));
      }
    } finally {
      closeSync(fd);
    }
  }
}
