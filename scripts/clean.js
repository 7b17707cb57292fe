// Removes what a build leaves behind; `tsc -b` keeps the output of deleted sources otherwise.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';

const root = path.join(import.meta.dirname, '..');
const workspaces = ['packages', 'apps', 'examples'].flatMap((group) =>
  readdirSync(path.join(root, group)).map((name) => path.join(root, group, name)),
);
const leftovers = [...workspaces, path.join(root, 'benchmarks'), path.join(root, 'chaos')].map(
  (dir) => path.join(dir, 'dist'),
);
leftovers.push(path.join(root, '.cache'), path.join(root, 'packages/database/src/generated'));

for (const target of leftovers) {
  if (existsSync(target)) rmSync(target, { recursive: true });
}
