import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { silentLogger, type ToolRate } from '@longshore/core';
import { waitFor } from '@longshore/testing';
import { StartWaits } from '../../src/requests/start-waits.ts';

const RATE: ToolRate = { starts: 3, perMs: 60_000 };
const never = new AbortController().signal;

function waitsOver(take: () => Promise<number>): { waits: StartWaits; warned: string[] } {
  const warned: string[] = [];
  const log = { ...silentLogger, warn: (_fields: object, text: string) => void warned.push(text) };
  return { waits: new StartWaits({ starts: { take }, log }), warned };
}

/** The message it failed with, when it did so without waiting for any timer. */
const endBeforeNextTurn = (waiting: Promise<void>): Promise<string> =>
  Promise.race([
    waiting.then(
      () => 'it starts',
      (error: Error) => error.message,
    ),
    setImmediate('it still waits'),
  ]);

describe('StartWaits', () => {
  it('asks again when the window has ended, until a start is taken', async () => {
    const answers = [5, 1, 0];
    let asked = 0;
    const { waits } = waitsOver(async () => {
      asked += 1;
      return answers.shift() ?? 0;
    });
    await waits.next('tool', RATE, never);
    expect(asked).toBe(3);
  });

  it('ends with the reason of the signal while it waits for the window to end', async () => {
    const controller = new AbortController();
    let asked = 0;
    const { waits } = waitsOver(async () => {
      asked += 1;
      return 50_000;
    });
    const waiting = waits.next('tool', RATE, controller.signal);
    await waitFor(() => asked === 1, { what: 'it has asked' });
    await setImmediate();
    controller.abort(new Error('cancelled'));
    expect(await endBeforeNextTurn(waiting)).toBe('cancelled');
    expect(asked).toBe(1);
  });

  it('ends with the reason of the signal while the counts do not answer', async () => {
    const controller = new AbortController();
    const { waits } = waitsOver(() => new Promise(() => {}));
    const waiting = waits.next('tool', RATE, controller.signal);
    await setImmediate();
    controller.abort(new Error('cancelled'));
    expect(await endBeforeNextTurn(waiting)).toBe('cancelled');
  });

  it('starts nothing while the counts are away, and says so once', async () => {
    let asked = 0;
    const { waits, warned } = waitsOver(async () => {
      asked += 1;
      if (asked < 4) throw new Error('away');
      return 0;
    });
    await waits.next('tool', RATE, never);
    expect(asked).toBe(4);
    expect(warned).toEqual(['starts of tools can not be counted: their runs wait']);
  });
});
