import { expect, it } from '@jest/globals';
import type { IQueueBackend } from 'bullmq';
import { withFetchBackoff } from '../src/jobs/fetch-backoff.ts';

it('makes a failed fetch slow, and leaves a good one alone', async () => {
  let isBroken = true;
  const moveToActive = async (): Promise<unknown[]> => {
    if (isBroken) throw new Error('OOM');
    return [null, '', 0, 0];
  };
  const backend: unknown = { moveToActive };
  const fetch = withFetchBackoff(() => backend as IQueueBackend)('queue', { connection: {} });
  const before = performance.now();
  await expect(fetch.moveToActive('token')).rejects.toThrow('OOM');
  // A timer may come a little early.
  expect(performance.now() - before).toBeGreaterThan(480);
  isBroken = false;
  await expect(fetch.moveToActive('token')).resolves.toEqual([null, '', 0, 0]);
});
