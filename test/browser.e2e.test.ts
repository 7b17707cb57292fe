import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeWhere, waitFor } from '@longshore/testing';
import { WireClient } from '@longshore/testing/mcp';
import pg from 'pg';
import type { Browser, Page } from 'playwright-core';
import { createKey } from './support/api-keys.ts';
import { missingBrowser, openBrowser, type PageServer, servePage } from './support/browser.ts';
import { FIXTURE_TOOLS, RESULT_TOOLS, type Stack, startStack } from './support/stack.ts';

/** What a page found out: nothing else of an answer may be read by it. */
interface Read {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What a script of a page sends. */
interface Init {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

describeWhere('a web page of another origin', missingBrowser(), () => {
  let browser: Browser;
  let pages: PageServer;
  let stack: Stack;
  /** Listens as it does by default. */
  let url: string;
  /** Is told which pages may call it. */
  let appsOnly: string;
  let authorization: string;

  beforeAll(async () => {
    pages = await servePage();
    stack = await startStack({
      mode: 'postgres',
      environment: { SSE_TRANSPORT: 'true', PLUGINS: `${FIXTURE_TOOLS},${RESULT_TOOLS}` },
    });
    url = stack.urls[0] ?? '';
    const environment = { AUTH: 'api-key', CORS_ORIGINS: originOf('app.example') };
    appsOnly = await stack.startApi(environment);
    authorization = `Bearer ${(await createKey(stack)).key}`;
    browser = await openBrowser(['--host-resolver-rules=MAP *.example 127.0.0.1']);
    const client = new WireClient(url);
    await client.initialize();
    await waitFor(
      async () => JSON.stringify(await client.result('tools/list')).includes('report'),
      { what: 'the catalogue is there' },
    );
  });
  afterAll(async () => {
    await browser.close();
    await stack.stop();
    await pages.close();
  });

  const originOf = (host: string): string => `http://${host}:${pages.port}`;
  const pageOf = async (host: string): Promise<Page> => {
    const page = await browser.newPage();
    await page.goto(originOf(host));
    return page;
  };
  /** As a script of the page sees it; null: the browser has shown it nothing. */
  const read = (page: Page, address: string, init: Init = {}): Promise<Read | null> =>
    page.evaluate(
      async ([to, options]) => {
        try {
          const response = await fetch(to, options);
          const headers = Object.fromEntries(response.headers);
          return { status: response.status, body: await response.text(), headers };
        } catch {
          return null;
        }
      },
      [address, init] as const,
    );
  const post = (message: object, headers: Record<string, string> = {}): Init => ({
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify(message),
  });
  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'page', version: '1' },
    },
  };

  it.each(['legacy', 'auto'] as const)(
    'talks to it by the official client, %s, and hears what it is not asked for',
    async (mode) => {
      const page = await pageOf('127.0.0.1');
      const seen = await page.evaluate(
        async ([endpoint, negotiation]) => {
          const { Client, StreamableHTTPClientTransport } = await import(
            '@modelcontextprotocol/client'
          );
          const client = new Client(
            { name: 'page', version: '1' },
            { versionNegotiation: { mode: negotiation } },
          );
          const transport = new StreamableHTTPClientTransport(new URL(endpoint));
          await client.connect(transport);
          const progress: number[] = [];
          const steps = await client.callTool(
            { name: 'steps', arguments: { steps: 3, stepMs: 50 } },
            { onprogress: (at) => progress.push(at.progress) },
          );
          const era = client.getProtocolEra();
          const sessionId = transport.sessionId;
          // Of a task that nobody waits for, the session's own stream tells.
          const told = new Promise((resolve) => {
            client.fallbackNotificationHandler = async ({ method }) => resolve(method);
          });
          if (era === 'legacy') {
            const call = { name: 'echo', arguments: { text: 'x' }, task: {} };
            const options = { method: 'tools/call', params: call };
            await client.request(options, { '~standard': anything() } as never);
            await told;
          }
          await transport.terminateSession();
          await client.close();
          return { era, named: sessionId !== undefined, steps, heard: progress.length > 0 };

          function anything() {
            return { version: 1, vendor: 'page', validate: (value: unknown) => ({ value }) };
          }
        },
        [url, mode] as const,
      );
      expect(seen).toMatchObject({
        era: mode === 'legacy' ? 'legacy' : 'modern',
        named: mode === 'legacy',
        heard: true,
        steps: { structuredContent: expect.anything() },
      });
      await page.close();
    },
  );

  it('reads the headers of errors and of downloads', async () => {
    const page = await pageOf('127.0.0.1');
    const opened = await read(page, url, post(initialize));
    const session = { 'mcp-session-id': opened?.headers['mcp-session-id'] ?? '' };
    const call = { name: 'report', arguments: { count: 3 }, task: {} };
    const asked = await read(
      page,
      url,
      post({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: call }, session),
    );
    const { taskId } = JSON.parse(asked?.body ?? '').result.task as { taskId: string };
    const params = { taskId };
    await read(page, url, post({ jsonrpc: '2.0', id: 3, method: 'tasks/result', params }, session));
    const file = new URL(`/tasks/${taskId}/files/gr%C3%B6%C3%9Fe.txt`, url).href;
    expect(await read(page, file, { headers: { ...session, range: 'bytes=0-5' } })).toMatchObject({
      status: 206,
      body: 'line 0',
      headers: {
        'content-disposition': expect.stringContaining('attachment'),
        'content-range': expect.stringMatching(/^bytes 0-5\//),
        etag: expect.any(String),
      },
    });
    const unknown = { 'mcp-session-id': crypto.randomUUID() };
    expect(
      await read(page, url, post({ jsonrpc: '2.0', id: 4, method: 'ping' }, unknown)),
    ).toMatchObject({ status: 404, headers: { 'x-request-id': expect.any(String) } });
    await page.close();
  });

  it('opens a stream of 2024-11-05 and posts to it', async () => {
    const page = await pageOf('127.0.0.1');
    const answer = await page.evaluate(
      ([base, message]) =>
        new Promise<string>((resolve, reject) => {
          interface Source {
            onerror: () => void;
            addEventListener(name: string, listener: (event: { data: string }) => void): void;
          }
          const { EventSource } = globalThis as never as {
            EventSource: new (address: string) => Source;
          };
          const source = new EventSource(new URL('/sse', base).href);
          source.onerror = () => reject(new Error('the stream broke'));
          source.addEventListener('message', ({ data }) => resolve(data));
          source.addEventListener('endpoint', ({ data }) => {
            const headers = { 'content-type': 'application/json' };
            const init = { method: 'POST', headers, body: JSON.stringify(message) };
            fetch(new URL(data, base), init).catch(reject);
          });
        }),
      [url, initialize] as const,
    );
    expect(JSON.parse(answer)).toMatchObject({ result: { protocolVersion: '2024-11-05' } });
    await page.close();
  });

  it('that is not allowed reads nothing, and nothing is done for it', async () => {
    const database = new pg.Client(stack.environment['DATABASE_URL']);
    await database.connect();
    // Those of tests before this one may still be ended meanwhile.
    const sessions = async () =>
      (await database.query<{ id: string }>('SELECT id FROM sessions')).rows.map(({ id }) => id);
    const before = await sessions();
    const evil = await pageOf('evil.example');
    for (const address of [url, appsOnly]) {
      const key = { authorization };
      expect(await read(evil, address, post(initialize, key))).toBeNull();
      // No preflight is sent for it: a form could.
      const simple = { method: 'POST', body: JSON.stringify(initialize) };
      expect(await read(evil, address, simple)).toBeNull();
      expect(await read(evil, new URL('/sse', address).href)).toBeNull();
      expect(
        await read(evil, new URL(`/tasks/${crypto.randomUUID()}/result`, address).href),
      ).toBeNull();
    }
    expect(before).toEqual(expect.arrayContaining(await sessions()));
    await database.end();
    await evil.close();
  });

  it('is one of CORS_ORIGINS where that is set, and no other', async () => {
    const app = await pageOf('app.example');
    const local = await pageOf('127.0.0.1');
    const key = { authorization };
    expect(await read(app, url, post(initialize))).toBeNull();
    expect(await read(local, appsOnly, post(initialize, key))).toBeNull();
    expect(await read(app, appsOnly, post(initialize, key))).toMatchObject({
      status: 200,
      headers: { 'mcp-session-id': expect.any(String) },
    });
    expect(await read(app, appsOnly, post(initialize))).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Bearer realm="longshore"' },
    });
    await app.close();
    await local.close();
  });
});
