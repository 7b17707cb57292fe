import { describe, expect, it } from '@jest/globals';
import type {
  BatchId,
  ItemOutcome,
  ItemRecords,
  ItemStatus,
  JsonObject,
  PrincipalId,
  ReadItem,
  TaskId,
} from '@longshore/core';
import { encodeItemCursor, PAGE_META } from '@longshore/protocol';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { itemLines, itemsHeader } from '../../src/contents/item-lines.ts';
import { parseItemsPath, parseItemsUri } from '../../src/contents/items-address.ts';
import { itemsDownload, type Measured } from '../../src/contents/items-download.ts';
import { readItemsPage } from '../../src/contents/read-task-resource.ts';
import { type ItemsSlice, TaskItems } from '../../src/contents/task-items.ts';
import { RecentMap } from '../../src/watch/recent-map.ts';

const ID = '0f0e0d0c-0b0a-4908-8706-050403020100';
const OTHER = '0f0e0d0c-0b0a-4908-8706-0504030201ff';
const OWNER = 'owner' as PrincipalId;
const URI = `longshore://tasks/${ID}/items`;

/** Batches of a task in memory, each an item per chunk. As many items come at once as fit, one at least. */
function records(
  batches: Readonly<Record<string, readonly ItemOutcome[]>>,
  { isSettled = true, most = 100 } = {},
): ItemRecords {
  const owned = Object.keys(batches).map((key, number) => ({
    id: `00000000-0000-4000-8000-00000000000${number}` as BatchId,
    key,
  }));
  const isWanted = (outcome: ItemOutcome, status: ItemStatus): boolean =>
    status === 'all' || (outcome.length === 4) === (status === 'failed');
  return {
    batches: async (taskId, owner, key, from) => {
      const wanted = owned.filter((batch) => key === null || batch.key === key);
      const first = from === null ? 0 : wanted.findIndex(({ id }) => id === from);
      if (taskId !== ID || owner !== OWNER || first < 0 || wanted.length === 0) return null;
      const areSeveral = key === null && owned.length > 1;
      return { isSettled, areSeveral, batches: wanted.slice(first, first + 2) };
    },
    items: async (_taskId, _owner, batchId, status, { position }, { bytes, overheadBytes }) => {
      const all = batches[owned.find(({ id }) => id === batchId)?.key ?? ''] ?? [];
      const items: ReadItem[] = [];
      let left = bytes;
      let index = position;
      for (; index < Math.min(all.length, position + most); index += 1) {
        const outcome = all[index];
        if (outcome === undefined || !isWanted(outcome, status)) continue;
        left -= JSON.stringify(outcome).length + overheadBytes;
        if (left < 0 && items.length > 0) break;
        items.push([index, outcome]);
      }
      return { items, next: index < all.length ? { position: index, offset: 0 } : null };
    },
    counts: () => Promise.reject(new Error('not expected')),
    batchTask: () => Promise.reject(new Error('not expected')),
    storedItems: () => Promise.reject(new Error('not expected')),
  };
}

const ok = (value: never | string | number | null | object): ItemOutcome => [0, 1, value as never];
const no = (message: string): ItemOutcome => [0, 2, null, { code: 'X', message }];

interface Read {
  readonly text: string;
  readonly entries: JsonObject[];
  readonly meta: { count: number; complete: boolean; next?: string };
}

async function readPage(from: ItemRecords, uri: string, maxBytes: number): Promise<Read> {
  const { contents } = await readItemsPage(new TaskItems(from), OWNER, uri, maxBytes);
  const [content] = contents as { text: string; _meta: { [PAGE_META]: Read['meta'] } }[];
  if (content === undefined) throw new Error('no content');
  const {
    text,
    _meta: { [PAGE_META]: meta },
  } = content;
  return { text, entries: JSON.parse(text), meta };
}

async function readAll(from: ItemRecords, uri: string, maxBytes: number): Promise<JsonObject[]> {
  const entries: JsonObject[] = [];
  for (let next: string | undefined = uri; next !== undefined; ) {
    const page: Read = await readPage(from, next, maxBytes);
    expect(Buffer.byteLength(page.text)).toBeLessThanOrEqual(maxBytes);
    expect(page.meta.count).toBe(page.entries.length);
    entries.push(...page.entries);
    next = page.meta.next;
  }
  return entries;
}

describe('the address of items', () => {
  it.each([
    [URI, { taskId: ID, status: 'all', key: null }],
    [`${URI}?status=failed&key=a%20b`, { taskId: ID, status: 'failed', key: 'a b' }],
  ])('%s says which are wanted', (uri, wanted) => {
    expect(parseItemsUri(uri)).toEqual({ wanted, from: null });
  });

  it.each([`${URI}.csv`, `${URI}/x`, `longshore://tasks/x/items`, `${URI}s`])(
    'is not %s',
    (uri) => {
      expect(parseItemsUri(uri)).toBeNull();
    },
  );

  it.each([
    ['?status=open', /status must be all, done, failed/],
    ['?status=', /status must be/],
    ['?cursor=x', /Invalid cursor/],
    ['?cursor=', /Invalid cursor/],
  ])('refuses %s', (query, message) => {
    expect(() => parseItemsUri(URI + query)).toThrow(message);
  });

  it('by HTTP names a format', () => {
    const params = new URLSearchParams('status=done');
    expect(parseItemsPath(`${ID}/items.csv`, params)).toEqual({
      wanted: { taskId: ID, status: 'done', key: null },
      format: 'csv',
    });
    for (const path of [`${ID}/items`, `${ID}/items.xlsx`, `x/items.csv`, `${ID}/items.csv/x`]) {
      expect(parseItemsPath(path, params)).toBeNull();
    }
  });
});

describe('a page of items', () => {
  const both = records({ items: [ok({ n: 1 }), no('broke'), ok(null)] });

  it('says what came of each, in the words of batch', async () => {
    expect(await readPage(both, URI, 4_096)).toMatchObject({
      entries: [
        { index: 0, ok: true, value: { n: 1 }, attempts: 1 },
        { index: 1, ok: false, error: { code: 'X', message: 'broke' }, attempts: 2 },
        { index: 2, ok: true, value: null, attempts: 1 },
      ],
      meta: { count: 3, complete: true },
    });
  });

  it('says that more may come', async () => {
    const running = records({ items: [ok(1)] }, { isSettled: false });
    expect((await readPage(running, URI, 4_096)).meta).toEqual({ count: 1, complete: false });
  });

  it('goes on with the next one to the end of all batches, each within its size', async () => {
    const outcome = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 3_000 }).map(ok),
      fc.string({ maxLength: 3_000 }).map(no),
      fc.integer().map(ok),
    );
    const batch = fc.array(outcome, { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(
        batch,
        batch,
        fc.constantFrom<ItemStatus>('all', 'done', 'failed'),
        fc.integer({ min: 1, max: 40 }),
        async (one, two, status, most) => {
          const made = records({ one, two }, { most });
          const uri = `${URI}?status=${status}`;
          const entries = await readAll(made, uri, 4_096);
          const expected = Object.entries({ one, two }).flatMap(([key, outcomes]) =>
            outcomes.flatMap(([, , , error], index) =>
              status === 'all' || (error === undefined) === (status === 'done')
                ? [[key, index, error === undefined]]
                : [],
            ),
          );
          expect(entries.map(({ batch: key, index, ok: isOk }) => [key, index, isOk])).toEqual(
            expected,
          );
          const keyed = await readAll(made, `${uri}&key=two`, 4_096);
          expect(keyed.map(({ index }) => index)).toEqual(
            expected.filter(([key]) => key === 'two').map(([, index]) => index),
          );
          expect(keyed.some((entry) => 'batch' in entry)).toBe(false);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('cuts what is too large for any page, and says so', async () => {
    for (const text of ['ä"😀'.repeat(3_000), '\u0001'.repeat(9_000)]) {
      const large = records({ items: [ok(1), ok({ text }), no(text), ok(2)] });
      const entries = await readAll(large, URI, 4_096);
      expect(entries.map(({ index, cut }) => [index, cut])).toEqual([
        [0, undefined],
        [1, true],
        [2, true],
        [3, undefined],
      ]);
      expect(String(entries[1]?.['value'])).toMatch(/^\{"text":.*…$/);
    }
  });

  it('leaves to the next one what does not fit any more', async () => {
    const large = 'x'.repeat(2_500);
    const made = records({ items: [ok(large), ok(large), ok(1)] }, { most: 1 });
    expect((await readPage(made, URI, 4_096)).entries.map(({ index }) => index)).toEqual([0]);
    expect(await readAll(made, URI, 4_096)).toHaveLength(3);
  });

  it('is sent before it is full where few are wanted', async () => {
    const sparse = records(
      { items: [...Array<ItemOutcome>(200).fill(ok(1)), no('x')] },
      { most: 1 },
    );
    const first = await readPage(sparse, `${URI}?status=failed`, 4_096);
    expect(first.entries).toEqual([]);
    expect(first.meta.next).toBeDefined();
    expect(await readAll(sparse, `${URI}?status=failed`, 4_096)).toHaveLength(1);
  });

  it.each([
    [`longshore://tasks/${OTHER}/items`, 'RESOURCE_NOT_FOUND'],
    [`${URI}?key=none`, 'RESOURCE_NOT_FOUND'],
    [
      `${URI}?cursor=${encodeItemCursor({ batchId: OTHER as BatchId, position: 0, offset: 0 })}`,
      'INVALID_CURSOR',
    ],
    [
      `longshore://tasks/${OTHER}/items?cursor=${encodeItemCursor({ batchId: OTHER as BatchId, position: 0, offset: 0 })}`,
      'RESOURCE_NOT_FOUND',
    ],
  ])('that is not there is refused: %s', async (uri, code) => {
    await expect(readPage(both, uri, 4_096)).rejects.toMatchObject({ code });
  });
});

const sliceOf = (outcomes: readonly ItemOutcome[], batchKey: string | null = null): ItemsSlice => ({
  items: outcomes.map((outcome, index): ReadItem => [index, outcome]),
  batchKey,
  from: { batchId: ID as BatchId, position: 0, offset: 0 },
  next: null,
  isSettled: true,
});

describe('items as CSV', () => {
  const rows = (outcomes: readonly ItemOutcome[], key: string | null = null) => {
    const slice = sliceOf(outcomes, key);
    return parse<Record<string, string>>(itemsHeader(slice, 'csv') + itemLines(slice, 'csv'), {
      columns: true,
    });
  };

  it('have a line each, values as JSON unless they are text', () => {
    expect(rows([ok('a "b", c\nd'), ok({ n: [1] }), ok(-5), ok(null), no('bad')])).toEqual([
      {
        index: '0',
        ok: 'true',
        attempts: '1',
        error_code: '',
        error_message: '',
        value: 'a "b", c\nd',
      },
      {
        index: '1',
        ok: 'true',
        attempts: '1',
        error_code: '',
        error_message: '',
        value: '{"n":[1]}',
      },
      { index: '2', ok: 'true', attempts: '1', error_code: '', error_message: '', value: '-5' },
      { index: '3', ok: 'true', attempts: '1', error_code: '', error_message: '', value: '' },
      { index: '4', ok: 'false', attempts: '2', error_code: 'X', error_message: 'bad', value: '' },
    ]);
    expect(rows([ok(true as never)], '=key')).toMatchObject([{ batch: "'=key", value: 'true' }]);
  });

  it.each(['=1+1', '+1', '-1+1', '@SUM(A1)', '\t=1', '\r=1'])('bring no formula: %j', (text) => {
    expect(rows([ok(text)])).toMatchObject([{ value: `'${text}` }]);
    expect(rows([no(text)])).toMatchObject([{ error_message: `'${text}` }]);
  });

  it('are read back as they were', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), (texts) => {
        const values = rows(texts.map(ok)).map(({ value }) => value);
        expect(values).toEqual(
          texts.map((text) => (/^[=+\-@\t\r＝＋－＠]/.test(text) ? `'${text}` : text)),
        );
      }),
    );
  });
});

describe('items as a file', () => {
  const outcomes = Array.from({ length: 40 }, (_, n) =>
    n % 3 === 0 ? no(`no ${n}`) : ok('ä'.repeat(n)),
  );
  const made = (isSettled: boolean) =>
    fileOf(records({ one: outcomes, two: outcomes }, { isSettled, most: 7 }), isSettled);
  const fileOf = (from: ItemRecords, isSettled: boolean) => {
    const measured = new RecentMap<string, Measured>(2);
    const items = new TaskItems(from);
    const wanted = { taskId: ID as TaskId, status: 'all', key: null } as const;
    const found = { isSettled, areSeveral: true, batches: [] };
    return itemsDownload({ items, found, wanted, owner: OWNER, format: 'csv', measured });
  };
  const collect = async (file: ReturnType<typeof made>, start: number, end: number) => {
    const parts: Uint8Array[] = [];
    for await (const part of file.read({ start, end }, new AbortController().signal))
      parts.push(part);
    return Buffer.concat(parts).toString('latin1');
  };

  it('are the same bytes in any parts', async () => {
    const file = made(true);
    const whole = await collect(file, 0, Number.POSITIVE_INFINITY);
    expect(whole.split('\n')[0]).toBe('batch,index,ok,attempts,error_code,error_message,value');
    expect(await file.measure(new AbortController().signal)).toBe(whole.length);
    for (const [start, end] of [
      [0, 1],
      [10, 11],
      [0, whole.length],
      [whole.length - 3, whole.length],
      [333, 999],
    ] as const) {
      expect(await collect(file, start, end)).toBe(whole.slice(start, end));
    }
  });

  it('are not read from the beginning for a part at the end, once they are measured', async () => {
    const large = Array.from({ length: 40 }, (_, n) => ok(String(n % 10).repeat(300_000)));
    const real = records({ items: large });
    let reads = 0;
    const counting: ItemRecords = {
      ...real,
      items: (...args) => {
        reads += 1;
        return real.items(...args);
      },
    };
    const file = fileOf(counting, true);
    const whole = await collect(file, 0, Number.POSITIVE_INFINITY);
    expect(await file.measure(new AbortController().signal)).toBe(whole.length);
    for (const start of [whole.length - 5, 8_000_000, 4_500_000, 4_200_000]) {
      reads = 0;
      expect(await collect(file, start, start + 5)).toBe(whole.slice(start, start + 5));
      // A slice has an item here, and between two marks there are fifteen.
      expect(reads).toBeLessThanOrEqual(16);
    }
  });

  it('have a version when they stay as they are', () => {
    expect(made(true).version).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(made(false).version).toBeNull();
  });

  it('are read no further when nobody wants them', async () => {
    const gone = new AbortController();
    const reading = made(true).read({ start: 0, end: 1e9 }, gone.signal)[Symbol.asyncIterator]();
    await reading.next();
    gone.abort(new Error('left'));
    await expect(reading.next()).rejects.toThrow('left');
  });
});
