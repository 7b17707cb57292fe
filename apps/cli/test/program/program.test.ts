import { describe, expect, it } from '@jest/globals';
import { helpOf } from '../../src/program/help.ts';
import { documentedCommands } from '../../src/program/program.ts';
import { programOf, read } from './recorded.ts';

const commands = documentedCommands(programOf()).map(
  ({ name, command }) => [name, command] as const,
);

describe('the command line', () => {
  it.each(['start', 'stdio', 'api', 'worker', 'migrate'] as const)('knows %s', async (command) => {
    expect(await read(command)).toMatchObject({ kind: 'ran', ran: command });
  });

  it.each([['--help'], ['-h'], ['help']])('shows help for %s', async (...args) => {
    const { printed, kind } = await read(...args);
    expect([kind, `${printed.join('\n')}\n`]).toEqual(['ran', helpOf(programOf())]);
  });

  it.each([
    [[], /^Usage: longshore /],
    [['tasks'], /^Usage: longshore tasks /],
  ])('shows the commands for %j', async (args, help) => {
    const { kind, printed } = await read(...args);
    expect([kind, printed.join('')]).toEqual(['mistake', expect.stringMatching(help)]);
  });

  it.each([['--version'], ['-V']])('says its version for %s', async (...args) => {
    expect(await read(...args)).toMatchObject({ kind: 'ran', printed: ['1.2.3'] });
  });

  it.each(commands)('teaches %s with an example, within 80 columns', async (name, command) => {
    const { printed, ran } = await read(...name.split(' '), '--help');
    expect([`${printed.join('\n')}\n`, ran]).toEqual([helpOf(command), null]);
    expect(helpOf(command)).toMatch(/\nExamples?:\n {2}\S/);
    const [about = ''] = helpOf(command).split(/\nExamples?:/);
    expect(about.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  it('takes the options of a command', async () => {
    const { options } = await read('call', 'x', '--arg', 'a=1', '--arg', 'b=2', '--watch');
    expect(options).toMatchObject({ arg: ['a=1', 'b=2'], watch: true, output: 'text' });
    expect(options).not.toHaveProperty('detach');
    expect((await read('tasks', 'list', '--json')).options).toMatchObject({ output: 'json' });
  });

  it('asks for the tool where a call asks for help', async () => {
    const { ran, options } = await read('call', 'text_count', '--help');
    expect([ran, options]).toEqual(['ask', expect.objectContaining({ help: true })]);
  });

  it.each<[string[], RegExp]>([
    [['fly'], /^unknown command 'fly'$/],
    [['start', 'now'], /^too many arguments for 'start'/],
    [['start', '--fast'], /^unknown option '--fast'$/],
    [['cal'], /^unknown command 'cal' \(Did you mean call\?\)$/],
    [['tasks', 'lst'], /^unknown command 'lst' \(Did you mean list\?\)$/],
    [['call'], /^missing required argument 'tool'$/],
    [['call', 'x', 'y'], /^too many arguments for 'call'/],
    [['call', 'x', '--output', 'xml'], /'xml' is invalid. Allowed choices are text, json\.$/],
    [['call', 'x', '--arg'], /^option '--arg <name=value>' argument missing$/],
    [['call', 'x', '--args', 'a=1'], /^unknown option '--args' \(Did you mean --arg\?\)$/],
    [['call', 'x', '--json'], /argument missing: here it takes the arguments; .* --output json$/],
    [['tasks', 'show', 'x', '--stats'], /^unknown option '--stats'$/],
    [['tasks', 'list', '--statuss', 'x'], /\(Did you mean --status\?\)$/],
    [['tasks', 'list', '--status', 'done'], /'done' is invalid. Allowed choices are queued, /],
    [['tasks', 'list', '--limit', 'x'], /'x' is invalid. It is no whole number above 0\.$/],
    [['schedule', 'add', 'x', '--cron', 'x', '--at', 'y'], /--cron .* cannot be used with .*--at/],
    [
      ['start', '--port', '3001'],
      /^there is no option --port: set the variable PORT, as in PORT=3001 longshore start$/,
    ],
    [['worker', '--plugins=./a.js'], /as in PLUGINS=\.\/a\.js longshore worker$/],
    [['start', '--data-dir'], /^there is no option --data-dir: set the variable DATA_DIR, /],
    [
      ['completion', 'csh'],
      /'csh' is invalid for argument 'shell'. Allowed choices are bash, zsh, fish\.$/,
    ],
  ])('says in one line what is wrong with %j', async (args, message) => {
    const reading = await read(...args);
    expect(reading).toMatchObject({ kind: 'mistake', message: expect.stringMatching(message) });
    expect(reading.kind === 'mistake' && reading.message).not.toContain('\n');
    expect([reading.ran, reading.printed]).toEqual([null, []]);
  });
});
