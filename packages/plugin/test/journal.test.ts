import { describe, expect, it } from '@jest/globals';
import { type Checkpoint, Journal, type Json, z } from '@longshore/plugin';
import { recordedContext } from '@longshore/plugin/testing';

const Entry = z.object({ id: z.int(), text: z.string() });
type Entry = z.output<typeof Entry>;

const context = () => recordedContext({}, new AbortController().signal);

async function openedWith(checkpoint: Checkpoint): Promise<readonly Entry[]> {
  const found: Entry[] = [];
  await Journal.open(checkpoint, 'work', Entry, (entry) => found.push(entry));
  return found;
}

async function all(journal: Journal<Entry>): Promise<number[]> {
  const ids: number[] = [];
  for await (const { id } of journal.entries()) ids.push(id);
  return ids;
}

describe('a journal', () => {
  it('hands what one attempt added to the next, in order', async () => {
    const { ctx, recording } = context();
    const journal = await Journal.open(ctx.checkpoint, 'work', Entry, () => {});
    for (let id = 0; id < 20; id += 1) await journal.add({ id, text: 'a' });
    await journal.save();
    // The first at once, the others together.
    expect(recording.checkpoints.size).toBe(2);
    expect((await openedWith(ctx.checkpoint)).map(({ id }) => id)).toEqual([...Array(20).keys()]);
    expect(await all(journal)).toEqual([...Array(20).keys()]);
  });

  it('goes on behind what is there', async () => {
    const { ctx } = context();
    const first = await Journal.open(ctx.checkpoint, 'work', Entry, () => {});
    await first.add({ id: 1, text: '' });
    const second = await Journal.open(ctx.checkpoint, 'work', Entry, () => {});
    await second.add({ id: 2, text: '' });
    expect(await all(second)).toEqual([1, 2]);
  });

  it('saves each entry at once when it is told to', async () => {
    const { ctx, recording } = context();
    const journal = await Journal.open(ctx.checkpoint, 'work', Entry, () => {}, { everyMs: 0 });
    for (let id = 0; id < 3; id += 1) {
      await journal.add({ id, text: '' });
      expect(recording.checkpoints.size).toBe(id + 1);
    }
  });

  it('saves a group that has become long', async () => {
    const { ctx, recording } = context();
    const journal = await Journal.open(ctx.checkpoint, 'work', Entry, () => {});
    for (let id = 0; id < 7; id += 1) await journal.add({ id, text: 'x'.repeat(100_000) });
    expect([...recording.checkpoints.values()].map((group) => (group as Json[]).length)).toEqual([
      1, 3, 3,
    ]);
  });

  it('leaves no gap when entries come at the same time, and stops at the first save that fails', async () => {
    const saved = new Map<string, Json>();
    const checkpoint: Checkpoint = {
      get: async (key) => saved.get(key) ?? null,
      set: async (key, value) => {
        if (key === 'work/2') throw new Error('replaced');
        // Longer than it takes for the next entry to come.
        for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate);
        saved.set(key, value);
      },
    };
    const journal = await Journal.open(checkpoint, 'work', Entry, () => {}, { everyMs: 0 });
    const added: Promise<string>[] = [];
    for (let id = 0; id < 6; id += 1) {
      const adding = journal.add({ id, text: '' });
      added.push(
        adding.then(
          () => 'saved',
          () => 'refused',
        ),
      );
      await new Promise(setImmediate);
    }
    expect(new Set(await Promise.all(added))).toEqual(new Set(['saved', 'refused']));
    await expect(journal.save()).rejects.toThrow('replaced');
    await expect(journal.add({ id: 9, text: '' })).rejects.toThrow('replaced');
    const found = (await openedWith(checkpoint)).map(({ id }) => id);
    expect(found).toEqual([0, 1, 2, 3, 4, 5].slice(0, found.length));
    expect([...saved.keys()]).toEqual(['work/0', 'work/1']);
  });
});
