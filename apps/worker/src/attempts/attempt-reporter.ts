import type { Progress } from '@longshore/core';
import { clipText, wellFormed } from '../json/well-formed.ts';
import { LatestThrottle } from './latest-throttle.ts';

/** What a running attempt has said and the database has not heard yet; null: nothing new. */
export interface UnsavedReport {
  readonly progress: Progress | null;
  readonly statusMessage: string | null;
}

export interface AttemptReporterOptions {
  /** What an earlier attempt has shown; only greater values are passed on. */
  readonly floor: Progress | null;
  /** Pause between two progress messages of one task, in milliseconds. */
  readonly progressIntervalMs: number;
  /** Tells listeners about progress. Must not reject. */
  readonly publish: (progress: Progress) => Promise<void>;
  /** Called when a status message waits to be written, so that it need not wait for the next heartbeat. */
  readonly statusChanged: () => void;
}

/** UTF-16 units of a status or progress message that are kept. */
export const MESSAGE_LIMIT = 1_000;

/**
 * Collects what a tool says about itself. Progress goes to listeners at once but throttled; progress
 * and status messages wait here for the next heartbeat, which writes them to the row.
 */
export class AttemptReporter {
  readonly #throttle: LatestThrottle<Progress>;
  readonly #statusChanged: () => void;
  #highest: number;
  #unsavedProgress: Progress | null = null;
  #unsavedStatus: string | null = null;
  #closed = false;

  constructor(options: AttemptReporterOptions) {
    this.#highest = options.floor?.progress ?? Number.NEGATIVE_INFINITY;
    this.#throttle = new LatestThrottle(options.progressIntervalMs, options.publish);
    this.#statusChanged = options.statusChanged;
  }

  /** Passes on values that grow; drops the others, negative ones and what is not a number. */
  progress(done: number, total?: number, message?: string): void {
    if (this.#closed || !isAmount(done) || done <= this.#highest) return;
    this.#highest = done;
    const progress = {
      progress: done,
      total: isAmount(total) ? total : null,
      message: typeof message === 'string' ? messageText(message) : null,
    };
    this.#unsavedProgress = progress;
    this.#throttle.push(progress);
  }

  statusMessage(text: string): void {
    if (this.#closed || typeof text !== 'string') return;
    this.#unsavedStatus = messageText(text);
    this.#statusChanged();
  }

  unsaved(): UnsavedReport {
    return { progress: this.#unsavedProgress, statusMessage: this.#unsavedStatus };
  }

  /** Notes what has been written, unless something newer came meanwhile. */
  saved(report: UnsavedReport): void {
    if (this.#unsavedProgress === report.progress) this.#unsavedProgress = null;
    if (this.#unsavedStatus === report.statusMessage) this.#unsavedStatus = null;
  }

  /** Hears nothing more, and sends what waits to the listeners. */
  finish(): void {
    this.#closed = true;
    this.#throttle.flush();
    this.#throttle.close();
  }

  /** Hears nothing more, and sends nothing more. */
  discard(): void {
    this.#closed = true;
    this.#throttle.close();
  }
}

/** Text for a status or progress message: well-formed and of bounded length. */
export function messageText(text: string): string {
  return clipText(wellFormed(text), MESSAGE_LIMIT);
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
