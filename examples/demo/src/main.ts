import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type DemoCall, demoCalls } from './calls.ts';
import { startLongshore } from './longshore-server.ts';
import { makeInput } from './make-input.ts';
import { createProgressView, type ProgressView } from './progress-view.ts';
import { makeRunDirectory } from './run-directory.ts';
import { TaskClient, type TaskStatus } from './task-client.ts';

const HOME = path.resolve(import.meta.dirname, '..', '..', '..', '.longshore-demo');
const WORKERS = 2;

interface Ending {
  readonly call: DemoCall;
  readonly status: TaskStatus;
  readonly ms: number;
  /** What came out, or what is wrong with it. */
  readonly note: string;
  readonly asExpected: boolean;
}

const say = (text: string): void => void process.stdout.write(`${text}\n`);

process.exitCode = await demo();

/** @returns 0 when everything is as expected */
async function demo(): Promise<number> {
  const run = makeRunDirectory(HOME);
  const input = path.join(HOME, 'input');
  const data = path.join(run.directory, 'data');
  const logFile = path.join(run.directory, 'longshore.log');
  say('Making the input …');
  const facts = await makeInput(input);
  say(`Starting Longshore: Postgres, an API and ${WORKERS} workers …`);
  const server = await startLongshore({
    logFile,
    environment: {
      PORT: '0',
      WORKERS: String(WORKERS),
      DATA_DIR: data,
      PLUGIN_DIRS: `${input},${path.join(data, 'files')}`,
      // Inherited settings of a production machine would turn the demo on its databases.
      DATABASE_URL: '',
      REDIS_URL: '',
      PLUGINS: '',
      LOG_LEVEL: 'info',
    },
  });
  const view = createProgressView(process.stdout);
  const client = new TaskClient();
  let endings: Ending[] = [];
  try {
    await client.connect(server.url, (progress) =>
      view.progress(String(progress.progressToken), progress),
    );
    say(`Connected to ${server.url}; tools: ${(await client.toolNames()).join(', ')}\n`);
    endings = await Promise.all(demoCalls(facts).map((call) => runCall(client, view, call)));
  } finally {
    view.stop();
    await client.close();
  }
  showTable(endings);
  const code = await server.stop();
  const wrong = endings.filter((ending) => !ending.asExpected);
  if (wrong.length > 0 || code !== 0) {
    say(`\n${wrong.length} of ${endings.length} tasks did not end as expected.`);
    say(`Longshore ended with exit code ${code}; its log: ${logFile}`);
    return 1;
  }
  say(`\nAll ${endings.length} tasks ended as expected. Everything is stopped.`);
  run.remove();
  return 0;
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
