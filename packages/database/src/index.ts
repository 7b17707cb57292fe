export { type AssertMigratedOptions, assertMigrated } from './migrator/assert-migrated.ts';
export { type MigrateOptions, migrate } from './migrator/migrate.ts';
export { type MigrationFile, readMigrations } from './migrator/migration-files.ts';
export { type ServerVersion, serverVersion } from './migrator/server-version.ts';
export { type Database, type OpenDatabaseOptions, openDatabase } from './open-database.ts';
