import { spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { candidates, completionScript } from '../../src/program/completion.ts';
import { programOf } from './recorded.ts';

describe('what may follow', () => {
  const offered = (...words: string[]) => candidates(programOf(), words);

  it('offers commands', () => {
    expect(offered('st')).toEqual(['start', 'stdio']);
    expect(offered('tasks', 'c')).toEqual(['cancel']);
    expect(offered('plugin', '')).toEqual(expect.arrayContaining(['new', 'dev', 'check']));
    expect(offered('keys', 'cr')).toEqual(['create']);
    expect(offered('')).not.toContain('engine');
  });

  it('offers options, and values where they are few', () => {
    expect(offered('call', 'x', '--de')).toEqual(['--detach']);
    expect(offered('tasks', 'list', '--l')).toEqual(['--limit']);
    expect(offered('call', 'x', '--output', '')).toEqual(['text', 'json']);
    expect(offered('plugin', 'check', '--st')).toEqual(['--strict']);
    expect(offered('completion', '')).toEqual(['bash', 'zsh', 'fish']);
  });

  it('leaves files to the shell', () => {
    expect(offered('call', 'x', '--json', '')).toEqual([]);
    expect(offered('plugin', 'check', './')).toEqual([]);
  });
});

it('a real bash asks for what is typed, and offers what it is told', () => {
  const script = `longshore() { printf '%s\\n' "$@" >&2; printf 'start\\nstdio\\n'; }
${completionScript('bash')}
COMP_WORDS=(longshore tasks 'st'); COMP_CWORD=2
_longshore; printf '%s,' "\${COMPREPLY[@]}"`;
  // What the program writes to standard error is not for a terminal in the middle of a line.
  const { status, stdout, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
  expect([status, stdout, stderr]).toEqual([0, 'start,stdio,', '']);
});

it.each(['zsh', 'fish'] as const)('the script for %s asks this program', (shell) => {
  expect(completionScript(shell)).toContain('longshore complete -- ');
});
