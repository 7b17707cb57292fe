import { describe, expect, it } from '@jest/globals';
import { ChunkSizer } from '../../src/batch/chunk-sizer.ts';
import { derivedId } from '../../src/batch/derived-id.ts';
import { ItemReader } from '../../src/batch/item-reader.ts';

/** A quota that nothing here reaches. */
const MANY = 1_000;

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

describe('ItemReader', () => {
  it('takes no more than it is asked for', async () => {
    let read = 0;
    const source = function* (): Generator<number> {
      for (;;) yield read++;
    };
    const reader = new ItemReader(source(), MANY);
    expect(await reader.take(3)).toEqual({
      items: ['0', '1', '2'],
      sourceIndexes: [],
      isLast: false,
    });
    expect(read).toBe(3);
  });

  it('says with the last items, or none, that there are no more', async () => {
    const reader = new ItemReader(range(3), MANY);
    expect((await reader.take(3)).isLast).toBe(false);
    expect(await reader.take(3)).toEqual({ items: [], sourceIndexes: [], isLast: true });
    expect(await new ItemReader(range(3), MANY).take(5)).toEqual({
      items: ['0', '1', '2'],
      sourceIndexes: [],
      isLast: true,
    });
  });

  it('does not let items wait for a source that is slow, and loses none', async () => {
    const gates: (() => void)[] = [];
    const source = async function* (): AsyncGenerator<number> {
      yield 0;
      await new Promise<void>((resolve) => gates.push(resolve));
      yield 1;
    };
    const reader = new ItemReader(source(), MANY);
    expect(await reader.take(10)).toEqual({ items: ['0'], sourceIndexes: [], isLast: false });
    gates[0]?.();
    expect(await reader.take(10)).toEqual({ items: ['1'], sourceIndexes: [], isLast: true });
  });

  it('passes over what an earlier attempt has stored, and notices when there is less', async () => {
    const reader = new ItemReader(range(5), MANY);
    await reader.skip(4);
    expect(await reader.take(9)).toEqual({ items: ['4'], sourceIndexes: [], isLast: true });
    await expect(new ItemReader(range(3), MANY).skip(4)).rejects.toThrow(
      'the items of the batch end after 3, an earlier attempt had 4',
    );
  });

  it.each([
    ['throws', () => new Error('dry'), 'reading item 2 of the batch failed: dry'],
    ['throws something else', () => 'dry', 'reading item 2 of the batch failed: dry'],
  ])('names the place when the source %s', async (_what, error, message) => {
    const source = function* (): Generator<number> {
      yield* [0, 1];
      throw error();
    };
    await expect(new ItemReader(source(), MANY).take(9)).rejects.toThrow(message);
  });

  it.each([
    ['a BigInt', 1n, 'item 1 of the batch can not be stored'],
    ['undefined', undefined, 'item 1 of the batch can not be stored'],
    ['too large', 'x'.repeat(1_048_577), 'item 1 of the batch is too large: 1048579 characters'],
  ])('refuses an item that is %s', async (_what, item, message) => {
    await expect(new ItemReader([0, item], MANY).take(9)).rejects.toThrow(message);
  });

  it('names the place of an item that throws when it is made JSON', async () => {
    const hostile = {
      toJSON: () => {
        throw new RangeError('no form');
      },
    };
    await expect(new ItemReader([0, 1, hostile], MANY).take(9)).rejects.toThrow(
      'item 2 of the batch can not be stored: no form',
    );
  });

  it('takes as many items as the quota allows and not one more, and ends the source', async () => {
    const through = new ItemReader(range(3), 3);
    expect((await through.take(3)).items).toEqual(['0', '1', '2']);
    expect(await through.take(3)).toEqual({ items: [], sourceIndexes: [], isLast: true });
    const over = new ItemReader(range(4), 3);
    await over.take(3);
    const error: unknown = await over.take(1).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'ToolError', code: 'TOO_MANY_ITEMS' });
    expect(String(error)).toContain('the batch has more than 3 items (MAX_BATCH_ITEMS)');
  });

  it('goes on with what was stored under a higher quota, and takes nothing more', async () => {
    const reader = new ItemReader(range(9), 3);
    await reader.skip(5);
    await expect(reader.take(1)).rejects.toThrow('more than 3 items');
    const all = new ItemReader(range(5), 3);
    await all.skip(5);
    expect(await all.take(1)).toEqual({ items: [], sourceIndexes: [], isLast: true });
  });

  it('ends a chunk of large items early', async () => {
    const { items } = await new ItemReader(
      range(20).map(() => 'x'.repeat(100_000)),
      MANY,
    ).take(20);
    expect(items.length).toBe(6);
  });

  it('lets the source clean up, once', async () => {
    let cleaned = 0;
    const source = function* (): Generator<number> {
      try {
        for (;;) yield 1;
      } finally {
        cleaned += 1;
      }
    };
    const reader = new ItemReader(source(), MANY);
    await reader.take(2);
    await reader.close();
    await reader.close();
    expect(cleaned).toBe(1);
  });
});

describe('ChunkSizer', () => {
  it('starts small, grows with what it measures, and shrinks towards the end', () => {
    const sizer = new ChunkSizer({ fixed: null, total: 100_000 });
    expect(sizer.next(0)).toBe(16);
    sizer.measured(16, 1.6, 100);
    expect(sizer.next(16)).toBe(256);
    sizer.measured(256, 25.6, 1_000);
    expect(sizer.next(272)).toBe(4_096);
    expect(sizer.next(96_000)).toBe(500);
  });

  it('gives slow items small chunks, and a few items chunks of one', () => {
    const sizer = new ChunkSizer({ fixed: null, total: 100_000 });
    sizer.measured(16, 16 * 400, 100);
    expect(sizer.next(16)).toBe(2);
    expect(new ChunkSizer({ fixed: null, total: 20 }).next(0)).toBe(1);
    expect(new ChunkSizer({ fixed: null, total: null }).next(0)).toBe(4);
  });

  it('keeps what comes out of a chunk small, and what the author says', () => {
    const sizer = new ChunkSizer({ fixed: null, total: null });
    sizer.measured(4, 0.1, 4 * 1024 * 1024);
    expect(sizer.next(4)).toBe(4);
    expect(new ChunkSizer({ fixed: 7, total: 3 }).next(0)).toBe(7);
  });
});

it('makes the same UUID of the same parts, and another of others', () => {
  const id = derivedId('batch', 'task', 'key');
  expect(id).toBe(derivedId('batch', 'task', 'key'));
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(id).not.toBe(derivedId('batch', 'task', 'key2'));
  expect(derivedId('a', 'bc')).not.toBe(derivedId('ab', 'c'));
});
