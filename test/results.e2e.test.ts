import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeInMode, type Mode, waitFor } from '@longshore/testing';
import { ModernClient, WireClient } from '@longshore/testing/mcp';
import { connectClientV2 } from './support/client-v2.ts';
import { RESULT_TOOLS, type Stack, startStack } from './support/stack.ts';

const INLINE_BYTES = 8_192;
const MAX_FILE_BYTES = 300_000;
const PAGE = 'dev.longshore/page';

type Json = Record<string, unknown>;
interface Block extends Json {
  readonly type: string;
}
const blocksOf = (result: unknown): Block[] => (result as { content: Block[] }).content;
const linkTo = (result: unknown, name: string): string =>
  String(blocksOf(result).find((block) => block['name'] === name)?.['uri']);
const linesText = (count: number): string =>
  Array.from({ length: count }, (_, n) => `line ${n} äöü\n`).join('');

/** Two APIs and a worker, with the store of files in a directory that all three see. */
function results(mode: Mode): void {
  let stack: Stack;
  let dataDir: string;
  let client: WireClient;
  let modern: ModernClient;

  beforeAll(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'longshore-results-'));
    stack = await startStack({
      mode,
      apis: 2,
      workers: 1,
      environment: {
        PLUGINS: RESULT_TOOLS,
        DATA_DIR: dataDir,
        RESULT_INLINE_BYTES: String(INLINE_BYTES),
        MAX_FILE_BYTES: String(MAX_FILE_BYTES),
        MAX_RESULT_BYTES: '1000000',
      },
    });
    client = new WireClient(...stack.urls);
    await client.initialize();
    modern = new ModernClient(stack.urls).withTasks();
    for (const replica of [0, 1]) {
      await waitFor(
        async () =>
          JSON.stringify(await client.result('tools/list', {}, { replica })).includes('redo'),
        { what: 'the catalogue is there' },
      );
    }
  });
  afterAll(async () => {
    await stack.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  const call = (name: string, args: object, replica = 0) =>
    client.result('tools/call', { name, arguments: args }, { replica });
  const startTask = async (name: string, args: object): Promise<string> => {
    const { task } = (await client.result('tools/call', { name, arguments: args, task: {} })) as {
      task: { taskId: string };
    };
    return task.taskId;
  };
  const read = async (uri: string, replica = 1) => {
    const result = await client.result('resources/read', { uri }, { replica });
    const [content] = (result as { contents: Json[] }).contents;
    if (content === undefined) throw new Error(`${uri} has no content`);
    const { [PAGE]: page } = content['_meta'] as { [PAGE]: { next?: string; total: number } };
    return { content, page };
  };
  const readAll = async (uri: string) => {
    let text = '';
    let pages = 0;
    for (let next: string | undefined = uri; next !== undefined; pages += 1) {
      const { content, page } = await read(next, pages % 2);
      expect(Buffer.byteLength(String(content['text']))).toBeLessThanOrEqual(INLINE_BYTES);
      text += String(content['text']);
      next = page.next;
    }
    return { text, pages };
  };
  /** What a client does who has a link and its credentials. */
  const download = (uri: string, headers: Record<string, string> = {}, method = 'GET') => {
    const place = uri.replace('longshore://', '/');
    return fetch(new URL(place, stack.urls[1]), { method, headers });
  };
  const storedFiles = async (): Promise<string[]> => {
    const found = await readdir(path.join(dataDir, '.store'), { recursive: true }).catch(() => []);
    return found.filter((name) => name.includes(path.sep));
  };

  describe('a large result', () => {
    const whole = { content: [{ type: 'text', text: linesText(2_000) }] };

    it.each([
      ['a plain call', () => call('lines', { count: 2_000 })],
      [
        'a task of 2025-11-25',
        async () =>
          client.result(
            'tasks/result',
            { taskId: await startTask('lines', { count: 2_000 }) },
            { replica: 1 },
          ),
      ],
      [
        'a plain call of 2026-07-28',
        () =>
          modern.declaring({}).result('tools/call', { name: 'lines', arguments: { count: 2_000 } }),
      ],
      [
        'a task of 2026-07-28',
        async () => {
          const taskId = await modern.startTask('lines', { count: 2_000 });
          return waitFor(
            async () => (await modern.result('tasks/get', { taskId }))['result'] as Json,
            { what: 'the task has ended' },
          );
        },
      ],
    ])('of %s is sent as a preview, and read whole by parts', async (_what, run) => {
      const result = await run();
      expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThan(INLINE_BYTES);
      const [first, note, link] = blocksOf(result);
      expect(linesText(2_000).startsWith(String(first?.['text']))).toBe(true);
      expect(note?.['text']).toContain('beginning of a result');
      expect(link).toMatchObject({ type: 'resource_link', mimeType: 'application/json' });
      const { text, pages } = await readAll(String(link?.['uri']));
      expect(JSON.parse(text)).toEqual(whole);
      expect(pages).toBeGreaterThan(3);
      const response = await download(String(link?.['uri']));
      expect(await response.json()).toEqual(whole);
    });

    it('that an output schema promises stays whole, and a client that checks it is content', async () => {
      const checking = await connectClientV2(new URL(String(stack.urls[0])), 'legacy');
      await checking.client.listTools();
      const result = await checking.client.callTool({
        name: 'numbers',
        arguments: { count: 9_000 },
      });
      const { numbers } = result.structuredContent as { numbers: number[] };
      expect(numbers).toHaveLength(9_000);
      expect(JSON.stringify(result.content).length).toBeLessThan(INLINE_BYTES);
      await checking.client.close();
    });

    it('over the highest limit is an error that says what to do', async () => {
      expect(await call('lines', { count: 100_000 })).toMatchObject({
        isError: true,
        content: [{ text: expect.stringContaining('should write a file') }],
      });
    });

    it('that is not over the limit is sent as it is, and can be read as well', async () => {
      const taskId = await startTask('lines', { count: 3 });
      expect(await client.result('tasks/result', { taskId })).toMatchObject({
        content: [{ type: 'text', text: linesText(3) }],
      });
      const { text } = await readAll(`longshore://tasks/${taskId}/result`);
      expect(JSON.parse(text)).toEqual({ content: [{ type: 'text', text: linesText(3) }] });
    });
  });

  describe('a file', () => {
    let result: unknown;
    let textUri: string;
    let bytesUri: string;
    const text = linesText(3_000);

    beforeAll(async () => {
      result = await call('report', { count: 3_000, bytes: 20_000 });
      textUri = linkTo(result, 'größe.txt');
      bytesUri = linkTo(result, 'bytes.bin');
    });

    it('is linked in the result of the tool that made it', () => {
      expect(blocksOf(result)).toEqual([
        { type: 'text', text: 'written' },
        expect.objectContaining({
          type: 'resource_link',
          name: 'größe.txt',
          mimeType: 'text/plain',
          size: Buffer.byteLength(text),
        }),
        expect.objectContaining({ name: 'bytes.bin', mimeType: 'application/octet-stream' }),
      ]);
      expect(textUri).toMatch(/^longshore:\/\/tasks\/[0-9a-f-]{36}\/files\/gr%C3%B6%C3%9Fe\.txt$/);
    });

    it('is read by parts, text as text and bytes as base64', async () => {
      expect((await readAll(textUri)).text).toBe(text);
      const { content, page } = await read(`${bytesUri}?offset=19990`);
      expect(content).toMatchObject({ blob: Buffer.alloc(10, 7).toString('base64') });
      expect(page).toEqual({ offset: 19_990, length: 10, total: 20_000 });
      const first = await read(bytesUri);
      expect(String(first.content['blob']).length).toBeLessThanOrEqual(INLINE_BYTES);
      expect(first.page.next).toMatch(/\?offset=\d+$/);
      const some = await read(`${textUri}?offset=0&length=6`);
      expect(some.content).toMatchObject({ text: 'line 0' });
    });

    it('is the same in the modern era, and never kept by proxies', async () => {
      const page = await modern.result('resources/read', { uri: textUri });
      expect(page).toMatchObject({ resultType: 'complete', cacheScope: 'private', ttlMs: 0 });
      expect(text.startsWith(String((page['contents'] as Json[])[0]?.['text']))).toBe(true);
    });

    it.each([['?offset=-1'], ['?offset=x'], ['?offset=999999999'], ['?length=0']])(
      'has no part %s',
      async (query) => {
        const error = await client.error('resources/read', { uri: `${textUri}${query}` });
        expect(error).toMatchObject({ code: -32602 });
      },
    );

    it('and results have their templates in the list', async () => {
      const { resourceTemplates } = await client.result('resources/templates/list');
      expect((resourceTemplates as Json[]).map(({ uriTemplate }) => uriTemplate)).toEqual([
        'longshore://tasks/{taskId}/result{?offset,length}',
        'longshore://tasks/{taskId}/files/{name}{?offset,length}',
        'longshore://tasks/{taskId}/history',
        'longshore://tasks/{taskId}/items{?status,key,cursor}',
      ]);
    });

    it('is downloaded, to be saved and not to be run', async () => {
      const response = await download(textUri);
      expect(response.status).toBe(200);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': 'text/plain',
        'content-length': String(Buffer.byteLength(text)),
        'content-disposition': `attachment; filename="gr__e.txt"; filename*=UTF-8''gr%C3%B6%C3%9Fe.txt`,
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox",
        'cache-control': 'private, no-cache',
        'accept-ranges': 'bytes',
        etag: expect.stringMatching(/^"[0-9a-f]{64}"$/),
      });
      expect(await response.text()).toBe(text);
    });

    it('is downloaded in ranges, and goes on where a connection broke', async () => {
      const bytes = Buffer.from(text);
      const etag = (await download(textUri, {}, 'HEAD')).headers.get('etag') ?? '';
      for (const [range, from, to] of [
        ['bytes=0-99', 0, 100],
        ['bytes=1000-', 1_000, bytes.length],
        ['bytes=-7', bytes.length - 7, bytes.length],
      ] as const) {
        const response = await download(textUri, { range, 'if-range': etag });
        expect(response.status).toBe(206);
        expect(response.headers.get('content-range')).toBe(
          `bytes ${from}-${to - 1}/${bytes.length}`,
        );
        expect(Buffer.from(await response.arrayBuffer()).equals(bytes.subarray(from, to))).toBe(
          true,
        );
      }
      const beyond = await download(textUri, { range: `bytes=${bytes.length}-` });
      expect([beyond.status, beyond.headers.get('content-range')]).toEqual([
        416,
        `bytes */${bytes.length}`,
      ]);
      const changed = await download(textUri, { range: 'bytes=0-1', 'if-range': '"other"' });
      expect(changed.status).toBe(200);
      const known = await download(textUri, { 'if-none-match': etag });
      expect([known.status, await known.text()]).toEqual([304, '']);
    });

    it('has a head without a body', async () => {
      const response = await download(bytesUri, {}, 'HEAD');
      expect([response.status, response.headers.get('content-length')]).toEqual([200, '20000']);
      expect(await response.text()).toBe('');
    });

    it.each(['POST', 'PUT', 'DELETE', 'PATCH'])('is not changed by %s', async (method) => {
      const response = await download(textUri, {}, method);
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    });

    it('is refused to pages of others and under another host', async () => {
      const { status } = await download(textUri, { origin: 'https://evil.example' });
      expect(status).toBe(403);
      expect(
        await statusUnderHost(new URL(textUri.replace('longshore://', '/'), stack.urls[0])),
      ).toBe(403);
    });

    it.each([
      'longshore://tasks/00000000-0000-4000-8000-000000000000/result',
      'longshore://tasks/nonsense/result',
      'longshore://tasks/../../etc/passwd',
      'longshore://tasks/00000000-0000-4000-8000-000000000000/files/..%2Fx',
    ])('that is not there is not found: %s', async (uri) => {
      expect(await client.error('resources/read', { uri })).toMatchObject({
        code: -32002,
        data: { uri },
      });
      expect(await modern.error('resources/read', { uri })).toMatchObject({
        code: -32602,
        data: { uri },
      });
      expect((await download(uri)).status).toBe(404);
    });

    it('over the limit fails the tool, and nothing of it stays', async () => {
      const failed = await call('report', { count: 1, bytes: MAX_FILE_BYTES + 1 });
      expect(failed).toMatchObject({
        isError: true,
        content: [
          { text: expect.stringContaining(`over the limit of ${MAX_FILE_BYTES} bytes`) },
          { name: 'größe.txt' },
        ],
      });
    });

    it('is made in a thread as well', async () => {
      const made = await call('isolated_file', { count: 4_000 });
      expect(blocksOf(made)).toHaveLength(1);
      expect((await readAll(linkTo(made, 'thread.txt'))).text).toBe(linesText(4_000));
    });
  });

  it('of an earlier attempt is replaced by that of a later one, or stays, and half of one never counts', async () => {
    const result = await call('redo', {});
    expect(
      blocksOf(result)
        .slice(1)
        .map(({ name }) => name),
    ).toEqual(['attempt.txt', 'first.txt']);
    const { text } = await readAll(linkTo(result, 'attempt.txt'));
    expect(text).toBe('attempt 2');
    const half = linkTo(result, 'attempt.txt').replace('attempt.txt', 'half.txt');
    expect((await download(half)).status).toBe(404);
  });

  it('of a cancelled task is gone, and its bytes too', async () => {
    const before = await storedFiles();
    const taskId = await startTask('slow_file', {});
    await waitFor(async () => (await storedFiles()).some((name) => name.endsWith('.part')), {
      what: 'the file is being written',
    });
    await client.result('tasks/cancel', { taskId });
    await waitFor(async () => !(await storedFiles()).some((name) => name.endsWith('.part')), {
      what: 'nothing is left of it',
    });
    expect((await storedFiles()).filter((name) => !before.includes(name))).toEqual([]);
    expect((await download(`longshore://tasks/${taskId}/files/endless.txt`)).status).toBe(404);
  });

  it('goes with its task', async () => {
    const before = await storedFiles();
    const { task } = (await client.result('tools/call', {
      name: 'report',
      arguments: { count: 10 },
      task: { ttl: 6_000 },
    })) as { task: { taskId: string } };
    const result = await client.result('tasks/result', { taskId: task.taskId });
    const uri = linkTo(result, 'größe.txt');
    expect((await download(uri)).status).toBe(200);
    const own = (await storedFiles()).filter((name) => !before.includes(name));
    expect(own.length).toBeGreaterThan(0);
    await waitFor(async () => (await download(uri)).status === 404, {
      what: 'the task has expired',
    });
    await waitFor(async () => !(await storedFiles()).some((name) => own.includes(name)), {
      what: 'its bytes are gone',
      timeoutMs: 60_000,
    });
  });
}

/** The status of a GET under a host name that is not allowed; `fetch` would set its own. */
function statusUnderHost(url: URL): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers: { host: 'evil.example' } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on('error', reject);
    sent.end();
  });
}

describeInMode('results and files', 'redis', results);
