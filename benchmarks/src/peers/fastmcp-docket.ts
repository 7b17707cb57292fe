import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { withDeadline } from '@longshore/core';
import { stopProcess } from '../child.ts';
import { note, size } from '../report.ts';
import { stoppable } from '../running.ts';

const ROOT = path.join(import.meta.dirname, '..', '..', '..');
const PYTHON = path.join(ROOT, '.cache/python-peers/bin/python');
const SERVER = path.join(ROOT, 'benchmarks/python/fastmcp_server.py');
/** Python reads hundreds of modules first, on a busy machine. */
const READY_TIMEOUT_MS = 60_000;
/** Longer than pip's own limit. */
const INSTALL_TIMEOUT_MS = 1_200_000;

/** Installs it where that was not done yet. @returns whether it can be measured; if not, stderr says why */
export function installFastMcp(): boolean {
  const missing = whatIsMissing();
  if (missing === null) return true;
  note(`FastMCP with Docket is left out: ${missing}`);
  return false;
}

function whatIsMissing(): string | null {
  if (size(0, 0, 1) === 1) return 'a tiny run does without Python';
  if (spawnSync('python3', ['--version'], { timeout: 10_000 }).status !== 0) {
    return 'there is no python3';
  }
  const install = spawnSync(process.execPath, ['scripts/python.js', 'peers'], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: INSTALL_TIMEOUT_MS,
  });
  return install.status === 0 ? null : 'its packages could not be installed';
}

/** A server with the worker it has in its own process, new, so that no backlog of an earlier one is in the way. */
export async function startFastMcp(redisUrl: string): Promise<{
  readonly pid: number;
  readonly url: string;
  stop(): Promise<void>;
}> {
  const child = spawn(PYTHON, [SERVER], {
    env: {
      ...process.env,
      REDIS_URL: redisUrl,
      DOCKET_NAME: randomUUID(),
      FASTMCP_LOG_LEVEL: 'CRITICAL',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const stop = stoppable(() => stopProcess(child));
  const url = await withDeadline(
    firstUrl(child),
    READY_TIMEOUT_MS,
    () => new Error(`FastMCP is not ready after ${READY_TIMEOUT_MS} ms`),
  );
  return { pid: child.pid ?? 0, url, stop };
}

async function firstUrl(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('no stdout');
  const lines = createInterface({ input: child.stdout });
  const ended = once(child, 'exit').then(([code]): never => {
    throw new Error(`FastMCP ended with ${code}`);
  });
  ended.catch(() => undefined); // after the first line it ends when it is told to
  const [line] = await Promise.race([once(lines, 'line'), ended]);
  return String(JSON.parse(String(line)).url);
}
