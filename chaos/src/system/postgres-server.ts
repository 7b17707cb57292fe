import { readFileSync } from 'node:fs';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@longshore/embedded';
import { guard } from '@longshore/testing/processes';

/** A Postgres of our own that keeps what it has committed, whichever way it ends. */
export interface PostgresServer {
  /** Directly, past all links; changes with each start. */
  readonly url: string;
  readonly port: number;
  /** Fast shutdown: sessions are ended, everything is written. */
  stop(): Promise<void>;
  /** SIGKILL to the postmaster and all its backends at once. */
  kill(): Promise<void>;
  /** After `stop` or `kill`; the port is another one. */
  start(): Promise<void>;
}

/** @param dir of the data; made when it is missing */
export async function startPostgres(dir: string): Promise<PostgresServer> {
  let running: EmbeddedPostgres | null = null;
  let withdraw = (): void => {};
  const start = async (): Promise<void> => {
    running = await startEmbeddedPostgres({ dir });
    // Immediate shutdown, should this process be killed itself.
    withdraw = guard({ pid: running.pid, signal: 'SIGQUIT' });
  };
  const current = (): EmbeddedPostgres => {
    if (running === null) throw new Error('Postgres does not run');
    return running;
  };
  await start();
  return {
    get url() {
      return current().url;
    },
    get port() {
      return current().port;
    },
    start,
    stop: async () => {
      if (running === null) return;
      await running.stop();
      withdraw();
      running = null;
    },
    kill: async () => {
      const server = current();
      // The postmaster first: it would start backends again that it sees die.
      for (const pid of [server.pid, ...childrenOf(server.pid)]) killIfThere(pid);
      // Notices that the server is gone, and stops watching its log.
      await server.stop();
      withdraw();
      running = null;
    },
  };
}

function childrenOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return children === '' ? [] : children.split(' ').map(Number);
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended in between.
  }
}
