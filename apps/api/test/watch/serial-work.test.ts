import { expect, it } from '@jest/globals';
import { silentLogger } from '@longshore/core';
import { SerialWork } from '../../src/watch/serial-work.ts';

it('does one piece after the other, also after one that failed', async () => {
  const warnings: unknown[] = [];
  const warn = (fields: object): void => {
    warnings.push(fields);
  };
  const work = new SerialWork({ ...silentLogger, warn });
  const done: number[] = [];
  let release = (): void => {};
  work.add(
    () =>
      new Promise<void>((resolve) => {
        release = () => {
          done.push(1);
          resolve();
        };
      }),
  );
  work.add(() => {
    throw new Error('no');
  });
  work.add(() => {
    done.push(3);
  });
  await Promise.resolve();
  expect(done).toEqual([]);
  release();
  await work.done();
  expect(done).toEqual([1, 3]);
  expect(warnings).toEqual([{ err: new Error('no') }]);
});

it('says when so much waits that hints should be dropped', async () => {
  const work = new SerialWork(silentLogger);
  for (let piece = 0; piece < 999; piece += 1) work.add(() => {});
  expect(work.isCrowded).toBe(false);
  work.add(() => {});
  expect(work.isCrowded).toBe(true);
  await work.done();
  await Promise.resolve();
  expect(work.isCrowded).toBe(false);
});
