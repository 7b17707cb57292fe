import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { startChild } from '../child.ts';
import { processUsage } from '../process-usage.ts';
import { median, note, report, size } from '../report.ts';
import { startServers } from '../servers.ts';

const ROUNDS = size(7, 3, 1);
const APPS = ['api', 'worker'] as const;
const COMMAND_LINE = path.join(import.meta.dirname, '../../../apps/cli/dist/main.js');

interface Start {
  readonly cpuMs: number;
  readonly wallMs: number;
}

/** CPU and wall time until the API and the worker are ready and `longshore --version` has answered, beside `node -e 0`. */
export async function start(): Promise<void> {
  const servers = await startServers();
  const environment = {
    DATABASE_URL: servers.databaseUrl,
    REDIS_URL: servers.redisUrl,
    PORT: '0',
    LOG_LEVEL: 'silent',
  };
  const node: Start[] = [];
  const starts: Record<'api' | 'worker' | 'cli', Start[]> = { api: [], worker: [], cli: [] };
  try {
    for (let round = 0; round <= ROUNDS; round += 1) {
      const nodeStart = run(['-e', '0']);
      const commandLine = run([COMMAND_LINE, '--version']);
      const [api, worker] = [
        await untilReady('api', environment),
        await untilReady('worker', environment),
      ];
      if (round === 0) continue; // reads the files into the page cache
      node.push(nodeStart);
      starts.cli.push(commandLine);
      starts.api.push(api);
      starts.worker.push(worker);
    }
  } finally {
    await servers.stop();
  }
  note(`medians of ${ROUNDS} interleaved starts`);
  const tell = (name: string, of: readonly Start[], limits: readonly Start[] | null): void => {
    for (const kind of ['cpu', 'wall'] as const) {
      const each = (all: readonly Start[]): number[] => all.map((one) => one[`${kind}Ms`]);
      report(`start/${name}-${kind}`, each(of), 'ms', limits && median(each(limits)));
    }
  };
  tell('node', node, null);
  for (const name of [...APPS, 'cli'] as const) tell(name, starts[name], node);
}

async function untilReady(
  app: (typeof APPS)[number],
  environment: Record<string, string>,
): Promise<Start> {
  const startedAt = performance.now();
  const child = await startChild(`apps/${app}/dist/main.js`, environment);
  const wallMs = performance.now() - startedAt;
  const { cpuMs } = processUsage(child.pid);
  await child.stop();
  return { cpuMs, wallMs };
}

/** A node process from start to exit. The shell knows what its children used: Node does not say it. */
function run(args: readonly string[]): Start {
  const startedAt = performance.now();
  const printed = execFileSync(
    'sh',
    ['-c', '"$@" > /dev/null || exit; times', 'sh', process.execPath, ...args],
    { encoding: 'utf8' },
  );
  const wallMs = performance.now() - startedAt;
  const [, ofChildren = ''] = printed.split('\n');
  const seconds = [...ofChildren.matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, rest]) => Number(minutes) * 60 + Number(rest),
  );
  return { cpuMs: seconds.reduce((sum, one) => sum + one, 0) * 1_000, wallMs };
}
