// Prisma's schema engine as WebAssembly, driven through its Postgres adapter: the engine Prisma would
// download as a program is not needed. Development only; the migrator in packages/database does without.
// The types are in schema-engine.d.ts.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import pg from 'pg';

const FILTERS = { externalTables: [], externalEnums: [] };

let loaded = null;

export async function openSchemaEngine({ url, schema }) {
  loaded ??= load();
  const wasm = await loaded;
  const file = { path: 'schema.prisma', content: schema };
  // Ours, because the engine leaves its connections open, and with them Prisma's advisory lock.
  const pool = new pg.Pool({ connectionString: url });
  const adapter = bindMigrationAwareSqlAdapterFactory(new PrismaPg(pool));
  const datamodels = [[file.path, file.content]];
  const engine = await wasm.SchemaEngine.new({ datamodels }, () => {}, adapter);
  let isClosed = false;
  return {
    async diff(fromSchema) {
      const from =
        fromSchema === null
          ? { tag: 'empty' }
          : { tag: 'schemaDatamodel', files: [{ path: 'schema.prisma', content: fromSchema }] };
      const to = { tag: 'schemaDatamodel', files: [file] };
      const { stdout } = await engine.diff({
        from,
        to,
        script: true,
        exitCode: true,
        filters: FILTERS,
      });
      return stdout ?? '';
    },
    async applyMigrations(directory) {
      const { appliedMigrationNames } = await engine.applyMigrations({
        migrationsList: listMigrations(directory),
        filters: FILTERS,
      });
      return appliedMigrationNames;
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      engine.free();
      await pool.end();
    },
  };
}

async function load() {
  // The engine reports its panics through this global.
  globalThis.PRISMA_WASM_PANIC_REGISTRY ??= {
    set_message: (message) => process.stderr.write(`schema engine: ${message}\n`),
  };
  const glueFile = createRequire(import.meta.url).resolve(
    '@prisma/schema-engine-wasm/schema_engine_bg',
  );
  const glue = await import(pathToFileURL(glueFile).href);
  const program = readFileSync(glueFile.replace(/\.js$/, '.wasm'));
  // The engine forgets its timers; they must not keep the process alive for ten seconds.
  const imports = Object.fromEntries(
    Object.entries(glue).map(([name, value]) =>
      name.startsWith('__wbg_setTimeout_') ? [name, setForgettableTimeout] : [name, value],
    ),
  );
  const { instance } = await WebAssembly.instantiate(program, { './schema_engine_bg.js': imports });
  glue.__wbg_set_wasm(instance.exports);
  instance.exports.__wbindgen_start();
  return glue;
}

function setForgettableTimeout(callback, delayMs) {
  return setTimeout(callback, delayMs >>> 0).unref();
}

function listMigrations(directory) {
  const lock = path.join(directory, 'migration_lock.toml');
  const names = readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
  return {
    baseDir: directory,
    shadowDbInitScript: '',
    lockfile: {
      path: 'migration_lock.toml',
      content: existsSync(lock) ? readFileSync(lock, 'utf8') : null,
    },
    migrationDirectories: names.map((name) => ({
      path: name,
      migrationFile: {
        path: 'migration.sql',
        content: {
          tag: 'ok',
          value: readFileSync(path.join(directory, name, 'migration.sql'), 'utf8'),
        },
      },
    })),
  };
}
