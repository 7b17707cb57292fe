export {
  createTestDatabase,
  type TestDatabase,
  type TestDatabaseOptions,
} from './test-database.ts';
export { createTestRedis, type TestRedis } from './test-redis.ts';
