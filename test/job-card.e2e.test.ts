import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { describeWhere, waitFor } from '@longshore/testing';
import { WireClient } from '@longshore/testing/mcp';
import type { Browser, JSHandle } from 'playwright-core';
import { createKey } from './support/api-keys.ts';
import { missingBrowser, openBrowser } from './support/browser.ts';
import {
  CardHost,
  type CardServers,
  type Look,
  type ShownCard,
  serveCards,
  type Turn,
} from './support/card-host.ts';
import { OperatorApi } from './support/operator-client.ts';
import { FIXTURE_TOOLS, type Stack, startStack } from './support/stack.ts';

const FIXTURES = path.join(import.meta.dirname, 'fixtures');
const PLUGINS = [
  FIXTURE_TOOLS,
  ...['operator-tools.js', 'card-tools.js'].map((name) => path.join(FIXTURES, name)),
];

const UI = 'io.modelcontextprotocol/ui';
const SHOWS = { extensions: { [UI]: { mimeTypes: ['text/html;profile=mcp-app'] } } };

describeWhere('the job card', missingBrowser(), () => {
  let stack: Stack;
  let browser: Browser;
  let servers: CardServers;
  let url: string;
  let ada: OperatorApi;
  let keys: Record<'ada' | 'bob', string>;
  let host: CardHost;

  beforeAll(async () => {
    stack = await startStack({
      mode: 'postgres',
      environment: {
        AUTH: 'api-key',
        PLUGINS: PLUGINS.join(','),
        POLL_INTERVAL_MS: '200',
        PUBLIC_URL: 'https://jobs.example.com',
      },
    });
    url = stack.urls[0] ?? '';
    const keyOf = async (principal: string): Promise<string> =>
      (await createKey(stack, { principal, scopes: ['tasks:read', 'tasks:write', 'tools:*'] })).key;
    keys = { ada: await keyOf('ada'), bob: await keyOf('bob') };
    ada = new OperatorApi(url, keys.ada);
    await waitFor(async () => (await ada.call('GET /tools')).tools.length > 4, {
      what: 'the catalogue is there',
    });
    [browser, servers] = await Promise.all([openBrowser(), serveCards()]);
    host = await CardHost.open(browser, servers);
  });
  afterAll(async () => {
    await browser.close();
    await servers.close();
    await stack.stop();
  });
  beforeEach(() => host.clear());

  const connect = (mode: 'legacy' | 'auto' = 'auto', who: keyof typeof keys = 'ada') =>
    host.connect({ url, mode, key: keys[who] });
  /** Calls a tool as the model would. */
  const call = (connection: JSHandle, name: string, args: object = {}): Promise<Turn> =>
    connection.evaluate(
      async ({ client }, [tool, given]) => ({
        name: tool,
        arguments: given,
        result: await client.callTool({ name: tool, arguments: given }),
      }),
      [name, args] as const,
    );
  const shown = async (connection: JSHandle, name: string, args: object = {}, look: Look = {}) => {
    const turn = await call(connection, name, args);
    return { turn, card: await host.show(connection, turn, look) };
  };
  const sees = (card: ShownCard, text: string | RegExp): Promise<void> =>
    card.frame.getByText(text).first().waitFor();
  const press = async (card: ShownCard, name: string, sure?: string): Promise<void> => {
    await card.frame.getByRole('button', { name, exact: true }).click();
    if (sure !== undefined)
      await card.frame.getByRole('button', { name: sure, exact: true }).click();
  };
  const jobOf = ({ result }: Turn): string =>
    (result as { structuredContent: { job: { task_id: string } } }).structuredContent.job.task_id;

  it('shows a batch from its start to its end, and runs what failed again', async () => {
    const items = Array.from({ length: 60 }, (_, n) => ({ n, ms: 150 }));
    const { card, turn } = await shown(await connect(), 'batch', {
      tool: 'even',
      items,
      concurrency: 2,
    });
    expect(turn.result).toMatchObject({
      content: [{ text: expect.stringContaining(jobOf(turn)) }],
      _meta: { 'dev.longshore/job': jobOf(turn) },
    });
    await sees(card, /^[1-9]\d* of 60 · \d+ failed · [\d.]+\/s · .* left$/);
    await sees(card, /^60 of 60 · 30 failed · took /);
    await sees(card, /^Run a tool many times: /);
    await sees(card, 'Failed items (30)');
    await sees(card, /^1 is <b>odd<\/b>$/);
    await press(card, 'Show more');
    await sees(card, /^59 is <b>odd<\/b>$/);
    const bar = card.frame.getByRole('progressbar');
    expect(await bar.getAttribute('aria-valuenow')).toBe('100');
    const { contexts } = await waitFor(
      async () => {
        const seen = await card.seen();
        return seen.contexts.length > 0 && seen;
      },
      { what: 'the host is told' },
    );
    expect(contexts).toEqual([expect.stringContaining('has ended')]);
    await press(card, 'Retry failed', 'Run the failed again?');
    await sees(card, /^30 of 30 · 30 failed · took /);
    // It has ended, so nothing is asked any more, whatever is pressed.
    const { calls } = await card.seen();
    await press(card, 'Dashboard');
    await waitFor(async () => (await card.seen()).links.length > 0, { what: 'the link is opened' });
    const { calls: later, links } = await card.seen();
    expect(links).toEqual([
      expect.stringMatching(/^https:\/\/jobs\.example\.com\/dashboard\/tasks\/[0-9a-f-]{36}$/),
    ]);
    expect(links[0]).not.toContain(jobOf(turn));
    expect(later).toEqual(calls);
  });

  it('cancels when one means it, in all cards of the job', async () => {
    const connection = await connect('legacy');
    const { card, turn } = await shown(connection, 'wait');
    const second = await host.show(connection, turn);
    await sees(card, 'Running');
    await sees(second, '1 of 4');
    await press(card, 'Cancel');
    await press(card, 'Really cancel?');
    await sees(card, 'Cancelled');
    await sees(second, 'Cancelled');
    await ada.inPhase(jobOf(turn), 'cancelled');
  });

  it('asks what the tool asks, and shows what came of the answer', async () => {
    const { card } = await shown(await connect('legacy'), 'greet');
    await sees(card, 'Who are you?');
    await card.frame.getByLabel('name').fill('<b>Ada</b>');
    await press(card, 'Answer');
    await sees(card, 'Hello <b>Ada</b>');
    await press(card, 'History');
    await sees(card, /input answered/);
  });

  it('shows a result with what is in it, and saves its files', async () => {
    const { card } = await shown(await connect('legacy'), 'survey');
    await sees(card, 'Seven trees.');
    await sees(card, 'ash <i>');
    const image = card.frame.getByAltText('Image of the result');
    expect(await image.getAttribute('src')).toMatch(/^data:image\/png;base64,/);
    await press(card, 'Download');
    await waitFor(async () => (await card.seen()).downloads.length === 1, {
      what: 'the file is saved',
    });
    expect((await card.seen()).downloads).toEqual([
      { uri: 'file:///trees.csv', mimeType: 'text/csv', text: 'kind,count\nash,3\n' },
    ]);
    // It was answered at once: there is no job, and nothing to ask.
    expect((await card.seen()).calls).toEqual([]);
  });

  it('finds its job again, whatever the host has kept of the call', async () => {
    const connection = await connect();
    const args = { steps: 4, stepMs: 500 };
    const { card, turn } = await shown(connection, 'steps', args);
    await sees(card, 'Completed');
    await host.reload();
    const again = await connect();
    const emptied = {
      ...turn,
      result: { content: [{ type: 'text', text: '{}' }], structuredContent: {} },
    };
    const textOnly = {
      ...turn,
      result: { content: (turn.result as { content: object[] }).content },
    };
    const cards = [
      await host.show(again, turn),
      await host.show(again, textOnly),
      await host.show(again, emptied),
      await host.show(again, { ...turn, result: null }),
      // Of the arguments of the model's next call.
      await host.show(again, {
        name: 'job_wait',
        arguments: { task_id: jobOf(turn) },
        result: null,
      }),
    ];
    for (const one of cards) await sees(one, /^4 of 4 · took /);
    await host.page.frames().at(-1)?.evaluate('localStorage.clear()');
    const forgotten = await host.show(again, emptied);
    await sees(forgotten, /^4 of 4 · took /);
    expect((await forgotten.seen()).calls).toContain('job_find');
    // A second job of the same call: one has to say which.
    await call(again, 'steps', args);
    await host.page.frames().at(-1)?.evaluate('localStorage.clear()');
    // In sight: browsers let frames sleep that are not.
    await host.reload();
    const doubtful = await host.show(await connect(), emptied);
    await sees(doubtful, 'There are several jobs of this call:');
    await doubtful.frame
      .getByRole('button', { name: /completed$/ })
      .first()
      .click();
    await sees(doubtful, /^4 of 4 · took /);
  });

  it('finds the task that a host has made of a call, while that has no answer yet', async () => {
    const args = { steps: 40, stepMs: 200 };
    const client = new WireClient(url).withAuthorization(`Bearer ${keys.ada}`);
    await client.initialize();
    const { last } = await client.request('tools/call', {
      name: 'steps',
      arguments: args,
      task: { ttl: 600_000 },
    });
    const card = await host.show(await connect('legacy'), {
      name: 'steps',
      arguments: args,
      result: null,
    });
    await sees(card, /^[1-9]\d* of 40 · /);
    await press(card, 'Cancel');
    await press(card, 'Really cancel?');
    await sees(card, 'Cancelled');
    const { task } = last.result as { task: { taskId: string } };
    await ada.inPhase(task.taskId, 'cancelled');
  });

  it('says so of a job that is somebody else’s, or gone, and stops', async () => {
    const turn = await call(await connect(), 'wait');
    const bobs = await host.show(await connect('auto', 'bob'), turn);
    await sees(bobs, 'This job is no longer kept, or is not yours.');
    const gone = await host.show(await connect(), {
      ...turn,
      result: {
        content: [],
        structuredContent: { job: { task_id: '01a208ed-69cc-7cb8-974e-2167bd190fb2' } },
      },
    });
    await sees(gone, 'This job is no longer kept, or is not yours.');
    expect((await bobs.seen()).calls).toEqual(['job_status']);
    await ada.call('POST /tasks/{id}/cancel', { params: { id: jobOf(turn) } });
  });

  it('stops when it is older than the server, and when it is taken away', async () => {
    const connection = await connect();
    const turn = await call(connection, 'wait');
    const old = await host.show(connection, turn, { version: 0 });
    await sees(old, /^This card is older than the server/);
    const card = await host.show(connection, turn);
    await sees(card, '1 of 4');
    const other = await host.show(connection, turn);
    await sees(other, '1 of 4');
    await card.tearDown();
    const { calls } = await card.seen();
    const asked = async (): Promise<number> => (await other.seen()).calls.length;
    const now = await asked();
    await waitFor(async () => (await asked()) > now + 2, { what: 'the other card goes on' });
    expect((await card.seen()).calls).toEqual(calls);
    expect((await old.seen()).calls).toEqual(['job_status']);
    await ada.call('POST /tasks/{id}/cancel', { params: { id: jobOf(turn) } });
  });

  it('goes on when the API was away', async () => {
    const connection = await connect();
    const { card, turn } = await shown(connection, 'wait');
    await sees(card, '1 of 4');
    await stack.apis[0]?.kill();
    await sees(card, /^No news: /);
    await stack.startApi({ PORT: new URL(url).port });
    await ada.call('POST /tasks/{id}/cancel', { params: { id: jobOf(turn) } });
    await sees(card, 'Cancelled');
    expect(await card.frame.getByText(/^No news/).isVisible()).toBe(false);
  });

  it('makes do with a host that tells little and allows nothing, and follows one that changes', async () => {
    const connection = await connect();
    const turn = await call(connection, 'wait');
    const silent = await host.show(connection, turn, { offers: {}, context: {}, width: 320 });
    await sees(silent, /^This host lets cards ask nothing/);
    await sees(silent, 'Running');
    const refusing = await host.show(connection, turn, {
      refuses: true,
      context: { containerDimensions: { width: 0, height: 0 }, theme: 'neon' },
    });
    await sees(refusing, 'No news: Not for apps');
    const card = await host.show(connection, turn, {
      context: {
        theme: 'light',
        displayMode: 'inline',
        availableDisplayModes: ['inline', 'fullscreen'],
      },
    });
    await sees(card, '1 of 4');
    const page = card.frame.locator('html');
    expect(await page.getAttribute('data-theme')).toBe('light');
    await card.change({ theme: 'dark' });
    await waitFor(async () => (await page.getAttribute('data-theme')) === 'dark', {
      what: 'the card is dark',
    });
    await press(card, 'Expand');
    await waitFor(async () => (await card.seen()).modes.length > 0, { what: 'the wish is heard' });
    const { heights, modes } = await card.seen();
    expect(modes).toEqual(['fullscreen']);
    // Its lines have their room from the start: it does not grow with what comes.
    expect(heights.length).toBeLessThan(4);
    await ada.call('POST /tasks/{id}/cancel', { params: { id: jobOf(turn) } });
  });

  it('has tools of its own only where cards are shown, never as tasks, and nobody else’s', async () => {
    const names = (capabilities: object) =>
      host
        .connect({ url, mode: 'auto', key: keys.ada, capabilities })
        .then((to) =>
          to.evaluate(({ tools }): string[] => tools.map(({ name }: { name: string }) => name)),
        );
    expect(await names(SHOWS)).toEqual(
      expect.arrayContaining(['job_find', 'job_retry_failed', 'job_status']),
    );
    const others = await names({});
    expect(others).toContain('job_status');
    expect(others.filter((name) => ['job_find', 'job_retry_failed'].includes(name))).toEqual([]);

    const tasks = { ...SHOWS.extensions, 'io.modelcontextprotocol/tasks': {} };
    const both = await host.connect({
      url,
      mode: 'auto',
      key: keys.ada,
      capabilities: { extensions: tasks },
    });
    const turn = await call(both, 'wait');
    for (const [name, more] of [
      ['job_status', { card: 1 }],
      ['job_result', { card: 1 }],
      ['job_cancel', {}],
      ['job_retry', {}],
    ] as const) {
      const answer = await call(both, name, { task_id: jobOf(turn), ...more });
      expect(answer.result).toMatchObject({ structuredContent: { job: { tool: 'wait' } } });
      expect(answer.result).not.toHaveProperty('task');
    }
    const batch = await call(both, 'batch', {
      tool: 'job_find',
      items: [{ tool: 'wait', arguments: {} }],
    });
    expect(batch.result).toMatchObject({
      isError: true,
      content: [{ text: 'Unknown tool: job_find' }],
    });
  });

  it('asks nothing of the network, and breaks no rule of its frame', () => {
    expect(host.offences).toEqual([]);
  });
});
