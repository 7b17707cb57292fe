import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { describeWhere } from '@longshore/testing';
import type { Browser, JSHandle } from 'playwright-core';
import { createKey } from './support/api-keys.ts';
import { missingBrowser, openBrowser } from './support/browser.ts';
import { CardHost, type CardServers, type ShownCard, serveCards } from './support/card-host.ts';
import { type Stack, startStack } from './support/stack.ts';

const EXAMPLES = path.join(import.meta.dirname, '../examples/tools/dist/index.js');
const FOREIGN = path.join(import.meta.dirname, 'fixtures/foreign-card.js');

describeWhere('cards of plugins', missingBrowser(), () => {
  let stack: Stack;
  let browser: Browser;
  let servers: CardServers;
  let host: CardHost;
  let key: string;
  /** Nobody may load anything from it. */
  let elsewhere: Server;
  const loaded: string[] = [];

  beforeAll(async () => {
    elsewhere = createServer(({ url = '' }, response) => {
      loaded.push(url);
      response.setHeader('Access-Control-Allow-Origin', '*').end('document.body.append("theirs")');
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    stack = await startStack({
      mode: 'postgres',
      environment: {
        AUTH: 'api-key',
        PLUGINS: `${EXAMPLES},${FOREIGN}`,
        FOREIGN_ORIGIN: `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`,
        INLINE_WAIT_MS: '10',
      },
    });
    ({ key } = await createKey(stack, { principal: 'ada', scopes: ['tasks:read', 'tools:*'] }));
    [browser, servers] = await Promise.all([openBrowser(), serveCards()]);
    host = await CardHost.open(browser, servers);
  });
  afterAll(async () => {
    await browser.close();
    await servers.close();
    elsewhere.close();
    await stack.stop();
  });
  beforeEach(() => host.reload());

  const connect = (mode: 'legacy' | 'auto' = 'auto') =>
    host.connect({ url: stack.urls[0] ?? '', mode, key });
  const call = (connection: JSHandle, name: string, args: object): Promise<object> =>
    connection.evaluate(
      ({ client }, [tool, given]) => client.callTool({ name: tool, arguments: given }),
      [name, args] as const,
    );
  const column = (card: ShownCard, nth: number): Promise<string[]> =>
    card.frame.locator(`tbody td:nth-child(${nth})`).allTextContents();
  const sees = (card: ShownCard, text: string): Promise<void> =>
    card.frame.getByText(text, { exact: true }).waitFor();
  const sort = (card: ShownCard, name: string): Promise<void> =>
    card.frame.getByRole('button', { name }).click();

  const texts = Array.from({ length: 600 }, (_none, n) => `<b>${n}</b>${' word'.repeat(n % 50)}`);
  const args = { texts: [...texts, ''] };

  it('show a batch as a table that sorts and filters', async () => {
    const result = await call(await connect(), 'compare_texts', args);
    expect(result).toMatchObject({ structuredContent: { job: { tool: 'compare_texts' } } });
    const turn = { name: 'compare_texts', arguments: args, result };
    const card = await host.show(await connect('legacy'), turn);
    await sees(card, '600 of 600 rows, 1 failed');
    await sort(card, 'words');
    const header = card.frame.getByRole('columnheader', { name: 'words' });
    expect(await header.getAttribute('aria-sort')).toBe('ascending');
    expect((await column(card, 2)).slice(0, 12)).toEqual(Array(12).fill('3'));
    await sort(card, 'words');
    expect((await column(card, 2)).slice(0, 13)).toEqual([...Array(12).fill('52'), '51']);
    await card.frame.getByLabel('Filter').fill('<b>42</B>');
    await sees(card, '1 of 600 rows, 1 failed');
    expect((await column(card, 1))[0]).toMatch(/^<b>42<\/b> word word/);
    await card.frame.getByLabel('Filter').fill('');
    await card.frame.getByRole('button', { name: 'Show more' }).click();
    expect(await column(card, 1)).toHaveLength(200);
  });

  it('fit what is there: a narrow host, a dark one, one that has kept nothing', async () => {
    const rows = [
      { text: '<img src=x onerror=alert(1)>', words: 2 },
      { text: `${'w'.repeat(90)} end`, words: 10 },
    ];
    const turn = {
      name: 'compare_texts',
      arguments: {},
      result: { content: [], structuredContent: { rows, failed: 0 } },
    };
    const connection = await connect();
    const card = await host.show(connection, turn, { width: 320, context: { theme: 'dark' } });
    await sees(card, '2 of 2 rows');
    await sort(card, 'words');
    expect(await column(card, 2)).toEqual(['2', '10']);
    const page = card.frame.locator('html');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
    const paper = (): Promise<unknown> =>
      page.evaluate('getComputedStyle(document.body).backgroundColor');
    const dark = await paper();
    await card.change({ theme: 'light' });
    await card.frame.locator('html[data-theme="light"]').waitFor();
    expect(await paper()).not.toBe(dark);
    // What is said and what is shown: it does not grow on and on.
    expect((await card.seen()).heights.length).toBeLessThan(5);
    const empty = await host.show(connection, {
      ...turn,
      result: { content: [{ type: 'text', text: '' }] },
    });
    await sees(empty, 'The host has kept no result.');
  });

  it('break no rule of their frame, and load nothing from elsewhere when they try', async () => {
    expect(host.offences).toEqual([]);
    const card = await host.show(await connect(), { name: 'foreign', arguments: {}, result: null });
    // Of no height: it tells its host none.
    await card.frame.getByText('mine stopped', { exact: true }).waitFor({ state: 'attached' });
    const told = host.offences.filter((offence) => offence.includes('Content Security Policy'));
    expect(told.join()).toMatch(/\/script\.js.*\/data/s);
    expect(loaded).toEqual([]);
  });

  it('open again when no worker is left, where the host knows their address', async () => {
    const connection = await connect();
    const few = { texts: ['One two.', ''] };
    const result = await call(connection, 'compare_texts', few);
    const turn = { name: 'compare_texts', arguments: few, result };
    await sees(await host.show(connection, turn), '1 of 1 rows, 1 failed');
    await Promise.all(stack.workers.map((worker) => worker.kill()));
    await sees(await host.show(connection, turn), '1 of 1 rows, 1 failed');
  });
});
