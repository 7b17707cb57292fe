import { describe, expect, it } from '@jest/globals';
import { parseCommandLine, USAGE } from '../../src/command/command-line.ts';

const URL = 'http://127.0.0.1:3000/mcp';

describe('parseCommandLine', () => {
  it('needs no more than a URL', () => {
    expect(parseCommandLine(['--url', URL])).toEqual({
      kind: 'run',
      json: false,
      options: { url: URL, headers: {}, tools: {}, timing: {}, strict: false, requireAll: false },
    });
  });

  it('takes everything there is', () => {
    const args =
      '--only a,b --strict --require-all --task-ms 1 --settle-ms 2 --timeout-ms 3 --concurrency 5 --json';
    const line = parseCommandLine([
      '--url',
      URL,
      '--header',
      'Authorization: Bearer a:b',
      '--header',
      'X-Tenant:one',
      '--other-header',
      'authorization: Bearer c',
      '--tool',
      'slow=sleep',
      ...args.split(' '),
    ]);
    expect(line).toEqual({
      kind: 'run',
      json: true,
      options: {
        url: URL,
        headers: { authorization: 'Bearer a:b', 'x-tenant': 'one' },
        otherHeaders: { authorization: 'Bearer c' },
        tools: { slow: 'sleep' },
        only: ['a', 'b'],
        concurrency: 5,
        timing: { taskMs: 1, settleMs: 2, timeoutMs: 3 },
        strict: true,
        requireAll: true,
      },
    });
  });

  it.each([
    [['--list'], { kind: 'list', json: false }],
    [['--list', '--json'], { kind: 'list', json: true }],
    [['-h'], { kind: 'help' }],
  ])('takes %j', (args, expected) => {
    expect(parseCommandLine(args)).toEqual(expected);
  });

  it.each([
    [[], '--url is missing'],
    [['--url', 'nowhere'], 'Invalid URL'],
    [['--url', 'ftp://host/'], 'not http(s)'],
    [['--url', URL, '--header', 'nothing'], '--header takes "Name: value"'],
    [['--url', URL, '--tool', 'sleep'], '--tool takes ROLE=NAME'],
    [['--url', URL, '--tool', 'unknown=sleep'], '--tool takes ROLE=NAME'],
    [['--url', URL, '--task-ms', '0'], '--task-ms takes a whole number'],
    [['--url', URL, '--concurrency', 'many'], '--concurrency takes a whole number'],
    [['--url', URL, '--verbose'], '--verbose'],
    [['--url', URL, 'extra'], 'extra'],
  ])('finds the mistake in %j', (args, words) => {
    expect(parseCommandLine(args)).toEqual({
      kind: 'mistake',
      message: expect.stringContaining(words),
    });
  });

  it('has every option in its usage', () => {
    const options = ['url', 'header', 'other-header', 'tool', 'only', 'strict', 'require-all'];
    for (const option of [...options, 'task-ms', 'settle-ms', 'timeout-ms', 'json', 'list']) {
      expect(USAGE).toContain(`  --${option} `);
    }
  });
});
