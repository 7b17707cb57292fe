import { expect, it } from '@jest/globals';
import { waitFor } from '../src/index.ts';

it('resolves to the first truthy answer', async () => {
  const answers = [false, null, undefined, 7];
  await expect(waitFor(() => answers.shift(), { what: 'seven' })).resolves.toBe(7);
});

it('takes an error for "not yet"', async () => {
  let calls = 0;
  const flaky = async () => {
    calls += 1;
    if (calls < 3) throw new Error('not yet');
    return 'done';
  };
  await expect(waitFor(flaky, { what: 'it is done' })).resolves.toBe('done');
});

it('names what it waited for, and the last error', async () => {
  const failing = () => {
    throw new Error('no row');
  };
  await expect(waitFor(failing, { what: 'task 7 finished', timeoutMs: 30 })).rejects.toThrow(
    'waited 30 ms in vain: task 7 finished; last error: Error: no row',
  );
});

it('asks once more when the time is over, for the process may have been kept from asking', async () => {
  let isThere = false;
  setTimeout(() => {
    const until = performance.now() + 40;
    while (performance.now() < until);
    isThere = true;
  });
  await expect(waitFor(() => isThere, { what: 'it is there', timeoutMs: 30 })).resolves.toBe(true);
});
