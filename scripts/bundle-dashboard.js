// Bundles the dashboard into apps/dashboard/dist, which the API serves under /dashboard. Does nothing when no source is
// younger than that.
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { build } from 'vite';
import { newest } from './newest.js';

const root = path.join(import.meta.dirname, '..');
const app = path.join(root, 'apps/dashboard');
const configFile = path.join(app, 'vite.config.js');
const page = path.join(app, 'dist/index.html');

const changed = newest(
  ...['src', 'index.html', 'package.json'].map((name) => path.join(app, name)),
  path.join(root, 'packages/operator/src'),
  path.join(root, 'package-lock.json'),
  configFile,
  import.meta.filename,
);
if (!existsSync(page) || statSync(page).mtimeMs < changed)
  await build({ configFile, logLevel: 'warn' });
