import { constants } from 'node:os';
import { accept } from './accept/accept.ts';
import { cancel } from './cancel/cancel.ts';
import { finish } from './finish/finish.ts';
import { items } from './items/items.ts';
import { latency } from './latency/latency.ts';
import { map } from './map/map.ts';
import { mapMemory } from './map/map-memory.ts';
import { mapResume } from './map/map-resume.ts';
import { progress } from './progress/progress.ts';
import { table } from './report.ts';
import { stopAll } from './running.ts';
import { start } from './start/start.ts';
import { stored } from './stored/stored.ts';
import { waits } from './waits/waits.ts';

const benchmarks = new Map([
  ['accept', accept],
  ['cancel', cancel],
  ['finish', finish],
  ['items', items],
  ['latency', latency],
  ['map', map],
  ['map-memory', mapMemory],
  ['map-resume', mapResume],
  ['progress', progress],
  ['start', start],
  ['stored', stored],
  ['waits', waits],
]);
const named = process.argv.slice(2).filter((word) => word !== '--quick' && word !== '--tiny');
const names = named.includes('all') ? [...benchmarks.keys()] : named;
const unknown = names.filter((name) => !benchmarks.has(name));
if (names.length === 0 || unknown.length > 0) {
  process.stderr.write(
    `usage: npm run bench -- NAME … [--quick]\nnames: all, ${[...benchmarks.keys()].join(', ')}\n`,
  );
  process.exit(2);
}
let isStopping = false;
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  // npm hands on the signal that a terminal has sent already: the second one changes nothing.
  process.on(signal, () => {
    if (isStopping) return;
    isStopping = true;
    // What a benchmark says when its servers go is no news.
    process.on('uncaughtException', () => {});
    void stopAll().finally(() => process.exit(128 + constants.signals[signal]));
  });
}
try {
  for (const name of names) await benchmarks.get(name)?.();
} finally {
  if (!isStopping) await stopAll();
}
table();
