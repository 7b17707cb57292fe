import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@longshore/testing';
import { ModernClient, WireClient } from '@longshore/testing/mcp';
import { createKey } from './support/api-keys.ts';
import { type Stack, startStack } from './support/stack.ts';

const TOOLS = path.join(import.meta.dirname, 'fixtures', 'batch-tools.js');
const PAGE = 'dev.longshore/page';
const INLINE_BYTES = 8_192;

interface Entry {
  readonly index: number;
  readonly ok: boolean;
}

/** Items of batches: by pages in both eras, as files, and once more. Two APIs and a worker. */
describe('items of a task', () => {
  let stack: Stack;
  let dir: string;
  let authorization: string;
  let modern: ModernClient;
  let legacy: WireClient;

  beforeAll(async () => {
    dir = mkdtempSync(path.join(tmpdir(), 'longshore-items-'));
    writeFileSync(path.join(dir, 'runs'), '');
    stack = await startStack({
      mode: 'postgres',
      apis: 2,
      environment: {
        AUTH: 'api-key',
        PLUGINS: TOOLS,
        RUNS: path.join(dir, 'runs'),
        RESULT_INLINE_BYTES: String(INLINE_BYTES),
      },
    });
    authorization = `Bearer ${(await createKey(stack, { principal: 'ada' })).key}`;
    modern = new ModernClient(stack.urls).withTasks({}).withAuthorization(authorization);
    for (const replica of stack.urls.keys()) {
      await waitFor(
        async () =>
          JSON.stringify(await modern.result('tools/list', {}, { replica })).includes('squares'),
        { what: 'the catalogue is there' },
      );
    }
    legacy = new WireClient(...stack.urls).withAuthorization(authorization);
    await legacy.initialize();
  });
  afterAll(async () => {
    await stack.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  const ended = (taskId: string, client = modern) =>
    waitFor(
      async () => {
        const task = await client.result('tasks/get', { taskId });
        return task['status'] === 'working' ? undefined : task;
      },
      { what: 'the task has ended', timeoutMs: 60_000 },
    );
  /** Every third item fails, for it does not fit the tool. */
  const items = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ n: n % 3 === 2 ? 1_000_000 + n : n }));
  const batchOf = async (count: number, client = modern): Promise<string> => {
    const args = { tool: 'square_one', items: items(count), result_mode: 'all' };
    const taskId = await client.startTask('batch', args);
    await ended(taskId, client);
    return taskId;
  };
  const readPage = async (client: ModernClient | WireClient, uri: string) => {
    const { contents } = await client.result('resources/read', { uri });
    const [content] = contents as { text: string; _meta: Record<string, unknown> }[];
    if (content === undefined) throw new Error('no content');
    expect(Buffer.byteLength(content.text)).toBeLessThanOrEqual(INLINE_BYTES);
    const meta = content._meta[PAGE] as { next?: string; count: number; complete: boolean };
    return { entries: JSON.parse(content.text) as Entry[], meta };
  };
  const readAll = async (client: ModernClient | WireClient, uri: string): Promise<Entry[]> => {
    const entries: Entry[] = [];
    for (let next: string | undefined = uri; next !== undefined; ) {
      const page = await readPage(client, next);
      entries.push(...page.entries);
      next = page.meta.next;
    }
    return entries;
  };
  const download = (place: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(new URL(`/tasks/${place}`, stack.urls[1]), {
      method,
      headers: { authorization, ...headers },
    });

  describe('that has ended', () => {
    const count = 600;
    let taskId: string;
    beforeAll(async () => {
      taskId = await batchOf(count);
    });
    const indexes = (status: string): number[] =>
      Array.from({ length: count }, (_, n) => n).filter(
        (n) => status === 'all' || (n % 3 === 2) === (status === 'failed'),
      );

    it.each(['all', 'done', 'failed'])('are read by pages in both eras: %s', async (status) => {
      for (const client of [modern, legacy]) {
        const entries = await readAll(client, `longshore://tasks/${taskId}/items?status=${status}`);
        expect(entries.map(({ index }) => index)).toEqual(indexes(status));
        expect(entries.every(({ index, ok }) => ok === (index % 3 !== 2))).toBe(true);
      }
    });

    it('are in words of the result of batch, and complete', async () => {
      const { entries, meta } = await readPage(legacy, `longshore://tasks/${taskId}/items`);
      expect(entries.slice(1, 3)).toEqual([
        { index: 1, ok: true, value: { square: 1 }, attempts: 1 },
        {
          index: 2,
          ok: false,
          error: { code: 'INVALID_ARGUMENTS', message: expect.any(String) },
          attempts: 1,
        },
      ]);
      expect(meta).toMatchObject({ complete: true, next: expect.stringContaining('cursor=') });
    });

    it('are refused for a status or a cursor there is not', async () => {
      const uri = `longshore://tasks/${taskId}/items`;
      for (const query of ['?status=open', '?cursor=abc']) {
        expect(await legacy.error('resources/read', { uri: uri + query })).toMatchObject({
          code: -32602,
        });
      }
      expect((await download(`${taskId}/items.csv?status=open`)).status).toBe(400);
      for (const place of [`${taskId}/items.csv?key=none`, `${taskId}/items.txt`]) {
        expect((await download(place)).status).toBe(404);
      }
    });

    it('are downloaded as NDJSON and as CSV', async () => {
      const response = await download(`${taskId}/items.ndjson?status=failed`);
      expect(response.status).toBe(200);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': 'application/x-ndjson; charset=utf-8',
        'content-disposition': expect.stringContaining('filename="items.ndjson"'),
        'accept-ranges': 'bytes',
        etag: expect.stringMatching(/^"[A-Za-z0-9_-]{43}"$/),
      });
      const lines = (await response.text()).trimEnd().split('\n');
      expect(lines.map((line) => (JSON.parse(line) as Entry).index)).toEqual(indexes('failed'));
      const csv = await (await download(`${taskId}/items.csv`)).text();
      const [header, first] = csv.split('\n');
      expect(header).toBe('index,ok,attempts,error_code,error_message,value');
      expect(first).toBe('0,true,1,,,"{""square"":0}"');
    });

    it('are downloaded in ranges, and go on where a connection broke', async () => {
      const place = `${taskId}/items.csv`;
      const head = await download(place, {}, 'HEAD');
      const whole = Buffer.from(await (await download(place)).arrayBuffer());
      expect(head.headers.get('content-length')).toBe(String(whole.length));
      const etag = head.headers.get('etag') ?? '';
      for (const [range, from, to] of [
        ['bytes=0-99', 0, 100],
        ['bytes=5000-', 5_000, whole.length],
        ['bytes=-7', whole.length - 7, whole.length],
      ] as const) {
        const part = await download(place, { range, 'if-range': etag });
        expect(part.status).toBe(206);
        expect(part.headers.get('content-range')).toBe(`bytes ${from}-${to - 1}/${whole.length}`);
        expect(Buffer.from(await part.arrayBuffer()).equals(whole.subarray(from, to))).toBe(true);
      }
      expect((await download(place, { range: `bytes=${whole.length}-` })).status).toBe(416);
      expect((await download(place, { 'if-none-match': etag })).status).toBe(304);
    });
  });

  describe('are told to models by job_result', () => {
    interface Told {
      readonly content: readonly { readonly text: string }[];
      readonly structuredContent?: Record<string, unknown>;
      readonly isError?: boolean;
    }
    const told = async (
      jobId: string,
      more: object = {},
      client: typeof legacy | typeof modern = legacy,
    ) => {
      const args = { task_id: jobId, ...more };
      const call = { name: 'job_result', arguments: args };
      return (await client.result('tools/call', call)) as unknown as Told;
    };
    const listed = async (jobId: string, mode: string): Promise<Entry[]> => {
      const entries: Entry[] = [];
      for (let more = {}; ; ) {
        const { content, structuredContent } = await told(jobId, { mode, ...more });
        const [head, lines] = content;
        const page = (lines?.text ?? '').split('\n').map((line) => JSON.parse(line) as Entry);
        entries.push(...page);
        const cursor = structuredContent?.['next_cursor'];
        if (cursor === undefined) return entries;
        expect(head?.text).toContain(`This page has ${page.length} of `);
        expect(head?.text).toContain(`"mode":"${mode}","cursor":"${String(cursor)}"} for the next`);
        more = { cursor };
      }
    };
    let taskId: string;
    beforeAll(async () => {
      taskId = await batchOf(600);
    });

    it('in counts, with the reasons and what to do about them', async () => {
      for (const client of [legacy, modern]) {
        const { content, structuredContent } = await told(taskId, { mode: 'summary' }, client);
        const text = content.map((block) => block.text).join('\n');
        expect(text).toContain(`Job ${taskId} (batch) is completed`);
        expect(text).toContain('600 items: 400 done, 200 failed.');
        expect(text).toMatch(/INVALID_ARGUMENTS: .* \(200 items, 2, 5, 8, 11, 14, …\)/);
        expect(text).toContain(`retry_failed {"task_id":"${taskId}"}`);
        expect(structuredContent).toMatchObject({
          job: { task_id: taskId },
          batches: [{ key: 'items', items: 600, done: 400, failed: 200, stopped: false }],
          reasons: [{ code: 'INVALID_ARGUMENTS', count: 200 }],
        });
      }
    });

    it.each([
      ['failures_only', 200],
      ['all', 600],
    ])('by pages: %s', async (mode, count) => {
      const entries = await listed(taskId, mode);
      const wanted = Array.from({ length: 600 }, (_, n) => n).filter(
        (n) => mode === 'all' || n % 3 === 2,
      );
      expect(entries).toHaveLength(count);
      expect(entries.map(({ index }) => index)).toEqual(wanted);
      expect(entries[mode === 'all' ? 2 : 0]).toEqual({
        index: 2,
        ok: false,
        error: { code: 'INVALID_ARGUMENTS', message: expect.any(String) },
        attempts: 1,
      });
    });

    it('while they run, and when the job was cancelled', async () => {
      const jobId = await modern.startTask('squares', { count: 100_000, ms: 5 });
      const [first] = await waitFor(
        async () => {
          const { content } = await told(jobId, { mode: 'failures_only' });
          return content[1]?.text.startsWith('{') === true ? content : null;
        },
        { what: 'some items have failed' },
      );
      expect(first?.text).toMatch(/failed items so far\. .*job_wait/);
      expect((await told(jobId, { mode: 'summary' })).content[0]?.text).toContain('not done yet');
      await modern.result('tasks/cancel', { taskId: jobId });
      const text = await waitFor(
        async () => {
          const { content } = await told(jobId, { mode: 'summary' });
          return content[0]?.text.includes('retry_failed') === true ? content[0].text : null;
        },
        { what: 'nothing of it changes any more' },
      );
      // The items are counted in one place: neither the state of the job nor its progress says another number.
      const says = `Cancelled. Its items: longshore://tasks/${jobId}/items`;
      expect(text).toMatch(/is cancelled.*\n\d+ items: \d+ done, \d+ failed, \d+ not run\./);
      const { structuredContent: summary } = await told(jobId, { mode: 'summary' });
      expect(summary?.['job']).toMatchObject({ status: 'cancelled', status_message: says });
      expect(summary?.['job']).not.toHaveProperty('progress');
      expect(await modern.result('tasks/get', { taskId: jobId })).toMatchObject({
        status: 'cancelled',
        statusMessage: says,
      });
    });

    it('and not of jobs without items, or by cursors of other jobs', async () => {
      const alone = await modern.startTask('square_one', { n: 3 });
      await ended(alone);
      const plain = await told(alone);
      for (const mode of ['summary', 'failures_only', 'all']) {
        const { content, ...rest } = await told(alone, { mode });
        const note = { type: 'text', text: 'This job has no items, so mode makes no difference.' };
        expect({ content, ...rest }).toEqual({ ...plain, content: [...plain.content, note] });
      }
      const other = await batchOf(600);
      const { structuredContent } = await told(other, { mode: 'all' });
      for (const cursor of ['x', structuredContent?.['next_cursor']]) {
        const refused = await told(taskId, { mode: 'all', cursor });
        expect([refused.isError, refused.content[0]?.text]).toEqual([
          true,
          'This cursor is of no page of this job: leave it out to start again.',
        ]);
      }
    });
  });

  it('that runs are what is there so far', async () => {
    const taskId = await modern.startTask('squares', { count: 100_000, ms: 5 });
    const uri = `longshore://tasks/${taskId}/items`;
    const first = await waitFor(
      async () => {
        const response = await modern.request('resources/read', { uri });
        return JSON.stringify(response).includes('\\"ok\\":true') ? readPage(legacy, uri) : null;
      },
      { what: 'some items are through' },
    );
    expect(first.meta.complete).toBe(false);
    expect(first.entries[0]).toEqual({ index: 0, ok: true, value: 0, attempts: 1 });
    const response = await download(`${taskId}/items.ndjson`, { range: 'bytes=0-1' });
    expect(response.status).toBe(200);
    for (const name of ['accept-ranges', 'etag', 'content-length']) {
      expect([name, response.headers.get(name)]).toEqual([name, null]);
    }
    const [line] = (await response.text()).split('\n');
    expect(JSON.parse(line ?? '')).toEqual(first.entries[0]);
    await modern.result('tasks/cancel', { taskId });
    await waitFor(async () => (await download(`${taskId}/items.ndjson`)).headers.get('etag'), {
      what: 'nothing of it changes any more',
    });
  });

  describe('are run again', () => {
    it('as a task of the same owner, in both eras', async () => {
      const first = await batchOf(30);
      const again = await ended(await modern.startTask('retry_failed', { task_id: first }));
      expect(again).toMatchObject({
        status: 'completed',
        result: {
          structuredContent: {
            retry_of: first,
            total: 10,
            failed: 10,
            results: expect.arrayContaining([expect.objectContaining({ index: 29, ok: false })]),
          },
        },
      });
      const result = await legacy.result('tools/call', {
        name: 'retry_failed',
        arguments: { task_id: first, result_mode: 'summary' },
      });
      expect(result).toMatchObject({ structuredContent: { retry_of: first, total: 10 } });
    });

    it('whole by job_retry, by credentials that may call its tools', async () => {
      const first = await batchOf(6);
      const retry = { name: 'job_retry', arguments: { task_id: first } };
      const limited = async (...scopes: string[]) => {
        const key = await createKey(stack, { principal: 'ada', scopes });
        return new ModernClient(stack.urls).withAuthorization(`Bearer ${key.key}`);
      };
      const writer = await limited('tasks:write', 'tools:batch');
      expect(await writer.error('tools/call', retry)).toMatchObject({
        message: expect.stringContaining('tools:square_one'),
      });
      const within = await limited('tasks:write', 'tools:batch', 'tools:square_one');
      const again = await within.result('tools/call', retry);
      const { job } = again['structuredContent'] as { job: { task_id: string } };
      expect(await ended(job.task_id)).toMatchObject({
        result: { structuredContent: { total: 6, done: 4, failed: 2 } },
      });
    });

    it('never for others, nor by credentials that may not call the tool inside', async () => {
      const mine = await batchOf(6);
      const limited = async (...scopes: string[]) => {
        const key = await createKey(stack, { principal: 'ada', scopes });
        return new ModernClient(stack.urls).withTasks({}).withAuthorization(`Bearer ${key.key}`);
      };
      const call = { name: 'retry_failed', arguments: { task_id: mine } };
      const without = await limited('tools:retry_failed', 'tasks:read');
      expect(await without.error('tools/call', call)).toMatchObject({
        message: expect.stringContaining('tools:square_one'),
      });
      const within = await limited('tools:retry_failed', 'tools:square_one', 'tasks:read');
      const again = await ended(await within.startTask('retry_failed', { task_id: mine }), within);
      expect(again).toMatchObject({ result: { structuredContent: { total: 2 } } });
      const open = await modern.startTask('squares', { count: 1_000, ms: 50 });
      const early = await within.result('tools/call', {
        name: 'retry_failed',
        arguments: { task_id: open },
      });
      expect(early).toMatchObject({
        isError: true,
        content: [{ text: `Task ${open} has not ended: wait for it first` }],
      });
      await modern.result('tasks/cancel', { taskId: open });
      const other = await createKey(stack, { principal: 'bob' });
      const bob = new ModernClient(stack.urls)
        .withTasks({})
        .withAuthorization(`Bearer ${other.key}`);
      const refused = await ended(await bob.startTask('retry_failed', { task_id: mine }), bob);
      expect(refused).toMatchObject({
        result: { isError: true, content: [{ text: expect.stringContaining('There is no task') }] },
      });
    });
  });
});
