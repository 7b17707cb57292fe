import { pause } from './pause.ts';

/** Requests to one host at once. */
const MAX_AT_ONCE = 2;

/** Hosts remembered; beyond it those nobody talks to are forgotten. */
const MAX_HOSTS = 1_000;

interface Lane {
  active: number;
  /** When the next request may begin, by the monotonic clock. */
  nextAtMs: number;
  readonly waiting: (() => void)[];
}

/** Lets requests to a host begin one after the other with a pause between, at most two at once. */
export class HostGate {
  readonly #lanes = new Map<string, Lane>();

  /**
   * Waits for the turn of a request.
   *
   * @param pauseMs from its beginning to that of the next one
   * @returns to call when the response has been read; call it once
   * @throws the signal's reason when it fires before
   */
  async enter(host: string, pauseMs: number, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    const lane = this.#lane(host);
    await this.#place(lane, signal);
    const now = performance.now();
    const startAtMs = Math.max(now, lane.nextAtMs);
    lane.nextAtMs = startAtMs + pauseMs;
    try {
      if (startAtMs > now) await pause(startAtMs - now, signal);
    } catch (error) {
      this.#leave(lane);
      throw error;
    }
    return () => this.#leave(lane);
  }

  async #place(lane: Lane, signal: AbortSignal): Promise<void> {
    if (lane.active < MAX_AT_ONCE) {
      lane.active += 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const go = (): void => {
        signal.removeEventListener('abort', stop);
        resolve();
      };
      const stop = (): void => {
        lane.waiting.splice(lane.waiting.indexOf(go), 1);
        reject(signal.reason);
      };
      signal.addEventListener('abort', stop, { once: true });
      lane.waiting.push(go);
    });
  }

  /** The place goes to whoever waits longest. */
  #leave(lane: Lane): void {
    const next = lane.waiting.shift();
    if (next === undefined) lane.active -= 1;
    else next();
  }

  #lane(host: string): Lane {
    const known = this.#lanes.get(host);
    if (known !== undefined) return known;
    if (this.#lanes.size >= MAX_HOSTS) this.#forgetIdle();
    const lane: Lane = { active: 0, nextAtMs: 0, waiting: [] };
    this.#lanes.set(host, lane);
    return lane;
  }

  #forgetIdle(): void {
    const now = performance.now();
    for (const [host, { active, nextAtMs }] of this.#lanes) {
      if (active === 0 && nextAtMs <= now) this.#lanes.delete(host);
    }
  }
}
