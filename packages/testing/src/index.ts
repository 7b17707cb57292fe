export { freePort } from '@longshore/embedded';
export { describeFileStore, type FileStoreUnderTest } from './describe-file-store.ts';
export { describeService } from './describe-service.ts';
export { describeToolStarts } from './describe-tool-starts.ts';
export { describeWhere, describeWithRedis } from './describe-where.ts';
export { type GuardDuty, guard } from './guardian-process.ts';
export { type PostgresTap, startPostgresTap } from './postgres-tap.ts';
export { type RoundRobinProxy, startRoundRobinProxy } from './round-robin-proxy.ts';
export { spawnApp } from './spawn-app.ts';
export {
  killSpawnedProcesses,
  type ProcessExit,
  type SpawnedProcess,
  type SpawnOptions,
  spawnProcess,
} from './spawned-process.ts';
export { hasTestRedis, testDatabaseUrl, testRedisUrl } from './test-servers.ts';
export { type WaitForOptions, waitFor } from './wait-for.ts';
