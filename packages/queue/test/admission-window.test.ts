import { beforeEach, describe, expect, it } from '@jest/globals';
import type { QueueLoad } from '@longshore/core';
import { AdmissionWindow } from '../src/maintenance/admission-window.ts';

describe('admission window', () => {
  let now: number;
  let loads: ((load: QueueLoad) => void)[];
  let seats: number;
  let depth: number;
  let questions: { resolve: (count: number) => void; reject: (error: Error) => void }[];
  let window: AdmissionWindow;

  beforeEach(() => {
    now = 1_000_000;
    questions = [];
    loads = [];
    [seats, depth] = [1, 10];
    window = new AdmissionWindow({
      jobs: {
        waitingCount: () =>
          new Promise((resolve, reject) => {
            questions.push({ resolve, reject });
          }),
      },
      store: {
        queueLoad: () => new Promise((resolve) => loads.push(resolve)),
      },
      depthOf: () => depth,
      windowJobs: 1_000,
      clock: { now: () => now },
    });
  });

  const answer = async (count: number, inQueue = count): Promise<void> => {
    questions.at(-1)?.resolve(inQueue);
    loads.at(-1)?.({ waiting: count, seats });
    await new Promise((resolve) => setImmediate(resolve));
  };

  const know = async (count: number): Promise<void> => {
    window.hasRoom('work');
    await answer(count);
  };

  it('has no room while the count is unknown', async () => {
    expect(window.hasRoom('work')).toBe(false);
    await answer(0);
    expect(window.hasRoom('work')).toBe(true);
  });

  it('counts what was added here since the last answer', async () => {
    await know(7);
    for (let added = 0; added < 3; added += 1) {
      expect(window.hasRoom('work')).toBe(true);
      window.admitted('work');
    }
    expect(window.hasRoom('work')).toBe(false);
  });

  it('counts what was added while it asked', async () => {
    await know(0);
    window.admitted('work');
    now += 51;
    window.hasRoom('work');
    window.admitted('work');
    await answer(9);
    expect(window.hasRoom('work')).toBe(false);
  });

  it('asks again only after a while, and only when somebody looks', async () => {
    await know(0);
    now += 50;
    window.hasRoom('work');
    expect(questions).toHaveLength(1);
    now += 1;
    expect(questions).toHaveLength(1);
    expect(window.hasRoom('work')).toBe(true);
    window.hasRoom('work');
    expect(questions).toHaveLength(2);
  });

  it('has no room when the queue fails or is silent', async () => {
    await know(0);
    now += 51;
    window.hasRoom('work');
    questions[1]?.reject(new Error('planted'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(window.hasRoom('work')).toBe(false);

    now += 51;
    await know(0);
    expect(window.hasRoom('work')).toBe(true);
    now += 51;
    expect(window.hasRoom('work')).toBe(true);
    now += 1_001;
    expect(window.hasRoom('work')).toBe(false);
  });

  it('keeps queues apart', async () => {
    await know(10);
    window.hasRoom('other');
    await answer(0);
    expect([window.hasRoom('work'), window.hasRoom('other')]).toEqual([false, true]);
  });

  it('is no deeper than the relay says, and no shallower than there are seats', async () => {
    await know(7);
    depth = 7;
    expect(window.hasRoom('work')).toBe(false);
    seats = 8;
    now += 51;
    await know(7);
    expect(window.hasRoom('work')).toBe(true);
  });

  it('does not count delayed retries, unless they fill the window', async () => {
    window.hasRoom('work');
    await answer(0, 999);
    expect(window.hasRoom('work')).toBe(true);
    now += 51;
    window.hasRoom('work');
    await answer(0, 1_000);
    expect(window.hasRoom('work')).toBe(false);
  });
});
