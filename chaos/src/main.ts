import path from 'node:path';
import { parseCommandLine, USAGE } from './command-line.ts';
import { planChaos, runChaos } from './run/chaos-run.ts';
import { reportLines } from './run/report-lines.ts';

const startedAt = performance.now();
const line = (value: object): void => void process.stdout.write(`${JSON.stringify(value)}\n`);
const say = (text: string): void => {
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  process.stderr.write(`${seconds.padStart(6)} s  ${text}\n`);
};

const command = parseCommandLine(process.argv.slice(2));
if (command === null) {
  process.stderr.write(USAGE);
  process.exit(2);
}
const { seed, minutes, rate, faultEveryMs, planOnly } = command;
const logDirectory = path.join(import.meta.dirname, '../../.cache/chaos', `seed-${seed}`);
const options = { seed, durationMs: minutes * 60_000, rate, faultEveryMs, logDirectory, say };
if (planOnly) {
  const { tasks, faults } = planChaos(options);
  for (const task of tasks) line({ type: 'task', ...task });
  for (const fault of faults) line({ type: 'fault', ...fault });
} else {
  const report = await runChaos(options);
  for (const one of reportLines(seed, report)) line(one);
  if (report.violations.length > 0) {
    say(`seed ${seed} does harm; the logs are in ${logDirectory}`);
    process.exitCode = 1;
  }
}
// Node 20 at times turns in circles while it takes down what is left, and never ends by itself.
process.exit();
