import { expect, it } from '@jest/globals';
import { eachLimited } from '@longshore/plugin';

const soon = () => new Promise(setImmediate);

it('works on so many items at once, and on all', async () => {
  let running = 0;
  let most = 0;
  const done: number[] = [];
  const { signal } = new AbortController();
  await eachLimited([...Array(20).keys()], { concurrency: 3, signal }, async (item) => {
    running += 1;
    most = Math.max(most, running);
    await soon();
    running -= 1;
    done.push(item);
  });
  expect(most).toBe(3);
  expect(done).toEqual([...Array(20).keys()]);
});

it('begins nothing after an error, and rejects when what had begun has ended', async () => {
  const begun: number[] = [];
  let ended = 0;
  const { signal } = new AbortController();
  const run = eachLimited([...Array(20).keys()], { concurrency: 2, signal }, async (item) => {
    begun.push(item);
    await soon();
    if (item === 1) throw new Error('broken');
    await soon();
    ended += 1;
  });
  await expect(run).rejects.toThrow('broken');
  expect(begun).toEqual([0, 1]);
  expect(ended).toBe(1);
});

it('stops when the signal fires', async () => {
  const controller = new AbortController();
  const begun: number[] = [];
  const run = eachLimited(
    [1, 2, 3],
    { concurrency: 1, signal: controller.signal },
    async (item) => {
      begun.push(item);
      controller.abort(new Error('enough'));
    },
  );
  await expect(run).rejects.toThrow('enough');
  expect(begun).toEqual([1]);
});
