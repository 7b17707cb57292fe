import { spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { COMMAND_SPECS } from '../../src/help/command-specs.ts';
import { completionScript } from '../../src/help/completion.ts';

/** What a real bash offers for the last of `words`. */
function offered(words: readonly string[]): string[] {
  const script = `${completionScript('bash')}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
_longshore; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { status, stdout, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
  return stdout.trim().split('\n');
}

describe('completion for bash', () => {
  it('offers commands', () => {
    expect(offered(['longshore', 'st'])).toEqual(['start', 'stdio']);
    expect(offered(['longshore', 'tasks', ''])).toEqual([
      'list',
      'show',
      'tail',
      'cancel',
      'retry',
    ]);
  });

  it('offers the commands for authors', () => {
    expect(offered(['longshore', 'plugin', ''])).toEqual(['new', 'dev', 'check']);
    expect(offered(['longshore', 'plugin', 'check', '--st'])).toEqual(['--strict']);
  });

  it('offers options, and values where they are few', () => {
    expect(offered(['longshore', 'call', 'x', '--de'])).toEqual(['--detach']);
    expect(offered(['longshore', 'tasks', 'list', '--l'])).toEqual(['--limit']);
    expect(offered(['longshore', 'call', 'x', '--output', ''])).toEqual(['text', 'json']);
    expect(offered(['longshore', 'keys', 'cr'])).toEqual(['create']);
  });
});

it.each(['zsh', 'fish'] as const)('the script for %s knows every command and option', (shell) => {
  const script = completionScript(shell);
  for (const { name, options } of COMMAND_SPECS) {
    expect(script).toContain(name.split(' ').at(-1));
    for (const option of Object.keys(options)) expect(script).toContain(option);
  }
});
