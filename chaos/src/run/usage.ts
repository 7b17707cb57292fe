import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { RedisKey, Usage } from '../check/evidence.ts';
import type { ChaosSystem } from '../system/chaos-system.ts';
import type { DatabaseReader } from './database-evidence.ts';

export async function readUsage(system: ChaosSystem, database: DatabaseReader): Promise<Usage> {
  const rssMiB: Record<string, number> = {};
  for (const [name, { pid }] of system.apps) {
    if (pid !== null) rssMiB[name] = rssOf(pid);
  }
  return {
    postgresConnections: await database.connections(),
    redisConnections: await redisConnections(system),
    rssMiB,
  };
}

function rssOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1_024;
}

async function redisConnections(system: ChaosSystem): Promise<number> {
  const redis = system.redis.connect();
  try {
    const list = String(await redis.client('LIST'));
    // One of them is ours.
    return list.trim().split('\n').length - 1;
  } finally {
    redis.disconnect();
  }
}

export async function readRedisKeys(system: ChaosSystem): Promise<RedisKey[]> {
  const redis = system.redis.connect();
  try {
    const found: RedisKey[] = [];
    for (const key of await redis.keys('*')) {
      const ttlMs = await redis.pttl(key);
      // -2: it is gone since.
      if (ttlMs !== -2) found.push({ key, ttlMs: ttlMs < 0 ? null : ttlMs });
    }
    return found;
  } finally {
    redis.disconnect();
  }
}

/** @returns by task, what its tool left in its folder of the ledger */
export function readEffects(ledger: string): Map<string, string[]> {
  return new Map(
    readdirSync(ledger).map((taskId) => [taskId, readdirSync(path.join(ledger, taskId))]),
  );
}
