import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@longshore/testing';
import { type SpawnedProcess, spawnProcess } from '@longshore/testing/processes';
import { type ConsoleBlock, findLines, pageBlocks } from './support/played-console.ts';

const ROOT = path.join(import.meta.dirname, '..');

/** The home directory in the documents. */
const HOME = '/home/me';

/** Of util-linux: gives what it runs a terminal of its own, as a person has one. */
const SCRIPT = '/usr/bin/script';

/** A command that goes on. */
interface Terminal {
  readonly process: SpawnedProcess;
  /** Lines that were looked at. */
  readonly seen: number;
}

describe('a newcomer who does what stands there, and sees it', () => {
  let home: string;
  const terminals = new Map<string, Terminal>();
  /** What ids and addresses of the documents are here. */
  const names = new Map<string, string>();

  beforeAll(() => {
    home = mkdtempSync(path.join(tmpdir(), 'longshore-first-'));
  });
  afterAll(async () => {
    for (const { process } of [...terminals.values()].reverse()) await process.kill('SIGTERM');
    rmSync(home, { recursive: true });
  });

  const inOurNames = (text: string): string =>
    [...names].reduce((told, [name, own]) => told.replaceAll(name, own), text);

  /** Runs a command in a terminal, in the checkout, with nothing of ours in its home. */
  const inTerminal = (command: string): Promise<SpawnedProcess> =>
    spawnProcess(
      SCRIPT,
      ['--quiet', '--return', '--flush', '--command', inOurNames(command), '/dev/null'],
      {
        cwd: ROOT,
        env: { HOME: home, DATA_DIR: path.join(home, '.longshore'), PORT: '0', CI: undefined },
      },
    );

  /** @returns the first line of a block that is not there; null: all are */
  const missingOf = (output: readonly string[], lines: readonly string[]): string | null => {
    const found = findLines(
      output,
      lines.map((line) => line.replaceAll(home, HOME)),
    );
    for (const [name, own] of found.missing === null ? found.names : []) names.set(name, own);
    return found.missing;
  };

  const playOnce = async ({ command, output }: ConsoleBlock): Promise<void> => {
    const process = await inTerminal(command ?? '');
    const { code } = await process.exited;
    const missing = missingOf(output, process.lines);
    const log = code === 0 && missing === null ? '' : process.logs();
    expect({ command, code, missing, log }).toEqual({ command, code: 0, missing: null, log: '' });
  };

  const playIn = async (name: string, { command, output, isEnd }: ConsoleBlock): Promise<void> => {
    const open =
      command === null ? terminals.get(name) : { process: await inTerminal(command), seen: 0 };
    if (open === undefined) throw new Error(`nothing runs in the terminal ${name}`);
    const { process, seen } = open;
    await waitFor(
      () => {
        const missing = missingOf(output, process.lines.slice(seen));
        if (missing !== null) throw new Error(`“${missing}” is not in:\n${process.logs()}`);
        return true;
      },
      { what: 'the terminal shows what the document says', timeoutMs: 60_000 },
    );
    if (isEnd) await process.kill('SIGTERM');
    terminals.set(name, { process, seen: process.lines.length });
  };

  const playPage = async (file: string): Promise<void> => {
    const blocks = pageBlocks(readFileSync(path.join(ROOT, 'docs', file), 'utf8'));
    expect(blocks.length).toBeGreaterThan(10);
    for (const block of blocks) {
      if (block.kind === 'file') writeFileSync(path.join(home, block.path), inOurNames(block.text));
      else if (block.terminal === null) await playOnce(block);
      else await playIn(block.terminal, block);
    }
  };

  const play = process.platform === 'linux' && existsSync(SCRIPT) ? it : it.todo;

  // The second page goes on with what the first one has started.
  play('in the first ten minutes', () => playPage('first-ten-minutes.md'), 240_000);
  play('in the first hour', () => playPage('first-hour.md'), 240_000);
});
