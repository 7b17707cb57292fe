import { describe, expect, it } from '@jest/globals';
import { parseCommandLine } from '../../src/command-line.ts';

const parse = (...args: string[]) => parseCommandLine(['keys', ...args]);
const DAY_MS = 86_400_000;

describe('longshore keys', () => {
  it('creates with as little as a name', () => {
    expect(parse('create', '--name', 'nightly')).toEqual({
      kind: 'keys',
      action: {
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

  it('creates with everything', () => {
    const args = ['--scope', 'tools:a.b', '--scope', 'tasks:read', '--scope', 'tasks:read'];
    const limits = ['--limit', 'queuedTasks=100', '--limit', 'requestsPerMinute=0'];
    const more = ['--expires', '30d', '--principal', 'team', '--json', ...limits];
    expect(parse('create', '--name', 'n', ...args, ...more)).toMatchObject({
      action: {
        scopes: ['tools:a.b', 'tasks:read'],
        expiresInMs: 30 * DAY_MS,
        principal: 'team',
        limits: { queuedTasks: 100, requestsPerMinute: 0 },
        json: true,
      },
    });
  });

  it('lists and revokes', () => {
    expect(parse('list')).toEqual({ kind: 'keys', action: { kind: 'list', json: false } });
    expect(parse('revoke', 'an-id', '--json')).toEqual({
      kind: 'keys',
      action: { kind: 'revoke', id: 'an-id', json: true },
    });
  });

  it.each([[['--help']], [['create', '--help']], [['list', '-h']], [['revoke', '-h']]])(
    'shows help for %j',
    (args) => {
      expect(parse(...args)).toEqual({
        kind: 'help',
        text: expect.stringContaining('keys create'),
      });
    },
  );

  it.each<[string[], RegExp]>([
    [[], /create, list or revoke/],
    [['steal'], /unknown command 'keys steal'/],
    [['create'], /--name/],
    [['create', '--name', 'a\u001bb'], /--name/],
    [['create', '--name', 'n', '--principal', ''], /--principal/],
    [['create', '--name', 'n', '--scope', 'everything'], /--scope 'everything'/],
    [['create', '--name', 'n', '--scope', 'tools:a b'], /--scope 'tools:a b'/],
    [['create', '--name', 'n', '--limit', 'queuedTasks'], /queuedTasks' is no NAME=NUMBER/],
    [['create', '--name', 'n', '--limit', 'queuedTasks=-1'], /is no NAME=NUMBER/],
    [['create', '--name', 'n', '--limit', 'constructor=1'], /one of requestsPerMinute, /],
    [['create', '--name', 'n', '--limit', 'openStreams=0'], /openStreams is from 1 to 10000/],
    [['create', '--name', 'n', '--limit', 'maxTtlMs=999'], /maxTtlMs is from 1000 to/],
    [['create', '--name', 'n', '--expires', '30'], /--expires '30'/],
    [['create', '--name', 'n', '--expires', '0d'], /--expires '0d'/],
    [['create', '--name', 'n', '--expires', '99999d'], /--expires '99999d'/],
    [['create', '--name', 'n', 'more'], /more/],
    [['list', 'more'], /more/],
    [['revoke'], /id of a key/],
    [['revoke', 'a', 'b'], /'b'/],
  ])('says what is wrong with %j', (args, message) => {
    expect(parse(...args)).toEqual({
      kind: 'mistake',
      message: expect.stringMatching(message),
      help: expect.stringMatching(/^Usage: longshore keys /),
    });
  });
});
