import { constants } from 'node:os';
import { accept } from './accept/accept.ts';
import { cancel } from './cancel/cancel.ts';
import { finish } from './finish/finish.ts';
import { items } from './items/items.ts';
import { latency } from './latency/latency.ts';
import { map } from './map/map.ts';
import { mapMemory } from './map/map-memory.ts';
import { mapResume } from './map/map-resume.ts';
import { observed } from './observed/observed.ts';
import { peers } from './peers/peers.ts';
import { progress } from './progress/progress.ts';
import { fallen, missing, publish } from './publish.ts';
import { IS_GUARD, measurements, note, table } from './report.ts';
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
  ['observed', observed],
  ['peers', peers],
  ['progress', progress],
  ['start', start],
  ['stored', stored],
  ['waits', waits],
]);
const FLAGS = ['--quick', '--tiny', '--publish', '--guard'];
const named = process.argv.slice(2).filter((word) => !FLAGS.includes(word));
const names = named.includes('all') ? [...benchmarks.keys()] : named;
const unknown = names.filter((name) => !benchmarks.has(name));
if (names.length === 0 || unknown.length > 0) {
  process.stderr.write(
    `usage: npm run bench -- NAME … [--quick] [--publish] [--guard]\nnames: all, ${[...benchmarks.keys()].join(', ')}\n`,
  );
  process.exit(2);
}
let isEnding = false;
/** Stops the servers first, whatever ends the run. Once it ends, what else fails is no news. */
function end(code: number): void {
  if (isEnding) return;
  isEnding = true;
  void stopAll().finally(() => process.exit(code));
}
// npm hands on the signal that a terminal has sent already: it may come twice.
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => end(128 + constants.signals[signal]));
}
process.on('uncaughtException', (error) => {
  if (!isEnding) note(error.stack ?? String(error));
  end(1);
});
for (const name of names) await benchmarks.get(name)?.();
table();
if (process.argv.includes('--publish')) publish(measurements);
if (IS_GUARD) {
  const lines = [
    ...fallen(measurements).map((line) => `fell by more than half: ${line}`),
    ...missing(measurements).map((name) => `was not measured: ${name}`),
  ];
  for (const line of lines) note(line);
  if (lines.length > 0) process.exitCode = 1;
}
