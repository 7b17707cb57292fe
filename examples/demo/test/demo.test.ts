import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { waitFor } from '@longshore/testing';
import { type SpawnedProcess, spawnProcess } from '@longshore/testing/processes';

const ROOT = path.join(import.meta.dirname, '..', '..', '..');
const DEMO = path.join(ROOT, 'examples', 'demo', 'dist', 'main.js');

const start = (): Promise<SpawnedProcess> => spawnProcess(process.execPath, [DEMO], { cwd: ROOT });

/** What the run of that process has on disk. */
const directoryOf = (demo: SpawnedProcess): string =>
  path.join(ROOT, '.longshore-demo', `run-${demo.pid}`);

/** Processes that were told to keep their data there; none where there is no /proc. */
function processesOf(directory: string): string[] {
  if (!existsSync('/proc/self/environ')) return [];
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return (
        readFileSync(`/proc/${pid}/environ`, 'utf8').includes(directory) ||
        readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(directory)
      );
    } catch {
      // It has ended meanwhile.
      return false;
    }
  });
}

/** A line without what differs from run to run. */
const shape = (line: string): string => line.replaceAll(/\d+/g, '#').replaceAll(/\s+/g, ' ').trim();

/** What README shows of the demo. */
function readmeLines(): string[] {
  const readme = readFileSync(path.join(ROOT, 'README.md'), 'utf8');
  const block = /<!-- demo -->[\s\S]*?```\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
  return block.split('\n');
}

/** What its picture shows, below the command; long lines are cut and end with `…`. */
function pictureLines(): string[] {
  const picture = readFileSync(path.join(ROOT, 'docs', 'demo.svg'), 'utf8');
  const texts = [...picture.matchAll(/<text [^>]*>([^<]*)<\/text>/g)].map(([, text = '']) => text);
  return texts
    .slice(1)
    .map((text) => text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&'));
}

describe('npm run demo', () => {
  it('ends well, shows what README and its picture say it shows, and leaves nothing', async () => {
    const demo = await start();
    const { code } = await demo.exited;
    expect({ code, output: code === 0 ? '' : demo.logs() }).toEqual({ code: 0, output: '' });
    const shown = demo.lines.map(shape);
    const isShown = (line: string): boolean =>
      shown.some(
        (own) => own === line || (line.endsWith('…') && own.startsWith(line.slice(0, -1))),
      );
    // How far each task is at a moment is chance.
    const promised = [...readmeLines(), ...pictureLines()]
      .filter((line) => !/%|^\s*…?$/.test(line))
      .map(shape);
    expect(promised.length).toBeGreaterThan(25);
    expect(promised.filter((line) => !isShown(line))).toEqual([]);
    expect(demo.logs()).toMatch(/5000 items: 5000 done, 0 failed, each with one outcome/);
    expect(demo.logs()).toMatch(/worker \d+ killed \(SIGKILL\) when 2\d\d\d of 5000/);
    expect(existsSync(directoryOf(demo))).toBe(false);
    expect(processesOf(directoryOf(demo))).toEqual([]);
  }, 180_000);

  it('stops everything and leaves nothing when it is interrupted', async () => {
    const demo = await start();
    await demo.waitForLine(/count all texts +\d+%/, 90_000);
    expect(processesOf(directoryOf(demo)).length).toBeGreaterThan(existsSync('/proc') ? 2 : -1);
    process.kill(demo.pid, 'SIGINT');
    expect(await demo.exited).toEqual({ code: 1, signal: null });
    expect(demo.logs()).toContain('stopped by SIGINT');
    expect(existsSync(directoryOf(demo))).toBe(false);
    await waitFor(() => processesOf(directoryOf(demo)).length === 0, {
      what: 'its processes have ended',
    });
  }, 120_000);
});
