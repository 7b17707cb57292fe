import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { type SpawnedProcess, spawnProcess, waitFor } from '@longshore/testing';
import { consoleBlocks, firstMissing } from './support/played-console.ts';

const ROOT = path.join(import.meta.dirname, '..');
const DOCUMENT = path.join(ROOT, 'docs', 'first-ten-minutes.md');

/** The home directory in the document. */
const HOME = '/home/me';

/** Of util-linux: gives what it runs a terminal of its own, as a person has one. */
const SCRIPT = '/usr/bin/script';

/** Runs the command of a block in a terminal, in the checkout, with nothing of ours in its home. */
const inTerminal = (command: string, home: string): Promise<SpawnedProcess> =>
  spawnProcess(SCRIPT, ['--quiet', '--return', '--flush', '--command', command, '/dev/null'], {
    cwd: ROOT,
    env: { HOME: home, DATA_DIR: path.join(home, '.longshore'), PORT: '0', CI: undefined },
  });

/** A command that goes on. */
interface Terminal {
  readonly process: SpawnedProcess;
  readonly home: string;
  /** Lines that were looked at. */
  readonly seen: number;
}

const shownOf = ({ lines }: SpawnedProcess, home: string): string[] =>
  lines.map((line) => line.replaceAll(home, HOME));

const whenShown = ({ process, home, seen }: Terminal, expected: readonly string[]): Promise<true> =>
  waitFor(
    () => {
      const missing = firstMissing(expected, shownOf(process, home).slice(seen));
      if (missing !== null) throw new Error(`“${missing}” is not in:\n${process.logs()}`);
      return true;
    },
    { what: 'the terminal shows what the document says', timeoutMs: 60_000 },
  );

describe('docs/first-ten-minutes.md', () => {
  const play = process.platform === 'linux' && existsSync(SCRIPT) ? it : it.todo;

  play(
    'shows what happens when somebody does what it says',
    async () => {
      const home = mkdtempSync(path.join(tmpdir(), 'longshore-first-'));
      const terminals = new Map<string | null, Terminal>();
      const blocks = consoleBlocks(readFileSync(DOCUMENT, 'utf8'));
      expect(blocks.length).toBeGreaterThan(10);
      for (const { terminal, command, output } of blocks) {
        if (terminal === null) {
          const process = await inTerminal(command ?? '', home);
          const { code } = await process.exited;
          const missing = firstMissing(output, shownOf(process, home));
          const log = code === 0 && missing === null ? '' : process.logs();
          expect({ command, code, missing, log }).toEqual({
            command,
            code: 0,
            missing: null,
            log: '',
          });
        } else {
          const open =
            command === null
              ? terminals.get(terminal)
              : { process: await inTerminal(command, home), home, seen: 0 };
          if (open === undefined) throw new Error(`nothing runs in the terminal ${terminal}`);
          await whenShown(open, output);
          terminals.set(terminal, { ...open, seen: open.process.lines.length });
        }
      }
      for (const { process } of [...terminals.values()].reverse()) await process.kill('SIGTERM');
      rmSync(home, { recursive: true });
    },
    240_000,
  );
});
