import type { ChildProcess } from 'node:child_process';

/** POSIX can end a process with all it started; Windows ends the process. */
export const HAS_GROUPS = process.platform !== 'win32';

/** Asks a process and what it started to end, and kills what does not. */
export class ProcessGroup {
  readonly #child: ChildProcess;
  readonly #killAfterMs: number;
  #timer: NodeJS.Timeout | undefined;

  /** @param child spawned `detached` where there are groups */
  constructor(child: ChildProcess, killAfterMs: number) {
    this.#child = child;
    this.#killAfterMs = killAfterMs;
  }

  /** May be called again. */
  end(): void {
    if (this.#timer !== undefined) return;
    this.#send('SIGTERM');
    this.#timer = setTimeout(() => this.#send('SIGKILL'), this.#killAfterMs);
  }

  /** Of a process that has ended: what it left behind ends now. */
  clear(): void {
    clearTimeout(this.#timer);
    if (HAS_GROUPS) this.#send('SIGKILL');
  }

  #send(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      if (HAS_GROUPS) process.kill(-pid, signal);
      else this.#child.kill(signal);
    } catch {
      // Nobody is left in it.
    }
  }
}
