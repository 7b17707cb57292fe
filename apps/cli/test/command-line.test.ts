import { describe, expect, it } from '@jest/globals';
import { parseCommandLine } from '../src/command-line.ts';
import { COMMAND_SPECS } from '../src/help/command-specs.ts';
import { commandHelp, USAGE } from '../src/help/render-help.ts';

describe('parseCommandLine', () => {
  it.each(['start', 'stdio', 'api', 'worker', 'migrate'] as const)('knows %s', (command) => {
    expect(parseCommandLine([command])).toEqual({ kind: 'run', command });
    expect(USAGE).toContain(`  ${command} `);
  });

  it.each([['--help'], ['-h'], ['help']])('shows help for %s', (...args) => {
    expect(parseCommandLine(args)).toEqual({ kind: 'help', text: USAGE });
  });

  it.each(COMMAND_SPECS.map((spec) => [spec.name, spec] as const))(
    'teaches %s with an example, and with each of its options',
    (name, spec) => {
      const help = parseCommandLine([...name.split(' '), '--help']);
      expect(help).toEqual({ kind: 'help', text: commandHelp(spec) });
      for (const option of Object.keys(spec.options))
        expect(commandHelp(spec)).toContain(`--${option}`);
      expect(commandHelp(spec)).toMatch(/\nExamples?:\n {2}\S/);
      expect(USAGE).toContain(`  ${name} `);
    },
  );

  it('takes the options of a command', () => {
    const parsed = parseCommandLine(['call', 'x', '--arg', 'a=1', '--arg', 'b=2', '--watch']);
    if (parsed.kind !== 'client') throw new Error(`it is ${parsed.kind}`);
    const { command } = parsed;
    expect([command.name, command.positionals]).toEqual(['call', ['x']]);
    expect(command.list('arg')).toEqual(['a=1', 'b=2']);
    expect([command.flag('watch'), command.flag('detach')]).toEqual([true, false]);
    expect(command.text('json')).toBeUndefined();
  });

  it.each<[string[], RegExp]>([
    [[], /^no command given$/],
    [['fly'], /^unknown command 'fly'$/],
    [['start', 'now'], /^'start' takes no argument 'now'$/],
    [['start', '--fast'], /Unknown option '--fast'/],
    [['--help=yes'], /help/],
    [['cal'], /^unknown command 'cal': did you mean call\?$/],
    [['tasks', 'lst'], /^unknown command 'tasks lst': did you mean tasks list/],
    [['call'], /^'call' needs TOOL$/],
    [['call', 'x', 'y'], /^'call' takes no argument 'y'$/],
    [['call', 'x', '--output', 'xml'], /^'xml' is none of --output text\|json$/],
    [['call', 'x', '--arg'], /--arg/],
    [['completion', 'csh'], /^'csh' is none of bash, zsh, fish$/],
  ])('says what is wrong with %j', (args, message) => {
    expect(parseCommandLine(args)).toEqual({
      kind: 'mistake',
      message: expect.stringMatching(message),
      help: expect.stringMatching(/^Usage: longshore /),
    });
  });
});
