export { describeInMode, type Mode, modesInsteadOf } from './describe-in-mode.ts';
export { describeWhere, describeWithRedis } from './describe-where.ts';
export { hasTestRedis, testDatabaseUrl, testRedisUrl } from './test-servers.ts';
export { type WaitForOptions, waitFor } from './wait-for.ts';
