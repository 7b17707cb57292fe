import { withDeadline } from '@longshore/core';
import type { Servers } from '../servers.ts';

/** Whatever takes longer will not come. */
const GIVE_UP_MS = 300_000;

/** Rejects when `work` takes longer than any step of a benchmark may. */
export const within = <T>(what: string, work: Promise<T>): Promise<T> =>
  withDeadline(work, GIVE_UP_MS, () => new Error(`${what}: not within ${GIVE_UP_MS} ms`));

/** A part of the benchmark: what it has to work with, and what of it is to be closed before the next. */
export class Part {
  readonly servers: Servers;
  /** Whether FastMCP can be measured. */
  readonly withPython: boolean;
  readonly #closings: (() => Promise<unknown>)[] = [];

  constructor(servers: Servers, withPython: boolean) {
    this.servers = servers;
    this.withPython = withPython;
  }

  /** Whatever happens, what it opened is closed, the latest first. */
  async run(measure: (part: this) => Promise<void>): Promise<void> {
    try {
      await measure(this);
    } finally {
      for (const close of this.#closings.splice(0).reverse()) await close();
    }
  }

  atEnd(close: () => Promise<unknown>): void {
    this.#closings.push(close);
  }

  /** Starts something that is stopped at the end. */
  async start<T extends { stop(): Promise<unknown> }>(starting: Promise<T>): Promise<T> {
    const started = await starting;
    this.atEnd(() => started.stop());
    return started;
  }
}
