import { readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { exists } from './postmaster.ts';
import { writeOnce } from './write-once.ts';

/**
 * Who stops a server that several processes use.
 *
 * The process that started it owns it. When the owner died without stopping it, the first process that
 * notices inherits it. A process that does not own the server leaves it running.
 *
 * On disk: `pg.owner-<server pid>-<generation>` in the embedded folder, holding the owner's pid. Generation
 * 0 is the starter. To inherit is to create the next generation; `writeOnce` lets one process succeed, so
 * there is one owner at any time whatever happens at once. The files of ended servers are removed by the
 * next one that starts.
 */
export class ServerOwnership {
  readonly #dir: string;
  readonly #serverPid: number;

  constructor(dir: string, serverPid: number) {
    this.#dir = dir;
    this.#serverPid = serverPid;
  }

  /** For the process that spawned the server, at once after spawning: records of that pid are older ones. */
  take(): void {
    for (const { file, serverPid } of this.#records()) {
      if (serverPid === this.#serverPid) rmSync(file, { force: true });
    }
    writeOnce(this.#file(0), String(process.pid));
  }

  /** Inherits the server if its owner is dead. @returns whether we own it now */
  claim(): boolean {
    const records = this.#records().filter((record) => record.serverPid === this.#serverPid);
    const latest = records.sort((a, b) => b.generation - a.generation)[0];
    const owner = latest === undefined ? null : readPid(latest.file);
    if (owner === process.pid) return true;
    if (owner !== null && exists(owner)) return false;
    return writeOnce(this.#file((latest?.generation ?? -1) + 1), String(process.pid));
  }

  /** Forgets servers that are gone, once this one has the data directory. */
  removeOldRecords(): void {
    for (const { file, serverPid } of this.#records()) {
      if (serverPid !== this.#serverPid) rmSync(file, { force: true });
    }
  }

  #file(generation: number): string {
    return path.join(this.#dir, `pg.owner-${this.#serverPid}-${generation}`);
  }

  #records(): { file: string; serverPid: number; generation: number }[] {
    return readdirSync(this.#dir).flatMap((name) => {
      const match = /^pg\.owner-(\d+)-(\d+)$/.exec(name);
      if (match === null) return [];
      const file = path.join(this.#dir, name);
      return [{ file, serverPid: Number(match[1]), generation: Number(match[2]) }];
    });
  }
}

function readPid(file: string): number | null {
  try {
    const pid = Number(readFileSync(file, 'utf8'));
    return Number.isInteger(pid) && pid > 0 ? pid : null;
  } catch {
    return null;
  }
}
