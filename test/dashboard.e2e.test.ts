import { stat } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeWhere, waitFor } from '@longshore/testing';
import pg from 'pg';
import type { Browser } from 'playwright-core';
import { createKey } from './support/api-keys.ts';
import { missingBrowser, openBrowser } from './support/browser.ts';
import { Visitor } from './support/dashboard.ts';
import { BUSY, CROWD, IS_BUSY } from './support/many-tasks.ts';
import { OperatorApi } from './support/operator-client.ts';
import { FIXTURE_TOOLS, RESULT_TOOLS, type Stack, startStack } from './support/stack.ts';

const OPERATOR_TOOLS = path.join(import.meta.dirname, 'fixtures', 'operator-tools.js');

/** For the browser it is no loopback. */
const ELSEWHERE = 'dashboard.test';

const HTML = '<img src=x onerror=alert(1)><b>bold</b>';

describeWhere('the dashboard', missingBrowser(), () => {
  let stack: Stack;
  let browser: Browser;
  let origin: string;
  let operator: OperatorApi;
  let ada: OperatorApi;
  let keys: Record<'operator' | 'viewer' | 'ada' | 'bob', string>;
  /** Who has come: they stay, with their page, and come again. */
  const people = new Map<keyof typeof keys, Visitor>();

  beforeAll(async () => {
    stack = await startStack({
      mode: 'postgres',
      environment: {
        AUTH: 'api-key',
        PLUGINS: `${FIXTURE_TOOLS},${OPERATOR_TOOLS},${RESULT_TOOLS}`,
        // As in production: a worker is silent for a second or more while it writes 50 MB.
        LEASE_MS: '20000',
        ALLOWED_HOSTS: `127.0.0.1,${ELSEWHERE}`,
        ALLOWED_ORIGINS: `127.0.0.1,${ELSEWHERE}`,
      },
    });
    const [url = ''] = stack.urls;
    origin = new URL(url).origin;
    const keyOf = async (principal: string, scopes: string[]): Promise<string> =>
      (await createKey(stack, { principal, scopes })).key;
    const own = ['tasks:read', 'tasks:write', 'tools:*'];
    keys = {
      operator: await keyOf('root', [...own, 'ops:read', 'ops:write']),
      viewer: await keyOf('viewer', ['ops:read']),
      ada: await keyOf('ada', own),
      bob: await keyOf('bob', own),
    };
    operator = new OperatorApi(url, keys.operator);
    ada = new OperatorApi(url, keys.ada);
    await waitFor(async () => (await ada.call('GET /tools')).tools.length > 4, {
      what: 'the catalogue is there',
    });
    browser = await openBrowser([`--host-resolver-rules=MAP ${ELSEWHERE} 127.0.0.1`]);
  });
  afterAll(async () => {
    await browser.close();
    await stack.stop();
  });

  /** In parts: who lists tasks passes over all that are not committed. */
  const crowd = async (): Promise<void> => {
    for (let part = 9; part >= 0; part -= 1) await sql(CROWD, [part]);
    await sql('ANALYZE tasks');
  };
  const visitor = (): Promise<Visitor> => Visitor.come(browser, origin);
  /** Someone logged in, at this page; no visit may have offences. */
  const visit = async (
    who: keyof typeof keys,
    at: string,
    does: (visitor: Visitor) => Promise<void>,
  ): Promise<void> => {
    const known = people.get(who);
    const came = known ?? (await visitor());
    people.set(who, came);
    if (known === undefined) await came.logIn(keys[who], at);
    else await came.open(at);
    await does(came);
    expect(came.offences).toEqual([]);
    await came.rest();
  };
  const sql = async (text: string, values: readonly unknown[] = []): Promise<void> => {
    const client = new pg.Client({ connectionString: stack.environment['DATABASE_URL'] });
    await client.connect();
    try {
      await client.query(text, [...values]);
    } finally {
      await client.end();
    }
  };

  it('refuses an unknown key, takes a known one, and goes where one wanted to', async () => {
    const came = await visitor();
    await came.open('/tasks?phase=failed&phase=cancelled');
    await came.give('ls_unknown');
    await came.sees('This key is not known, was revoked, or has expired.');
    await came.give(keys.ada);
    await came.page.getByRole('heading', { name: 'Your tasks' }).waitFor();
    expect(came.page.url()).toBe(`${origin}/dashboard/tasks?phase=failed&phase=cancelled`);
    const [cookie] = await came.cookies();
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Lax' });
    expect(await came.page.evaluate('JSON.stringify({ ...localStorage })')).not.toContain('ls_');
    await came.page.getByRole('button', { name: 'Without Cancelled' }).click();
    await came.page.waitForURL(`${origin}/dashboard/tasks?phase=failed`);
    expect(came.offences).toEqual([]);
    await came.leave();
  });

  it('shows a batch to its end, its failures by message, and runs them again', async () => {
    const items = Array.from({ length: 120 }, (_, n) => ({ n, ms: 100 }));
    // It begins when somebody looks.
    const batch = { params: { name: 'batch' } };
    await operator.call('POST /tools/{name}/pause', batch);
    const id = await operator.run('batch', { tool: 'even', items, concurrency: 2 });
    await visit('operator', `/tasks/${id}`, async (came) => {
      await came.sees('It waits for');
      await operator.call('POST /tools/{name}/resume', batch);
      await came.sees(/[1-9]\d* done, \d+ failed, [1-9]\d* left of 120/);
      await came.sees('60 done, 60 failed, 0 left of 120');
      await came.sees('Failures by message');
      await came.sees(/\d+ is <b>odd<\/b>/);
      await came.press('Retry failed', true);
      await came.sees('0 done, 60 failed, 0 left of 60');
      expect(came.page.url()).not.toContain(id);
    });
    const again = (await operator.call('GET /tasks', { query: { limit: 1 } })).tasks[0];
    expect(again?.id).not.toBe(id);
    expect(await operator.call('GET /tasks/{id}/batch', { params: { id } })).toMatchObject({
      done: 60,
      failed: 60,
    });
  });

  it('cancels by keyboard what it found by keyboard', async () => {
    const id = await operator.run('wait');
    await operator.inPhase(id, 'running');
    await visit('operator', '/tasks', async (came) => {
      const { page } = came;
      await page.getByRole('link', { name: /^wait/ }).waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type('waiting');
      await page.keyboard.press('Escape');
      await page.keyboard.press('j');
      await page.keyboard.press('Enter');
      await page.waitForURL(`${origin}/dashboard/tasks/${id}`);
      await page.getByRole('button', { name: 'Cancel task' }).focus();
      await page.keyboard.press('Enter');
      await page.locator('[role=dialog] button:focus', { hasText: 'Back' }).waitFor();
      // The dialog takes the focus twice.
      await came.painted();
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.getByText('Cancelled', { exact: true }).first().waitFor();
    });
    await operator.inPhase(id, 'cancelled');
  });

  it('cancels all that a filter matches, after counting, and nothing else', async () => {
    await operator.call('POST /tools/{name}/pause', { params: { name: 'slow' } });
    const doomed = await Promise.all(Array.from({ length: 51 }, () => ada.run('slow', { ms: 1 })));
    await visit('operator', '/tasks', async (came) => {
      await came.press('Cancel all…');
      await came.sees('No filter is set.');
      expect(await came.page.getByRole('button', { name: /^Cancel \d/ }).isDisabled()).toBe(true);
      await came.page.keyboard.press('Escape');
      await came.open('/tasks?tool=slow&phase=waiting');
      await came.sees('51 match');
      await came.press('Cancel all…');
      await came.sees('51 tasks are cancelled, with what they have started.');
      await came.press('Cancel 51 tasks');
      await came.sees('51 done. That is all.');
    });
    const cancelled = { query: { tool: 'slow', phase: 'cancelled' } } as const;
    expect((await operator.call('GET /tasks/count', cancelled)).count).toBe(doomed.length);
    await operator.call('POST /tools/{name}/resume', { params: { name: 'slow' } });
    await visit('operator', '/audit?action=task_cancelled', async (came) => {
      await came.sees('task cancelled');
      await came.page
        .getByRole('link', { name: /^task / })
        .first()
        .click();
      await came.sees('Cancelled');
    });
  });

  it('answers a question, and shows what came of it', async () => {
    const id = await ada.run('greet');
    await visit('ada', `/tasks/${id}`, async (came) => {
      await came.sees('Who are you?');
      await came.page.getByLabel('name').fill('Ada');
      await came.press('Answer');
      await came.page.getByRole('tab', { name: 'Result' }).click();
      await came.sees('Hello Ada');
    });
  });

  it('retries with other arguments as a new task; the old one stays', async () => {
    const id = await ada.run('even', { n: 1 });
    await ada.inPhase(id, 'failed');
    await visit('ada', `/tasks/${id}`, async (came) => {
      await came.press('Edit and retry');
      await came.page.getByRole('textbox', { name: 'n', exact: true }).fill('8');
      await came.press('Run as a new task');
      await came.page.waitForURL((url) => !url.pathname.includes(id));
      await came.page.getByRole('tab', { name: 'Result' }).click();
      await came.sees('8 is even');
    });
    expect((await ada.call('GET /tasks/{id}', { params: { id } })).phase).toBe('failed');
  });

  it('sends a number as it is shown, and none that would arrive as another', async () => {
    const id = await ada.run('weigh', { weight: 1234567890123456800, note: 'is' });
    await visit('ada', `/tasks/${id}`, async (came) => {
      const { page } = came;
      await came.sees('is 1234567890123456800');
      await came.press('Edit and retry');
      await page.getByRole('textbox', { name: 'note' }).fill('still is');
      await came.press('Run as a new task');
      await page.waitForURL((url) => !url.pathname.includes(id));
      await page.getByRole('tab', { name: 'Result' }).click();
      await came.sees('still is 1234567890123456800');
      await page.getByRole('tab', { name: 'Arguments' }).click();
      await came.sees('"weight": 1234567890123456800');
      await came.press('Edit and retry');
      await page.getByRole('textbox', { name: 'weight' }).fill('9007199254740993');
      await came.press('Run as a new task');
      await came.sees(/^9007199254740993 has too many digits: 9007199254740992 would arrive/);
    });
  });

  it('shows what a task has started as a tree, level by level and page by page', async () => {
    const id = await ada.run('nest', { calls: [51, 1, 1] });
    await ada.inPhase(id, 'completed');
    await visit('ada', `/tasks/${id}?tab=children`, async ({ page }) => {
      const levels = page.getByRole('list', { name: /^Started by nest/ });
      const first = levels.first().getByRole('listitem');
      await first.nth(49).waitFor();
      await page.getByRole('button', { name: /^Older ones of nest/ }).click();
      await first.nth(50).waitFor();
      const twig = first.getByRole('button', { name: /^What nest .* started/ }).first();
      await twig.focus();
      await page.keyboard.press('Enter');
      await levels.nth(1).getByRole('button').focus();
      await page.keyboard.press('Enter');
      await levels.nth(2).getByText('Completed').waitFor();
      expect(await levels.nth(2).getByRole('button').count()).toBe(0);
      expect(await first.count()).toBe(53);
      await twig.click();
      expect(await levels.count()).toBe(1);
    });
  });

  it('shows what a tool logs while it runs', async () => {
    const id = await ada.run('talk');
    await visit('ada', `/tasks/${id}?tab=timeline`, async (came) => {
      await came.sees('said 1');
      const logged = came.page.getByText(/^said \d+$/);
      const before = await logged.count();
      await waitFor(async () => (await logged.count()) > before, { what: 'it has logged more' });
    });
    await ada.call('POST /tasks/{id}/cancel', { params: { id } });
  });

  it('shows what is HTML as the text that it is', async () => {
    const failed = await ada.run('fail', { message: HTML });
    const echoed = await ada.run('echo', { text: HTML });
    await ada.inPhase(failed, 'failed');
    await ada.inPhase(echoed, 'completed');
    await visit('operator', '/tasks', async (came) => {
      await came.sees(HTML);
      for (const at of [`/tasks/${failed}`, `/tasks/${failed}?tab=arguments`, `/tasks/${echoed}`]) {
        await came.open(at);
        await came.sees(/<img src=x onerror=alert\(1\)>/);
      }
      await came.page.getByRole('tab', { name: 'Structured' }).click();
      await came.page.getByText('Tree', { exact: true }).click();
      await came.sees(/<img src=x onerror=alert\(1\)>/);
      expect(await came.page.locator('main img, main b').count()).toBe(0);
    });
  });

  it('knows no task of somebody else by its address', async () => {
    const id = await ada.run('echo', { text: 'mine' });
    await visit('bob', `/tasks/${id}`, async (came) => {
      await came.sees('There is no such task');
      await came.open('/tasks');
      await came.sees('There is no task yet');
      expect(await came.page.getByRole('link', { name: 'Workers' }).count()).toBe(0);
    });
  });

  it('tells who may only look why they can not act', async () => {
    const id = await ada.run('wait');
    await visit('viewer', `/tasks/${id}`, async (came) => {
      const cancel = came.page.getByRole('button', { name: 'Cancel task' });
      await cancel.waitFor();
      expect(await cancel.getAttribute('aria-disabled')).toBe('true');
      await cancel.hover();
      await came.page.getByRole('tooltip').getByText('tasks:write').waitFor();
    });
    await ada.call('POST /tasks/{id}/cancel', { params: { id } });
  });

  it('counts new tasks and moves no row until one asks for them', async () => {
    const first = await ada.run('wait');
    await ada.inPhase(first, 'running');
    await visit('ada', '/tasks?tool=wait&tool=even', async ({ page }) => {
      const rows = page.locator('tbody tr');
      await rows.first().getByText('Running').waitFor();
      // The first looks of a stream read the list anew; what is made behind them is counted.
      const isCounted = async () => (await page.getByText(/\d+ new/).count()) > 0;
      const isShown = async (id: string) => (await page.locator(`a[href$="${id}"]`).count()) > 0;
      const second = await waitFor(
        async () => {
          const id = await ada.run('even', { n: 4 });
          await waitFor(async () => (await isCounted()) || (await isShown(id)), {
            what: 'the page knows of the new task',
          });
          return (await isShown(id)) ? null : id;
        },
        { what: 'a new task is counted' },
      );
      const before = await rows.count();
      await ada.call('POST /tasks/{id}/cancel', { params: { id: first } });
      await rows
        .filter({ hasText: first.slice(-8) })
        .getByText('Cancelled')
        .waitFor();
      expect(await rows.count()).toBe(before);
      await page.getByRole('button', { name: 'Show', exact: true }).click();
      await page.locator(`a[href$="${second}"]`).waitFor();
      expect(await rows.count()).toBeGreaterThan(before);
    });
  });

  it('shows the secret of a new key once; who had it when it is revoked comes back by another', async () => {
    const came = await visitor();
    await visit('operator', '/access', async ({ page }) => {
      await page.getByRole('button', { name: 'New key' }).click();
      const form = page.getByRole('form', { name: 'New API key' });
      await form.getByLabel('Name').fill('ci');
      await form.getByLabel('Scopes').fill('tasks:read');
      await page.keyboard.press('Enter');
      await form.getByText('Limits of its own').click();
      await form.getByLabel('Requests a minute').fill('600');
      await form.getByRole('button', { name: 'Make the key' }).click();
      const secret = (await page.locator('[data-secret]').textContent()) ?? '';
      expect(secret).toMatch(/^ls_/);
      await page.getByRole('button', { name: 'Done' }).click();
      await came.logIn(secret, '/tasks?phase=failed');
      const row = page.getByRole('row', { name: /^ci / });
      await row.getByTitle('requestsPerMinute: 600').waitFor();
      await row.getByRole('button', { name: 'Revoke' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
      await row.getByText('revoked', { exact: true }).waitFor();
      expect(await page.content()).not.toContain(secret);
    });
    await came.page.getByRole('alert').getByText('Your login is over').waitFor();
    await came.give(keys.ada);
    await came.page.getByRole('heading', { name: 'Your tasks' }).waitFor();
    expect(came.page.url()).toBe(`${origin}/dashboard/tasks?phase=failed`);
    await came.leave();
  });

  it('says of a task that is deleted while one looks at it that it was', async () => {
    const id = await ada.run('echo', { text: 'soon gone' });
    await ada.inPhase(id, 'completed');
    await visit('ada', `/tasks/${id}`, async (came) => {
      await came.sees('soon gone');
      await sql("UPDATE tasks SET expires_at = now() + interval '2 s' WHERE id = $1", [id]);
      await came.page.keyboard.press('r');
      await came.page.getByRole('alert').getByText('This task was deleted').waitFor();
      await came.sees('soon gone');
    });
  });

  it('keeps its rows, and reads and draws no more, when 200 tasks change a second', async () => {
    await visit('operator', '/queues', async (came) => {
      const { page } = came;
      await sql(BUSY);
      await page.addInitScript(LISTEN);
      await came.open('/tasks?tool=busy');
      const rows = page.locator('tr[data-row]');
      await rows.nth(49).waitFor();
      await page.locator('.live[data-state=live]').waitFor();
      const order = () => rows.locator('a').evaluateAll((links) => links.map(String));
      const before = await order();
      await rows.nth(7).getByRole('checkbox').check();
      let requests = 0;
      page.on('request', () => {
        requests += 1;
      });
      let n = 0;
      const changes = async () => {
        n += 1;
        await sql(`UPDATE tasks SET progress = $1, updated_at = now() WHERE ${IS_BUSY}`, [n % 100]);
        return (await page.evaluate<number>(TOLD_OF_ALL)) >= 4;
      };
      await waitFor(changes, { what: 'the page is told four times that all 200 have changed' });
      await rows
        .nth(7)
        .getByText(/^[1-9]\d* %$/)
        .waitFor();
      const { heard, drawn } = await page.evaluate<{ heard: number[]; drawn: number }>('seen');
      expect(requests).toBeLessThanOrEqual(heard.length);
      // For a row each it would be fifty times as many.
      expect(drawn).toBeLessThan(heard.length * 10);
      expect(await order()).toEqual(before);
      expect(await rows.nth(7).getByRole('checkbox').isChecked()).toBe(true);
      await page.keyboard.press('j');
      await page.keyboard.press('Enter');
      await came.sees(/^[1-9]\d* %$/);
    });
    await sql(`DELETE FROM tasks WHERE ${IS_BUSY}`);
  });

  it('follows in any number of tabs what one stream tells, and the next tab has it when its tab is closed', async () => {
    const id = await ada.run('wait');
    await ada.inPhase(id, 'running');
    const came = await visitor();
    await came.logIn(keys.ada, `/tasks/${id}`);
    const tabs = [came.page];
    // A browser has six connections to a host.
    for (let more = 0; more < 6; more += 1) tabs.push(await came.openTab(`/tasks/${id}`));
    for (const tab of tabs) await tab.locator('.live[data-state=live]').waitFor();
    await came.page.close();
    await ada.call('POST /tasks/{id}/cancel', { params: { id } });
    for (const tab of tabs.slice(1))
      await tab.getByText('Cancelled', { exact: true }).first().waitFor();
    expect(came.offences).toEqual([]);
    await came.leave();
  });

  it('is live without TLS from another machine, where pages have neither locks nor a clipboard', async () => {
    const id = await ada.run('echo', { text: 'far away' });
    const came = await Visitor.come(browser, origin.replace('127.0.0.1', ELSEWHERE));
    await came.logIn(keys.ada, `/tasks/${id}?tab=arguments`);
    await came.press('Copy');
    await came.sees('The browser does not let this page write to the clipboard.');
    await came.page.locator('.live[data-state=live]').waitFor();
    expect(await came.page.evaluate('isSecureContext')).toBe(false);
    expect(came.offences).toEqual([]);
    await came.leave();
  });

  it('finds its way back when the server restarts while one watches', async () => {
    const id = await operator.run('wait');
    await operator.inPhase(id, 'running');
    await visit('operator', `/tasks/${id}`, async (came) => {
      await came.page.getByRole('button', { name: /^Live/ }).waitFor();
      await stack.apis.at(-1)?.kill();
      await came.sees('The server does not answer.');
      await came.sees('Running');
      await stack.startApi({ PORT: new URL(origin).port });
      await came.page.getByText('The server does not answer.').waitFor({ state: 'detached' });
      await operator.call('POST /tasks/{id}/cancel', { params: { id } });
      await came.page.getByText('Cancelled', { exact: true }).first().waitFor();
    });
  });

  describe('while a million tasks come', () => {
    let crowded: Promise<void>;
    beforeAll(() => {
      crowded = crowd();
      crowded.catch(() => undefined);
    });

    it('shows the beginning of a result of 50 MB, and downloads all of it', async () => {
      const id = await ada.run('lines', { count: 2_700_000 });
      await ada.inPhase(id, 'completed');
      const { wholeBytes } = await ada.call('GET /tasks/{id}/outcome', { params: { id } });
      expect(wholeBytes).toBeGreaterThan(50_000_000);
      await visit('ada', `/tasks/${id}`, async (came) => {
        await came.sees('This is a part of it');
        await came.sees('line 1 äöü');
        const download = came.page.waitForEvent('download');
        await came.page.getByRole('link', { name: 'Download the result' }).click();
        const { size } = await stat(await (await download).path());
        expect(size).toBe(wholeBytes);
      });
    });

    describe('has no barrier, light or dark, and fits a phone, at', () => {
      let shown: Readonly<Record<'batch' | 'failed' | 'nested' | 'asking', string | undefined>>;
      beforeAll(async () => {
        const latest = async (query: { tool: string } | { phase: 'failed' }) =>
          (await operator.call('GET /tasks', { query: { ...query, limit: 1 } })).tasks[0]?.id;
        const nested = await operator.run('nest', { calls: [1] });
        const asking = await operator.run('greet');
        await operator.inPhase(asking, 'input_required');
        await operator.inPhase(nested, 'completed');
        const [batch, failed] = [
          await latest({ tool: 'batch' }),
          await latest({ phase: 'failed' }),
        ];
        shown = { batch, failed, nested, asking };
      });
      afterAll(async () => {
        await operator.call('POST /tasks/{id}/cancel', { params: { id: shown.asking ?? '' } });
      });

      const pages = [
        ...['/', '/tasks?phase=failed', '/tasks/batch', '/tasks/asking', '/tools', '/workers'],
        ...['/tasks/failed?tab=timeline', '/tasks/nested?tab=children', '/tools/even'],
        ...['/queues', '/schedules', '/access', '/access?tab=principals', '/webhooks', '/audit'],
        ...['/api', '/nowhere'],
      ];
      it.each(pages)('%s', async (named) => {
        const at = named.replace(
          /^\/tasks\/(\w+)/,
          (_, name) => `/tasks/${shown[name as 'batch']}`,
        );
        // What a page is made of is on several of them, and its colours are tokens (apps/dashboard/test/colours.test.ts).
        const colorScheme = pages.indexOf(named) % 2 === 0 ? 'light' : 'dark';
        await visit('operator', at, async (came) => {
          const { page } = came;
          await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
          await page.setViewportSize({ width: 1_280, height: 800 });
          await page.locator(`html[data-mantine-color-scheme=${colorScheme}] #main h1`).waitFor();
          await waitFor(async () => (await page.locator('[aria-busy=true]').count()) === 0, {
            what: `${at} is there`,
          });
          expect(await came.barriers()).toEqual([]);
          await page.setViewportSize({ width: 360, height: 740 });
          expect(await came.overhang()).toBeLessThanOrEqual(0);
        });
      });
    });

    it('finds its way among 1,000,000 tasks', async () => {
      await ada.run('even', { n: 2 });
      await crowded;
      await visit('operator', '/tasks?tool=crowd', async (came) => {
        const { page } = came;
        await came.sees(/^10,000\+ match/);
        const rows = page.locator('tr[data-row]');
        await waitFor(async () => (await rows.count()) === 50, { what: 'a page of them' });
        const first = await rows.first().textContent();
        await came.press('Older');
        await waitFor(async () => (await rows.first().textContent()) !== first, {
          what: 'the next page',
        });
        await came.open('/tasks?tool=crowd&phase=failed');
        await waitFor(async () => (await rows.count()) === 50, { what: 'what has failed' });
        // One in 200,000: the search says how far it has looked, and goes on when it is asked to.
        await came.open('/tasks?tool=rare');
        await came.sees('Nothing yet among the latest tasks');
        await came.press('Older');
        await came.sees('Looked at tasks back to');
        await came.open('/');
        await came.sees('Ended, by outcome');
        await came.open('/tools/even');
        await page.getByRole('row', { name: /^0\.0\.0 \d/ }).waitFor();
      });
    });
  });
});

/** In a page: of how many tasks each event tells, and how often something is drawn. */
const LISTEN = `
  seen = { heard: [], drawn: 0 };
  EventSource = class extends EventSource {
    constructor(...given) {
      super(...given);
      this.addEventListener('message', ({ data }) => {
        const { kind, changed } = JSON.parse(data);
        if (kind === 'tasks') seen.heard.push(changed.length);
      });
    }
  };
  new MutationObserver(() => { seen.drawn += 1; }).observe(document, { subtree: true, childList: true, characterData: true });`;

const TOLD_OF_ALL = 'seen.heard.filter((changes) => changes === 200).length';
