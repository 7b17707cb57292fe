import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { defineTool, z } from '@longshore/plugin';
import { MAX_FILE_BYTES, MAX_PRINCIPAL_FILE_BYTES } from '../bench/test-files.ts';
import { WorkerBench } from '../bench/worker-bench.ts';

const saves = defineTool({
  name: 'saves',
  description: 'Saves a file.',
  input: z.object({ name: z.string(), bytes: z.int() }),
  run: async ({ name, bytes }, ctx) => {
    await ctx.file(name, { mimeType: 'text/plain' }).save('x'.repeat(bytes));
    return 'saved';
  },
});

let bench: WorkerBench;

beforeAll(async () => {
  bench = await WorkerBench.open('postgres');
  await bench.startWorker([saves]);
});
afterAll(() => bench.close());

it('takes as much of a principal as it may have, and as much of the next one', async () => {
  const bytes = MAX_FILE_BYTES - 1;
  const save = async (name: string, session = bench.session): Promise<string> =>
    bench.text(await bench.submit('saves', { name, bytes }, { session }));
  expect(await save('first')).toBe('saved');
  expect(await save('second')).toBe('saved');
  expect(await save('third')).toBe(
    `third has no room: all files of yours may take ${MAX_PRINCIPAL_FILE_BYTES} bytes, and go when their tasks expire`,
  );
  expect(await save('third', await bench.otherSession())).toBe('saved');
});
