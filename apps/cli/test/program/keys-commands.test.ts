import { describe, expect, it } from '@jest/globals';
import { read } from './recorded.ts';

const parse = (...args: string[]) => read('keys', ...args);
const DAY_MS = 86_400_000;

describe('longshore keys', () => {
  it('creates with as little as a name', async () => {
    expect(await parse('create', '--name', 'nightly')).toMatchObject({
      ran: 'keys',
      key: {
        kind: 'create',
        name: 'nightly',
        scopes: [],
        expiresInMs: null,
        principal: null,
        limits: {},
        json: false,
      },
    });
  });

  it('creates with everything', async () => {
    const args = ['--scope', 'tools:a.b', '--scope', 'tasks:read', '--scope', 'tasks:read'];
    const limits = ['--limit', 'queuedTasks=100', '--limit', 'requestsPerMinute=0'];
    const more = ['--expires', '30d', '--principal', 'team', '--json', ...limits];
    expect(await parse('create', '--name', 'n', ...args, ...more)).toMatchObject({
      key: {
        scopes: ['tools:a.b', 'tasks:read'],
        expiresInMs: 30 * DAY_MS,
        principal: 'team',
        limits: { queuedTasks: 100, requestsPerMinute: 0 },
        json: true,
      },
    });
  });

  it('lists and revokes', async () => {
    expect(await parse('list')).toMatchObject({ key: { kind: 'list', json: false } });
    expect(await parse('revoke', 'an-id', '--json')).toMatchObject({
      key: { kind: 'revoke', id: 'an-id', json: true },
    });
  });

  it.each<[string[], RegExp]>([
    [['steal'], /unknown command 'steal'/],
    [['create'], /--name/],
    [['create', '--name', 'a\u001bb'], /--name/],
    [['create', '--name', 'n', '--principal', ''], /--principal/],
    [['create', '--name', 'n', '--scope', 'everything'], /'everything' is invalid/],
    [['create', '--name', 'n', '--scope', 'tools:a b'], /'tools:a b' is invalid/],
    [
      ['create', '--name', 'n', '--limit', 'queuedTasks'],
      /'queuedTasks' is invalid. It is no NAME=NUMBER/,
    ],
    [['create', '--name', 'n', '--limit', 'queuedTasks=-1'], /It is no NAME=NUMBER/],
    [['create', '--name', 'n', '--limit', 'constructor=1'], /one of requestsPerMinute, /],
    [['create', '--name', 'n', '--limit', 'openStreams=0'], /openStreams is from 1 to 10000/],
    [['create', '--name', 'n', '--limit', 'maxTtlMs=999'], /maxTtlMs is from 1000 to/],
    [['create', '--name', 'n', '--expires', '30'], /'30' is invalid. It is no duration/],
    [['create', '--name', 'n', '--expires', '0d'], /'0d' is invalid. It is no duration/],
    [['create', '--name', 'n', '--expires', '99999d'], /'99999d' is invalid. It is no duration/],
    [['create', '--name', 'n', 'more'], /too many arguments/],
    [['list', 'more'], /too many arguments/],
    [['revoke'], /missing required argument 'id'/],
    [['revoke', 'a', 'b'], /too many arguments/],
  ])('says what is wrong with %j', async (args, message) => {
    expect(await parse(...args)).toMatchObject({
      kind: 'mistake',
      message: expect.stringMatching(message),
    });
  });
});
