import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type DemoCall, demoCalls } from './calls.ts';
import { KilledBatchRun } from './killed-batch.ts';
import { startLongshore } from './longshore-server.ts';
import { type Facts, makeInput } from './make-input.ts';
import { createProgressView, type ProgressView } from './progress-view.ts';
import { makeRunDirectory } from './run-directory.ts';
import { type Progress, TaskClient, type TaskStatus } from './task-client.ts';

const HOME = path.resolve(import.meta.dirname, '..', '..', '..', '.longshore-demo');
const WORKERS = 2;
/** So long a killed worker keeps its tasks; 20 s usually, and here as long as one likes to look on. */
const LEASE_MS = 5_000;

interface Ending {
  readonly call: DemoCall;
  readonly status: TaskStatus;
  readonly ms: number;
  /** What came out, or what is wrong with it. */
  readonly note: string;
  readonly asExpected: boolean;
}

const say = (text: string): void => void process.stdout.write(`${text}\n`);

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => stopping.abort(new Error(`stopped by ${signal}`)));
}
process.exitCode = await demo(stopping.signal);

/** @returns 0 when everything is as expected, else 1 */
async function demo(signal: AbortSignal): Promise<number> {
  const run = makeRunDirectory(HOME);
  const logFile = path.join(run.directory, 'longshore.log');
  try {
    const problems = await runAll(signal, run.directory, logFile);
    if (problems.length === 0) {
      say('\nEverything ended as expected, and is stopped.');
      run.remove();
      return 0;
    }
    for (const problem of problems) say(`\n${problem}`);
  } catch (error) {
    if (signal.aborted) run.remove();
    say(`\n${error instanceof Error ? error.message : String(error)}`);
  }
  if (!signal.aborted) say(`The log of Longshore: ${logFile}`);
  return 1;
}

/** @returns what is not as expected */
async function runAll(signal: AbortSignal, directory: string, logFile: string): Promise<string[]> {
  const input = path.join(HOME, 'input');
  const data = path.join(directory, 'data');
  say('Making the input …');
  const facts = await makeInput(input);
  say(`Starting Longshore: Postgres, an API and ${WORKERS} workers …`);
  const server = await startLongshore({
    logFile,
    signal,
    environment: {
      PORT: '0',
      WORKERS: String(WORKERS),
      DATA_DIR: data,
      PLUGIN_DIRS: `${input},${path.join(data, 'files')}`,
      PLUGINS: './examples/demo/dist/counted-text.js,@longshore/plugin-data',
      BUNDLED_PLUGINS: 'false',
      LEASE_MS: String(LEASE_MS),
      // What still runs when the demo is interrupted is not worth waiting for.
      SHUTDOWN_GRACE_MS: '500',
      // Inherited settings of a production machine would turn the demo on its databases.
      DATABASE_URL: '',
      REDIS_URL: '',
      LOG_LEVEL: 'info',
    },
  });
  const problems: string[] = [];
  try {
    problems.push(...(await unlessAborted(signal, useServer(signal, server.url, facts, data))));
  } finally {
    const code = await server.stop();
    if (code !== 0) problems.push(`Longshore ended with exit code ${code}.`);
  }
  return problems;
}

async function useServer(
  signal: AbortSignal,
  url: string,
  facts: Facts,
  dataDirectory: string,
): Promise<string[]> {
  const client = new TaskClient();
  // Else it would wait for results, and look for its server, when both are gone.
  const hangUp = (): void => void client.close().catch(() => {});
  signal.addEventListener('abort', hangUp, { once: true });
  let view = createProgressView(process.stdout);
  let onProgress = (progress: Progress): void =>
    view.progress(String(progress.progressToken), progress);
  try {
    await client.connect(url, (progress) => onProgress(progress));
    say(`Connected to ${url}; tools: ${(await client.toolNames()).join(', ')}\n`);
    const endings = await Promise.all(demoCalls(facts).map((call) => runCall(client, view, call)));
    view.stop();
    showTable(endings);
    say(`\nA batch over ${WORKERS} workers, one of which is killed half-way:\n`);
    view = createProgressView(process.stdout);
    const batch = new KilledBatchRun({ client, view, facts: facts.letters, dataDirectory, say });
    onProgress = (progress) => {
      if (progress.progressToken === batch.label) batch.onProgress(progress);
    };
    await batch.run();
    const wrong = endings.filter((ending) => !ending.asExpected);
    if (wrong.length === 0) return [];
    return [`${wrong.length} of ${endings.length} tasks did not end as expected.`];
  } finally {
    signal.removeEventListener('abort', hangUp);
    view.stop();
    await client.close();
  }
}

/** Rejects when the signal fires; what goes on is left to itself. */
async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  let stop = (): void => {};
  const stopped = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    signal.throwIfAborted();
    return await Promise.race([work, stopped]);
  } finally {
    signal.removeEventListener('abort', stop);
    work.catch(() => {});
  }
}

async function runCall(client: TaskClient, view: ProgressView, call: DemoCall): Promise<Ending> {
  const startedAt = performance.now();
  const ending = (status: TaskStatus, note: string, asExpected: boolean): Ending => {
    view.end(call.label, status);
    return { call, status, note, asExpected, ms: performance.now() - startedAt };
  };
  view.begin(call.label);
  const taskId = await client.submit(call.tool, call.args, call.label);
  if (call.cancelAfterMs !== undefined) {
    await delay(call.cancelAfterMs);
    const status = await client.cancel(taskId);
    return ending(status, `after ${call.cancelAfterMs} ms`, status === call.expect);
  }
  const result = await client.result(taskId);
  const { status } = await client.status(taskId);
  if (status !== call.expect)
    return ending(status, JSON.stringify(result.content).slice(0, 200), false);
  try {
    return ending(status, call.check?.(result) ?? '', true);
  } catch (error) {
    return ending(status, error instanceof Error ? error.message : String(error), false);
  }
}

function showTable(endings: readonly Ending[]): void {
  say('\n  task                         tool           status       ms  result');
  for (const { call, status, ms, note, asExpected } of endings) {
    const columns = [
      asExpected ? ' ' : '!',
      call.label.padEnd(28),
      call.tool.padEnd(14),
      status.padEnd(9),
      String(Math.round(ms)).padStart(5),
      ` ${note}`,
    ];
    say(columns.join(' '));
  }
}
