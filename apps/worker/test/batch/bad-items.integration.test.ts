import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@longshore/core';
import {
  defineItem,
  defineTool,
  type ItemFunction,
  type Items,
  type ToolContext,
  z,
} from '@longshore/plugin';
import pg from 'pg';
import { WorkerBench } from '../bench/worker-bench.ts';

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** What ran, in order. */
const ran: unknown[] = [];

/** Returns what no JSON can hold, when told so. */
function give(what: unknown): unknown {
  ran.push(what);
  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;
  const gives: Record<string, unknown> = {
    'a BigInt': 1n,
    'a cycle': cycle,
    'a function': () => 1,
    'a Map': new Map(),
    'NaN inside': { n: Number.NaN },
    'too much': 'x'.repeat(1_048_577),
    nothing: undefined,
  };
  return typeof what === 'string' && what in gives ? gives[what] : what;
}

const item = defineItem({ name: 'give', input: z.unknown(), run: give });

/** The two ways a batch runs. What an item is for the one is a function for the other. */
const WAYS: [string, ItemFunction<unknown, unknown>][] = [
  ['in chunks', item as never],
  ['in place', give],
];

/** Items of a batch that the worker takes. */
const QUOTA = 20;

type Run = (ctx: ToolContext) => Promise<JsonObject>;

/** What the tool does, by the number it is called with. */
const runs: Run[] = [];
const mapping = defineTool({
  name: 'mapping',
  description: 'For tests.',
  input: z.object({ run: z.int() }),
  output: z.looseObject({}),
  items: [item],
  task: { backoff: { baseMs: 1 } },
  run: async ({ run }, ctx) => (await runs[run]?.(ctx)) ?? {},
});
const inner = defineTool({
  name: 'inner',
  description: 'Maps itself.',
  input: z.object({ n: z.int() }),
  output: z.looseObject({}),
  run: async ({ n }, ctx) => ({ ...(await ctx.map(numbers(n), give)).summary() }),
});

let bench: WorkerBench;
let client: pg.Client;
beforeAll(async () => {
  bench = await WorkerBench.open('postgres');
  client = new pg.Client({ connectionString: bench.databaseUrl });
  await client.connect();
  await bench.startWorker([mapping, inner], { concurrency: 2, maxBatchItems: QUOTA });
});
afterAll(async () => {
  await client.end();
  await bench.close();
});
beforeEach(() => {
  ran.length = 0;
});

/** Runs a tool that does this. @returns its structured content, or its text */
async function outcomeOf(run: Run, maxAttempts = 1): Promise<unknown> {
  const args = { run: runs.push(run) - 1 };
  const id = await bench.submit('mapping', args, { maxAttempts });
  const { outcome } = await bench.outcome(id);
  if (outcome?.kind !== 'result') throw new Error(JSON.stringify(outcome));
  const { content, structuredContent } = outcome.result;
  return structuredContent ?? (content as unknown as { text: string }[])[0]?.text;
}

/** Items stored of each batch of the task that was made last. */
async function stored(): Promise<number[]> {
  const { rows } = await client.query<{ items: number }>(
    `SELECT b.items FROM batches AS b WHERE b.task_id = (
       SELECT id FROM tasks WHERE parent_task_id IS NULL ORDER BY created_at DESC LIMIT 1
     ) ORDER BY b.created_at`,
  );
  return rows.map(({ items }) => items);
}

describe.each(WAYS)('a map %s', (_way, what) => {
  /** All that came of it, and the counts. */
  const mapped = (items: Items<unknown>) => async (ctx: ToolContext) => {
    const batch = await ctx.map(items, what, { chunk: 5 });
    const results: unknown[] = [];
    for await (const one of batch) results.push(one.ok ? one.value : one.error.code);
    return { ...batch.summary(), results } as never;
  };
  const counts = { failed: 0, skipped: 0, stopped: false };

  it('of nothing ends at once', async () => {
    expect(await outcomeOf(mapped([]))).toEqual({ ...counts, total: 0, done: 0, results: [] });
    expect(ran).toEqual([]);
  });

  it('of one item runs one', async () => {
    expect(await outcomeOf(mapped(new Set(['only'])))).toEqual({
      ...counts,
      total: 1,
      done: 1,
      results: ['only'],
    });
    expect(ran).toEqual(['only']);
  });

  it('runs an item as often as it is there', async () => {
    expect(await outcomeOf(mapped(['twin', 'twin', 'odd', 'twin']))).toEqual({
      ...counts,
      total: 4,
      done: 4,
      results: ['twin', 'twin', 'odd', 'twin'],
    });
    expect(ran.length).toBe(4);
  });

  it.each<[string, Items<unknown>]>([
    [
      'an iterator',
      (function* () {
        yield* numbers(12);
        throw new Error('the source dried up');
      })(),
    ],
    [
      'an async iterator',
      (async function* () {
        yield* numbers(12);
        await Promise.reject(new Error('the source dried up'));
      })(),
    ],
  ])('keeps what was stored when %s throws, and names the place', async (_kind, items) => {
    expect(await outcomeOf(mapped(items))).toBe(
      'reading item 12 of the batch failed: the source dried up',
    );
    expect(await stored()).toEqual([10]);
  });

  it('goes on in the next attempt where the source threw, and runs nothing twice', async () => {
    const run = async (ctx: ToolContext): Promise<JsonObject> => {
      const items = function* (): Generator<number> {
        yield* numbers(12);
        if (ctx.attempt === 1) throw new Error('not yet');
        yield* numbers(20).slice(12);
      };
      return mapped(items())(ctx);
    };
    expect(await outcomeOf(run, 2)).toMatchObject({
      total: 20,
      done: 20,
      results: numbers(20),
    });
    expect([...ran].sort((a, b) => Number(a) - Number(b))).toEqual(numbers(20));
  });

  const cycle: Record<string, unknown> = {};
  cycle['self'] = { back: cycle };
  const hostile = {
    get n() {
      throw new Error('not for you');
    },
  };
  it.each<[string, unknown, string]>([
    ['a BigInt', 1n, 'can not be stored: the value is a BigInt'],
    ['a BigInt inside', { a: [1n] }, 'can not be stored: a[0] is a BigInt'],
    ['a cycle', cycle, 'can not be stored: self.back refers to itself'],
    ['a function', () => 1, 'can not be stored: the value is a function'],
    ['undefined', undefined, 'can not be stored: the value is undefined'],
    ['a promise', Promise.resolve(1), 'can not be stored: the value is a value of type Promise'],
    ['one that throws', hostile, 'can not be stored: not for you'],
    [
      'too large',
      'x'.repeat(1_048_575),
      'is too large: 1048577 characters of JSON, 1048576 at most',
    ],
  ])('fails with the index of an item that is %s', async (_kind, bad, message) => {
    expect(await outcomeOf(mapped([...numbers(7), bad, 8]))).toContain(
      `item 7 of the batch ${message}`,
    );
    expect(await stored()).toEqual([5]);
  });

  it('takes an item of just the size', async () => {
    const large = 'x'.repeat(1_048_574);
    const outcome = await outcomeOf(async (ctx) => {
      const batch = await ctx.map([large], what, { resultMode: 'summary' });
      return { ...batch.summary() };
    });
    expect(outcome).toEqual({ ...counts, total: 1, done: 1 });
    expect(ran).toEqual([large]);
  });

  it('fails items whose results JSON can not hold, and no others', async () => {
    const items = ['a BigInt', 'a cycle', 'a function', 'a Map', 'NaN inside', 'too much', 'fine'];
    expect(await outcomeOf(mapped([...items, 'nothing']))).toEqual({
      ...counts,
      total: 8,
      done: 2,
      failed: 6,
      results: [...Array(5).fill('NOT_JSON'), 'RESULT_TOO_LARGE', 'fine', null],
    });
  });

  it('of more items than the quota stores nothing when it is known how many', async () => {
    expect(await outcomeOf(mapped(new Array(10_000_000).fill(0)), 3)).toBe(
      'the batch has 10000000 items, 20 at most (MAX_BATCH_ITEMS): make several of it',
    );
    expect(await stored()).toEqual([]);
    expect(ran).toEqual([]);
  });

  it('is stopped when it comes to the quota, with its source', async () => {
    let read = 0;
    let isEnded = false;
    const endless = function* (): Generator<number> {
      try {
        for (;;) yield read++;
      } finally {
        isEnded = true;
      }
    };
    expect(await outcomeOf(mapped(endless()), 3)).toBe(
      'the batch has more than 20 items (MAX_BATCH_ITEMS): make several of it',
    );
    expect([read, isEnded]).toEqual([QUOTA + 1, true]);
    expect(await stored()).toEqual([QUOTA]);
  });

  it('takes exactly the quota', async () => {
    expect(await outcomeOf(mapped(numbers(QUOTA).values()))).toMatchObject({ done: QUOTA });
  });

  it('does not give one batch the results of another of its name', async () => {
    const outcome = await outcomeOf(async (ctx) => {
      const said: string[] = [];
      const noted = async (map: PromiseLike<unknown>): Promise<void> => {
        const end = await Promise.resolve(map).then(
          () => 'fine',
          (error: unknown) => String(error),
        );
        said.push(end);
      };
      const first = ctx.map([1, 2], what, { key: 'same' });
      await noted(ctx.map([3], what, { key: 'same' }));
      await noted(first);
      await noted(ctx.map([4, 5, 6], what, { key: 'same' }));
      await noted(ctx.map([7], what));
      await noted(ctx.map([8], what, { key: 'map-4' }));
      return { said };
    });
    const twice = (key: string) =>
      `ToolError: two batches are named '${key}': give each a key of its own`;
    expect(outcome).toEqual({
      said: [twice('same'), 'fine', twice('same'), 'fine', twice('map-4')],
    });
    // The two items of the first run side by side.
    expect(ran.sort()).toEqual([1, 2, 7]);
  });

  it('may be tried again under its name when it has failed', async () => {
    const outcome = await outcomeOf(async (ctx) => {
      const items = (count: number): Items<unknown> =>
        (function* () {
          yield* numbers(count);
          if (count < 8) throw new Error('not yet');
        })();
      await ctx.map(items(7), what, { key: 'same', chunk: 5 }).catch(() => {});
      const batch = await ctx.map(items(8), what, { key: 'same', chunk: 5 });
      return { ...batch.summary() };
    });
    expect(outcome).toEqual({ ...counts, total: 8, done: 8 });
    expect([...ran].sort((a, b) => Number(a) - Number(b))).toEqual(numbers(8));
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['a number', 5],
    ['a text', 'abc'],
    ['an object', { length: 3 }],
  ])('of %s says what it takes', async (_kind, items) => {
    expect(await outcomeOf(mapped(items as never))).toBe(
      'ctx.map takes an array, an iterable or an async iterable of items',
    );
  });
});

it.each<[string, unknown, string]>([
  ['nothing', undefined, 'ctx.map takes a tool, the name of one, an item function'],
  ['no tool there is', 'nowhere', 'Unknown tool: nowhere'],
  [
    'an item the tool does not list',
    defineItem({ name: 'other', input: z.unknown(), run: give }),
    "tool 'mapping' does not list the item function 'other': write items: [other]",
  ],
])('a map with %s says so', async (_kind, what, message) => {
  const outcome = await outcomeOf(async (ctx) => {
    await ctx.map([1], what as never);
    return {};
  });
  expect(outcome).toContain(message);
  expect(await stored()).toEqual([]);
});

it('an item that maps over too many itself fails alone, with a code of its own', async () => {
  const outcome = await outcomeOf(async (ctx) => {
    const codes: unknown[] = [];
    for await (const one of ctx.map([{ n: QUOTA }, { n: QUOTA + 1 }], inner)) {
      codes.push(one.ok ? 'fine' : one.error.code);
    }
    return { codes: codes as never };
  });
  expect(outcome).toEqual({ codes: ['fine', 'TOO_MANY_ITEMS'] });
});
