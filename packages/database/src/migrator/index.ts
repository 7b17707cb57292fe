export { type AssertMigratedOptions, assertMigrated } from './assert-migrated.ts';
export { type MigrateOptions, migrate } from './migrate.ts';
export { type MigrationFile, readMigrations } from './migration-files.ts';
export { type ServerVersion, serverVersion } from './server-version.ts';
