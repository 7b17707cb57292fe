import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { migrate } from '@longshore/database/migrator';
import { freePort, startEmbeddedPostgres } from '@longshore/embedded';
import { type ProcessUsage, serverUsage } from './process-usage.ts';
import { stoppable } from './running.ts';

/** Postgres with durable settings and Redis with AOF everysec, both fresh, both gone afterwards. */
export interface Servers {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  usage(): Record<'postgres' | 'redis', ProcessUsage>;
  stop(): Promise<void>;
}

export async function startServers(): Promise<Servers> {
  const directory = mkdtempSync(path.join(tmpdir(), 'longshore-bench-'));
  const starting = startEmbeddedPostgres({ dir: directory });
  const port = await freePort();
  const redis = spawn(
    'redis-server',
    [
      '--port',
      String(port),
      '--bind',
      '127.0.0.1',
      '--dir',
      directory,
      '--save',
      '',
      '--appendonly',
      'yes',
      '--maxmemory-policy',
      'noeviction',
    ],
    { stdio: 'ignore' },
  );
  const redisEnded = new Promise((resolve) => redis.once('exit', resolve).once('error', resolve));
  const stop = stoppable(async () => {
    redis.kill('SIGTERM');
    await redisEnded;
    await (await starting).stop();
    rmSync(directory, { recursive: true, force: true });
  });
  const postgres = await starting;
  await migrate({ url: postgres.url });
  await answers(port);
  return {
    databaseUrl: postgres.url,
    redisUrl: `redis://127.0.0.1:${port}`,
    usage: () => ({ postgres: serverUsage(postgres.pid), redis: serverUsage(redis.pid ?? 0) }),
    stop,
  };
}

async function answers(port: number): Promise<void> {
  const giveUpAt = Date.now() + 10_000;
  for (;;) {
    const connected = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).once('error', () =>
        resolve(false),
      );
      socket.once('connect', () => socket.destroy());
    });
    if (connected) return;
    if (Date.now() > giveUpAt) throw new Error('redis-server did not start: is it installed?');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
