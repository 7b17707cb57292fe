// Generates the Prisma client when the schema changed. The generator asks for a schema engine it does not
// use, and would download one; the variable is set for this one child and nowhere else, because other
// Prisma commands exit 0 and do nothing under it.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const root = path.join(import.meta.dirname, '..');
const require = createRequire(import.meta.url);
const cli = path.join(path.dirname(require.resolve('prisma/package.json')), 'build/index.js');
const stampFile = path.join(root, '.cache/prisma-client.sha256');
const stamp = createHash('sha256')
  .update(readFileSync(path.join(root, 'prisma/schema.prisma')))
  .update(readFileSync(require.resolve('prisma/package.json')))
  .digest('hex');

const fresh =
  existsSync(path.join(root, 'packages/database/src/generated/client.ts')) &&
  existsSync(stampFile) &&
  readFileSync(stampFile, 'utf8') === stamp;

if (!existsSync(path.join(root, 'apps/cli/dist/main.js')) && process.stderr.isTTY) {
  process.stderr.write('building, which takes a minute the first time\n');
}

if (!fresh) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, 'generate', '--no-hints'], {
    cwd: root,
    encoding: 'utf8',
    env: {
      ...process.env,
      PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
      CHECKPOINT_DISABLE: '1',
      PRISMA_HIDE_UPDATE_MESSAGE: '1',
    },
  });
  if (status !== 0) {
    process.stderr.write(`${stdout}${stderr}`);
    process.exit(status ?? 1);
  }
  mkdirSync(path.dirname(stampFile), { recursive: true });
  writeFileSync(stampFile, stamp);
}
