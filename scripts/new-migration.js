// Writes the migration from the committed prisma/schema.prisma to the edited one:
//   npm run db:migration -- add_priority
// The SQL is a draft. Read it, add what Prisma has no words for (partial indexes, checks, storage settings),
// fill in its header, and commit it together with the schema; afterwards it must not change.
// The engine asks a database for its version and nothing else: DATABASE_URL, or an embedded one.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { openSchemaEngine } from './schema-engine.js';

const HEADER = `-- What and why:
-- Locks, and how long at 10 million rows:
-- Undo by hand:

`;

const root = path.join(import.meta.dirname, '..');
const name = process.argv[2];
if (name === undefined || !/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(name)) {
  fail('say what it does in snake_case: npm run db:migration -- add_priority');
}

const before = execFileSync('git', ['show', 'HEAD:prisma/schema.prisma'], {
  cwd: root,
  encoding: 'utf8',
});
const after = readFileSync(path.join(root, 'prisma/schema.prisma'), 'utf8');
if (before === after) fail('prisma/schema.prisma has not changed since the last commit');

const sql = await withDatabase(async (url) => {
  const engine = await openSchemaEngine({ url, schema: after });
  try {
    return await engine.diff(before);
  } finally {
    await engine.close();
  }
});

const timestamp = new Date().toISOString().replaceAll(/\D/g, '').slice(0, 14);
const folder = path.join(root, 'prisma/migrations', `${timestamp}_${name}`);
mkdirSync(folder, { recursive: true });
writeFileSync(path.join(folder, 'migration.sql'), HEADER + sql);
process.stdout.write(`${sql}\nwrote ${path.relative(root, folder)}/migration.sql\n`);

async function withDatabase(use) {
  if (process.env['DATABASE_URL']) return await use(process.env['DATABASE_URL']);
  const library = path.join(root, 'packages/embedded/dist/index.js');
  if (!existsSync(library)) fail('run "npm run build" first, or set DATABASE_URL');
  const { startEmbeddedPostgres } = await import(pathToFileURL(library).href);
  const dir = mkdtempSync(path.join(tmpdir(), 'longshore-diff-'));
  const postgres = await startEmbeddedPostgres({ dir });
  try {
    return await use(postgres.url);
  } finally {
    await postgres.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
