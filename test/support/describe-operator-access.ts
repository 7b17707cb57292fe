import { beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@longshore/testing';
import { OperatorApi, type OperatorStage } from './operator-client.ts';

/** Tests of who gets in, and of what is on record of them. Some of it is what tests before these have done. */
export function describeOperatorAccess(stage: () => OperatorStage): void {
  describe('access', () => {
    let on: OperatorStage;
    beforeAll(() => {
      on = stage();
    });

    it('makes and revokes keys, and shows a secret once', async () => {
      const { key, secret } = await on.operator.call('POST /keys', {
        body: { name: 'made', principal: 'eve', scopes: ['tasks:read', 'tools:echo'] },
      });
      const eve = new OperatorApi(on.stack.urls[0] ?? '', secret);
      expect(await eve.call('GET /me')).toMatchObject({
        principal: { kind: 'api_key', subject: 'eve' },
        seesAll: false,
        operates: false,
      });
      expect(JSON.stringify(await on.viewer.call('GET /keys'))).not.toContain(secret);
      await expect(
        on.operator.call('POST /keys', { body: { name: 'x', scopes: ['root'] } }),
      ).rejects.toMatchObject({ status: 400, message: 'There is no scope root' });
      const most = { name: 'x', scopes: ['tasks:read'], limits: { openStreams: 10_001 } };
      expect(await on.operator.status('POST', '/keys', most)).toEqual([400, 'INVALID_PARAMS']);
      await expect(
        on.ada.call('POST /keys', { body: { name: 'x', scopes: ['ops:write'] } }),
      ).rejects.toMatchObject({ status: 403 });
      await on.operator.call('POST /keys/{id}/revoke', { params: { id: key.id } });
      await waitFor(async () => (await eve.status('GET', '/me'))[0] === 401, {
        what: 'the key is good no more',
      });
      expect(
        (await on.viewer.call('GET /principals')).principals.map(({ subject }) => subject),
      ).toEqual(expect.arrayContaining(['ada', 'eve']));
    });

    describe('a login of the dashboard', () => {
      const own = { 'x-longshore-dashboard': '1' };
      const login = (key: string, headers: Record<string, string> = own) =>
        fetch(`${on.ada.base}/session`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: JSON.stringify({ key }),
        });

      it('is a cookie that no script reads, with the key in it that nobody reads', async () => {
        const response = await login(on.adasKey);
        expect(response.status).toBe(200);
        const [cookie = ''] = response.headers.getSetCookie();
        expect(cookie).toMatch(
          /^longshore=[^;]+; Max-Age=43200; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/,
        );
        expect(cookie).not.toContain(on.adasKey);
        const session = { cookie: cookie.split(';')[0] ?? '' };
        const as = (method: string, route: string, body?: unknown, headers = {}) =>
          new OperatorApi(on.stack.urls[0] ?? '', null).status(method, route, body, {
            ...session,
            ...headers,
          });
        expect((await as('GET', '/tasks'))[0]).toBe(200);
        const call = { arguments: { text: 'by cookie' } };
        expect(await as('POST', '/tools/echo/run', call)).toEqual([403, 'FORBIDDEN_ORIGIN']);
        expect((await as('POST', '/tools/echo/run', call, own))[0]).toBe(200);
        const foreign = { ...own, 'sec-fetch-site': 'cross-site' };
        expect(await as('POST', '/tools/echo/run', call, foreign)).toEqual([
          403,
          'FORBIDDEN_ORIGIN',
        ]);
        const out = await fetch(`${on.ada.base}/session`, {
          method: 'DELETE',
          headers: { ...session, ...own },
        });
        expect(out.headers.getSetCookie()[0]).toMatch(
          /^longshore=; Path=\/; Expires=Thu, 01 Jan 1970/,
        );
      });

      it('is refused without a good key, from another page, and with a cookie of somebody’s own making', async () => {
        expect((await login(`ls_${'x'.repeat(43)}`)).status).toBe(401);
        expect((await login('')).status).toBe(400);
        expect((await login(on.adasKey, {})).status).toBe(403);
        const nobody = new OperatorApi(on.stack.urls[0] ?? '', null);
        expect(await nobody.status('GET', '/tasks')).toEqual([401, 'UNAUTHENTICATED']);
        const forged = { cookie: 'longshore=eyJhbGciOiJub25lIn0.e30.' };
        expect(await nobody.status('GET', '/tasks', undefined, forged)).toEqual([
          401,
          'UNAUTHENTICATED',
        ]);
      });
    });

    it('puts on record who did what, and what was refused, and exports it', async () => {
      const target = await on.ada.run('wait');
      await on.viewer.call('GET /tasks/{id}', { params: { id: target } });
      await on.viewer.call('GET /tasks/{id}', { params: { id: target } });
      await on.ada.call('POST /tasks/{id}/cancel', { params: { id: target } });
      await expect(on.bob.call('GET /audit')).rejects.toMatchObject({ status: 403 });
      const adas = (await on.ada.call('GET /me')).principal.id;
      const viewers = (await on.viewer.call('GET /me')).principal.id;
      const about = await waitFor(
        async () => {
          const { entries } = await on.viewer.call('GET /audit', { query: { target } });
          return entries.length < 3 ? null : entries;
        },
        { what: 'the entries are written' },
      );
      expect(about.map(({ action, principalId }) => [action, principalId])).toEqual([
        ['task_cancelled', adas],
        ['task_read', viewers],
        ['task_created', adas],
      ]);
      for (const what of ['outcome', 'items', 'batch']) {
        const task = await on.ada.run('echo', { text: what });
        await on.viewer.status('GET', `/tasks/${task}/${what}`);
        const query = { target: task, action: 'task_read' } as const;
        await waitFor(
          async () => (await on.viewer.call('GET /audit', { query })).entries.length === 1,
          {
            what: `that ${what} was read is on record`,
          },
        );
      }
      expect(about[0]).toMatchObject({
        address: '127.0.0.1',
        target: { kind: 'task', id: target },
      });
      const bobs = (await on.bob.call('GET /me')).principal.id;
      const refusals = await waitFor(
        async () => {
          const { entries } = await on.viewer.call('GET /audit', { query: { principal: bobs } });
          const actions = entries.map(({ action }) => action);
          return actions.includes('refused') && actions.includes('lookups_failed') ? entries : null;
        },
        { what: 'what bob was refused is on record' },
      );
      // Again and again within a minute is one entry.
      expect(refusals.filter(({ action }) => action === 'lookups_failed')).toHaveLength(1);
      const first = await on.viewer.call('GET /audit', { query: { limit: 1 } });
      const second = await on.viewer.call('GET /audit', {
        query: { limit: 1, ...(first.next === null ? {} : { cursor: first.next }) },
      });
      expect(Number(second.entries[0]?.id)).toBeLessThan(Number(first.entries[0]?.id));
      const file = await fetch(`${on.ada.base}/audit/export?target=${target}`, {
        headers: on.viewer.headers,
      });
      const lines = (await file.text()).trim().split('\n');
      expect(lines.map((line) => (JSON.parse(line) as { action: string }).action)).toEqual([
        'task_cancelled',
        'task_read',
        'task_created',
      ]);
      const all = await (
        await fetch(`${on.ada.base}/audit/export`, { headers: on.viewer.headers })
      ).text();
      expect(all).not.toContain('ls_');
      for (const action of ['key_made', 'key_revoked', 'login', 'bulk_begun', 'queue_paused'])
        expect(all).toContain(`"${action}"`);
    });
  });
}
