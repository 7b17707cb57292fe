import { describe, expect, it } from '@jest/globals';
import { waitFor } from '@longshore/testing';
import { MergedAdds } from '../src/jobs/merged-adds.ts';

const UNAVAILABLE = { code: 'QUEUE_UNAVAILABLE' };

describe('merged adds', () => {
  it('sends the calls of one turn in one command, each id once', async () => {
    const sent: (readonly string[])[] = [];
    const adds = new MergedAdds(async (ids) => void sent.push(ids), 1_000);
    await Promise.all([adds.add(['a']), adds.add(['b', 'a']), adds.add(['c'])]);
    expect(sent).toEqual([['a', 'b', 'c']]);
  });

  it('has two commands under way at most and merges what comes meanwhile', async () => {
    const sent: (readonly string[])[] = [];
    const release: (() => void)[] = [];
    const adds = new MergedAdds((ids) => {
      sent.push(ids);
      return new Promise((resolve) => release.push(resolve));
    }, 1_000);
    const calls: Promise<void>[] = [];
    for (const id of ['1', '2', '3', '4', '5']) {
      calls.push(adds.add([id]));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(sent).toEqual([['1'], ['2']]);
    release.shift()?.();
    await waitFor(() => sent.length === 3, { what: 'the third command' });
    expect(sent[2]).toEqual(['3', '4', '5']);
    for (const resolve of release) resolve();
    await Promise.all(calls);
  });

  it('splits large calls and keeps commands bounded', async () => {
    const sizes: number[] = [];
    const adds = new MergedAdds(async (ids) => void sizes.push(ids.length), 1_000);
    const ids = Array.from({ length: 1_100 }, (_, at) => String(at));
    await Promise.all([adds.add(ids), adds.add(['x'])]);
    expect(sizes).toEqual([500, 500, 101]);
  });

  it('tells everybody at once when a command fails, and goes on', async () => {
    let isBroken = true;
    const adds = new MergedAdds(async () => {
      if (isBroken) throw new Error('planted');
    }, 1_000);
    const ids = Array.from({ length: 700 }, (_, at) => String(at));
    const failed = [adds.add(ids), adds.add(['a'])];
    for (const call of failed) await expect(call).rejects.toMatchObject(UNAVAILABLE);
    isBroken = false;
    await expect(adds.add(['b'])).resolves.toBeUndefined();
  });

  it('waits for no answer longer than allowed, however many wait', async () => {
    const adds = new MergedAdds(() => new Promise(() => {}), 50);
    const calls = Array.from({ length: 3_000 }, (_, at) => adds.add([String(at)]));
    const outcomes = await Promise.allSettled(calls);
    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
  });

  it('refuses more when too many wait', async () => {
    const adds = new MergedAdds(() => new Promise(() => {}), 200);
    const ids = Array.from({ length: 20_000 }, (_, at) => String(at));
    const first = adds.add(ids);
    await expect(adds.add(['one too many'])).rejects.toMatchObject(UNAVAILABLE);
    await expect(first).rejects.toMatchObject(UNAVAILABLE);
  });
});
