import path from 'node:path';
import { silentLogger } from '@longshore/core';
import { ThreadPool, type ThreadPoolOptions } from '../../src/threads/thread-pool.ts';

/** Threads run what was built: they know nothing of TypeScript. */
export function testScript(): string {
  return path.join(import.meta.dirname, '..', '..', 'dist', 'thread-main.js');
}

/** A pool of real threads; none is started before it is needed. */
export function testThreads(over: Partial<ThreadPoolOptions> = {}): ThreadPool {
  return new ThreadPool({
    directories: [],
    dataDir: '/nonexistent',
    fileLimits: { fileBytes: 2 ** 30, principalBytes: 2 ** 34 },
    network: { hosts: [], privateHosts: [], userAgent: 'longshore-test/1.0' },
    size: 2,
    heapMiB: 64,
    resourceUpdated: () => {},
    catalogueChanged: () => {},
    log: silentLogger,
    script: testScript(),
    ...over,
  });
}
