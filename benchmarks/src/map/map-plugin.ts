import { writeFileSync } from 'node:fs';
import { defineItem, defineTool, z } from '@longshore/plugin';

/** Index of the first item that no worker has seen before, and the file that is told when it runs. */
const firstNew = Number(process.env['BENCH_FIRST_NEW'] ?? Number.POSITIVE_INFINITY);
const mark = process.env['BENCH_MARK'] ?? '';
let isMarked = false;

const noop = defineItem({
  name: 'noop',
  input: z.int(),
  run: (_n, { index }) => {
    if (index >= firstNew && !isMarked) {
      isMarked = true;
      writeFileSync(mark, String(Date.now()));
    }
    return null;
  },
});

/** Maps nothing over many numbers, and says how long its worker took. */
export const map = defineTool({
  name: 'map',
  description: 'For the benchmark.',
  input: z.object({ items: z.int() }),
  output: z.object({ done: z.int(), ms: z.number() }),
  items: [noop],
  task: { timeoutMs: 3_600_000 },
  async run({ items }, ctx) {
    const startedAt = performance.now();
    const numbers = function* (): Generator<number> {
      for (let n = 0; n < items; n += 1) yield n;
    };
    const batch = await ctx.map(numbers(), noop, { key: 'noop', resultMode: 'summary' });
    return { done: batch.summary().done, ms: performance.now() - startedAt };
  },
});
