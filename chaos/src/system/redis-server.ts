import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from '@longshore/embedded';
import { waitFor } from '@longshore/testing';
import { guard } from '@longshore/testing/processes';
import { Redis } from 'ioredis';

/** A Redis of our own with an append-only file, so that a restart keeps what it had. */
export interface RedisServer {
  readonly port: number;
  /** SIGTERM: writes everything first. */
  stop(): Promise<void>;
  /** SIGKILL: the last second may be lost. */
  kill(): Promise<void>;
  /** After `stop` or `kill`, on the same port. */
  start(): Promise<void>;
  flush(): Promise<void>;
  /** A connection past all links, for looking at what is there. */
  connect(): Redis;
}

/** @param dir of its file; there */
export async function startRedis(dir: string): Promise<RedisServer> {
  const port = await freePort();
  let running: { readonly child: ChildProcess; readonly withdraw: () => void } | null = null;

  const connectTo = (): Redis => {
    const redis = new Redis({ port, host: '127.0.0.1', retryStrategy: () => null });
    redis.on('error', () => {});
    return redis;
  };
  const use = async <T>(action: (redis: Redis) => Promise<T>): Promise<T> => {
    const redis = connectTo();
    try {
      return await action(redis);
    } finally {
      redis.disconnect();
    }
  };
  const end = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
    if (running === null) return;
    const { child, withdraw } = running;
    running = null;
    const exited = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : [];
    child.kill(signal);
    await exited;
    withdraw();
  };
  const start = async (): Promise<void> => {
    const settings = {
      port,
      bind: '127.0.0.1',
      dir,
      save: '',
      appendonly: 'yes',
      'maxmemory-policy': 'noeviction',
    };
    const args = Object.entries(settings).flatMap(([key, value]) => [`--${key}`, `${value}`]);
    // A group of its own: Ctrl-C is for the driver, which ends its servers itself.
    const child = spawn('redis-server', args, { stdio: 'ignore', detached: true });
    await once(child, 'spawn');
    running = { child, withdraw: guard({ pid: child.pid ?? 0, signal: 'SIGKILL' }) };
    // It refuses commands while it reads its file.
    await waitFor(() => use((redis) => redis.ping()), { what: 'redis-server answers' });
  };

  await start();
  return {
    port,
    start,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    flush: async () => {
      await use((redis) => redis.flushall());
    },
    connect: connectTo,
  };
}
