import { afterAll, expect, it } from '@jest/globals';
import type { Service } from '@longshore/core';
import { describeService } from '../src/suites/index.ts';

let open = 0;

/** The smallest one that has something to leak. */
class Timer implements Service {
  #timer: NodeJS.Timeout | null = null;

  async start(): Promise<void> {
    if (this.#timer !== null) return;
    this.#timer = setInterval(() => {}, 60_000);
    open += 1;
  }

  async stop(): Promise<void> {
    if (this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
    open -= 1;
  }
}

describeService('a timer', () => new Timer());

it('counts what is open', async () => {
  const timer = new Timer();
  await timer.start();
  expect(open).toBe(1);
  await timer.stop();
});

afterAll(() => expect(open).toBe(0));
