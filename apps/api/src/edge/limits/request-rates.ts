import {
  type Logger,
  LongshoreError,
  type PrincipalId,
  type RequestCounts,
  type Service,
} from '@longshore/core';
import { LRUCache } from 'lru-cache';

const WINDOW_MS = 60_000;
/** How often this process says what it has counted: other processes learn of it that late. */
const REPORT_MS = 100;
/** Pause after the counts could not be told. */
const RETRY_MS = 1_000;
/** Principals told of at once, and kept at all: some megabytes. */
const MAX_REPORTED = 500;
const MAX_KEPT = 10_000;

/** A principal's minute, as this process knows it. */
interface Window {
  /** Requests at all processes, those of this one up to the last report included. */
  known: number;
  /** Of this process, in a report that is under way, and not told yet. */
  sending: number;
  unsent: number;
  endsAt: number;
}

/**
 * Requests per minute and principal, over all API processes.
 *
 * A request is judged by what this process knows, so it waits for nobody, and goes on when the counts are
 * away. What was counted is told to the others within 100 ms, all principals in one report, one report at a
 * time; the answer says what they have counted. So one process keeps a limit exactly, and several together
 * go beyond it by what arrives at the others within that time. When the counts are away each process keeps
 * the limit by itself.
 *
 * A window begins with the first request and lasts a minute, by the clock of the counts.
 */
export class RequestRates implements Service {
  readonly #counts: RequestCounts | null;
  readonly #log: Logger;
  readonly #now: () => number;
  readonly #windows = new LRUCache<PrincipalId, Window>({ max: MAX_KEPT });
  /** What the next reports are about. */
  readonly #changed = new Map<PrincipalId, Window>();
  #timer: NodeJS.Timeout | null = null;
  #reporting: Promise<void> | null = null;
  #mayReportAt = 0;
  #isAway = false;
  #isStopped = false;

  /**
   * @param options.counts of all processes; null: each keeps the limit by itself
   * @param options.now milliseconds that only go forward
   */
  constructor(options: { counts: RequestCounts | null; log: Logger; now?: () => number }) {
    this.#counts = options.counts;
    this.#log = options.log;
    this.#now = options.now ?? (() => performance.now());
  }

  start(): Promise<void> {
    this.#isStopped = false;
    return Promise.resolve();
  }

  /** What was not told yet is forgotten: at most a tenth of a second's requests. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#changed.clear();
    await this.#reporting;
  }

  /**
   * Counts a request, unless it is one too many. One that costs more than is left is taken while anything is
   * left: else a large one might never be.
   *
   * @param perMinute 0: no limit
   * @param cost how many requests it counts for
   * @throws {LongshoreError} RATE_LIMITED
   */
  take(principal: PrincipalId, perMinute: number, cost = 1): void {
    if (perMinute === 0) return;
    const window = this.#window(principal);
    if (window.known + window.sending + window.unsent >= perMinute) {
      const retryAfterMs = Math.max(1, Math.ceil(window.endsAt - this.#now()));
      throw new LongshoreError(
        'RATE_LIMITED',
        `Over ${perMinute} requests within a minute: try again in ${Math.ceil(retryAfterMs / 1_000)} s`,
        { details: { retryAfterMs } },
      );
    }
    this.#add(principal, window, cost);
  }

  /** Counts what is taken in any case, such as the answer to a question. */
  count(principal: PrincipalId, perMinute: number, cost = 1): void {
    if (perMinute > 0) this.#add(principal, this.#window(principal), cost);
  }

  #window(principal: PrincipalId): Window {
    const known = this.#windows.get(principal);
    if (known !== undefined && this.#now() < known.endsAt) return known;
    const window = { known: 0, sending: 0, unsent: 0, endsAt: this.#now() + WINDOW_MS };
    this.#windows.set(principal, window);
    return window;
  }

  #add(principal: PrincipalId, window: Window, cost: number): void {
    if (this.#counts === null) {
      window.known += cost;
      return;
    }
    window.unsent += cost;
    this.#changed.set(principal, window);
    this.#reportSoon(this.#counts);
  }

  #reportSoon(counts: RequestCounts): void {
    if (this.#timer !== null || this.#reporting !== null || this.#isStopped) return;
    this.#timer = setTimeout(
      () => {
        this.#timer = null;
        this.#reporting = this.#report(counts).finally(() => {
          this.#reporting = null;
          if (this.#changed.size > 0) this.#reportSoon(counts);
        });
      },
      Math.max(0, this.#mayReportAt - this.#now()),
    ).unref();
  }

  /** Never rejects: nobody waits for it. */
  async #report(counts: RequestCounts): Promise<void> {
    const reported = [...this.#changed].slice(0, MAX_REPORTED);
    for (const [principal, window] of reported) {
      this.#changed.delete(principal);
      window.sending = window.unsent;
      window.unsent = 0;
    }
    this.#mayReportAt = this.#now() + REPORT_MS;
    try {
      const windows = await counts.add(
        new Map(reported.map(([principal, { sending }]) => [principal, sending])),
      );
      for (const [principal, window] of reported) {
        const { requests, endsInMs } = windows.get(principal) ?? {
          requests: window.known + window.sending,
          endsInMs: window.endsAt - this.#now(),
        };
        window.known = requests;
        window.endsAt = this.#now() + endsInMs;
        window.sending = 0;
      }
      if (this.#isAway) this.#log.info({}, 'requests are counted together again');
      this.#isAway = false;
    } catch (error) {
      for (const [, window] of reported) {
        window.known += window.sending;
        window.sending = 0;
      }
      this.#mayReportAt = this.#now() + RETRY_MS;
      if (!this.#isAway) {
        this.#log.warn(
          { err: error },
          'requests can not be counted together, each API counts its own',
        );
      }
      this.#isAway = true;
    }
  }
}
