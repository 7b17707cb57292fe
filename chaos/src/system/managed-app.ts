import { appendFileSync } from 'node:fs';
import { type SpawnedProcess, spawnApp } from '@longshore/testing/processes';

export interface ManagedAppOptions {
  readonly app: 'api' | 'worker';
  readonly environment: Readonly<Record<string, string>>;
  /** Gets the output of each process when that has ended. */
  readonly logFile: string;
  /** Called with the port of an API that is ready. */
  readonly onPort: (port: number) => void;
}

/** An API or a worker that is started again after it was killed: one place in the system, many processes. */
export interface ManagedApp {
  /** Null while none runs. */
  readonly pid: number | null;
  start(): Promise<void>;
  kill(): Promise<void>;
  freeze(): void;
  thaw(): void;
  /** Gracefully; SIGKILL when it takes more than 20 s. @returns false when it had to be killed */
  stop(): Promise<boolean>;
  /** How often it ended without having been told to. */
  readonly crashes: number;
}

/** One that finds no database at its start ends, and is started again, as any supervisor does. */
const START_TRIES = 30;
const START_AGAIN_MS = 500;

const STOP_MS = 20_000;

export function manageApp(options: ManagedAppOptions): ManagedApp {
  const { app, environment, logFile, onPort } = options;
  let running: SpawnedProcess | null = null;
  let crashes = 0;
  /** Fewer than processes that ended: those we ended ourselves. */
  const expected = new Set<SpawnedProcess>();

  const spawnOnce = async (): Promise<SpawnedProcess> => {
    const ready = new RegExp(`${app} ready`);
    const started = await spawnApp(app, [], { env: environment, ready });
    const port = /"url":"http:\/\/[^:]+:(\d+)/.exec(await started.waitForLine(ready))?.[1];
    if (port !== undefined) onPort(Number(port));
    void started.exited.then(({ code, signal }) => {
      appendFileSync(logFile, `${started.logs()}\n-- ended: ${signal ?? `code ${code}`}\n`);
      if (!expected.has(started)) crashes += 1;
      expected.delete(started);
      if (running === started) running = null;
    });
    return started;
  };
  const start = async (): Promise<void> => {
    for (let tries = 1; ; tries += 1) {
      try {
        running = await spawnOnce();
        return;
      } catch (error) {
        appendFileSync(logFile, `${String(error)}\n-- did not start\n`);
        if (tries === START_TRIES) throw error;
        await new Promise((resolve) => setTimeout(resolve, START_AGAIN_MS));
      }
    }
  };
  return {
    get pid() {
      return running?.pid ?? null;
    },
    get crashes() {
      return crashes;
    },
    start,
    kill: async () => {
      if (running === null) return;
      expected.add(running);
      await running.kill('SIGKILL');
    },
    freeze: () => running?.signal('SIGSTOP'),
    thaw: () => running?.signal('SIGCONT'),
    stop: async () => {
      const process = running;
      if (process === null) return true;
      expected.add(process);
      let isInTime = true;
      const timer = setTimeout(() => {
        isInTime = false;
        process.signal('SIGKILL');
      }, STOP_MS);
      await process.kill('SIGTERM');
      clearTimeout(timer);
      return isInTime;
    },
  };
}
