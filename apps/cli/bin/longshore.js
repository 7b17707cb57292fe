#!/usr/bin/env node
// The command `longshore`. Here and not in dist, because npm links it before anything is built.
import './check-node.js';
import { existsSync } from 'node:fs';

const main = new URL('../dist/main.js', import.meta.url);
if (existsSync(main)) {
  await import(main.href);
} else {
  process.stderr.write('longshore is not built yet: run `npm run build` in its directory\n');
  process.exitCode = 2;
}
