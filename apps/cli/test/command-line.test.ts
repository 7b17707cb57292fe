import { describe, expect, it } from '@jest/globals';
import { parseCommandLine, USAGE } from '../src/command-line.ts';

describe('parseCommandLine', () => {
  it.each(['start', 'migrate'] as const)('knows %s', (command) => {
    expect(parseCommandLine([command])).toEqual({ kind: 'run', command });
    expect(USAGE).toContain(`  ${command} `);
  });

  it.each([['--help'], ['-h'], ['start', '--help']])('shows help for %s', (...args) => {
    expect(parseCommandLine(args)).toEqual({ kind: 'help' });
  });

  it.each<[string[], RegExp]>([
    [[], /^no command given$/],
    [['fly'], /^unknown command 'fly'$/],
    [['start', 'now'], /^'start' takes no argument 'now'$/],
    [['start', '--fast'], /Unknown option '--fast'/],
    [['--help=yes'], /help/],
  ])('says what is wrong with %j', (args, message) => {
    expect(parseCommandLine(args)).toEqual({
      kind: 'mistake',
      message: expect.stringMatching(message),
    });
  });
});
