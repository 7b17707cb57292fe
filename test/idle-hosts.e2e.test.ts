import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connectClientV2 } from './support/client-v2.ts';
import { connectSdkV1 } from './support/sdk-v1-client.ts';
import { type Stack, startStack } from './support/stack.ts';

/** The clocks of hosts and server run so much faster: half a minute is ten. */
const FASTER = 20;
const scaled = (seconds: number): number => (seconds * 1_000) / FASTER;

const JOB_MS = scaled(600);
/** Silence after which hosts give up on a call. */
const IDLE_SECONDS = [60, 300];

/** How a host calls, and gives up after a while. */
interface Host {
  call(
    name: string,
    args: object,
    options: { readonly idleMs: number; readonly onProgress?: (progress: number) => void },
  ): Promise<unknown>;
  close(): Promise<void>;
}

async function sdkV1(url: URL): Promise<Host> {
  const { client } = await connectSdkV1(url, { capabilities: {} });
  return {
    call: (name, args, { idleMs, onProgress }) =>
      client.callTool({ name, arguments: { ...args } }, undefined, {
        timeout: idleMs,
        ...(onProgress === undefined
          ? {}
          : {
              resetTimeoutOnProgress: true,
              onprogress: ({ progress }: { progress: number }) => onProgress(progress),
            }),
      }),
    close: () => client.close(),
  };
}

async function clientV2(url: URL): Promise<Host> {
  const { client } = await connectClientV2(url, { pin: '2026-07-28' }, { capabilities: {} });
  return {
    call: (name, args, { idleMs, onProgress }) =>
      client.callTool(
        { name, arguments: { ...args } },
        {
          timeout: idleMs,
          ...(onProgress === undefined
            ? {}
            : {
                resetTimeoutOnProgress: true,
                onprogress: ({ progress }: { progress: number }) => onProgress(progress),
              }),
        },
      ),
    close: () => client.close(),
  };
}

describe('a job of ten minutes that says nothing', () => {
  let stack: Stack;
  const hosts: Host[] = [];

  const host = async (connect: (url: URL) => Promise<Host>): Promise<Host> => {
    const connected = await connect(new URL(stack.urls[0] ?? ''));
    hosts.push(connected);
    return connected;
  };

  beforeAll(async () => {
    stack = await startStack({
      mode: 'postgres',
      environment: {
        PLUGINS: path.join(import.meta.dirname, 'fixtures', 'silent-tools.js'),
        WORKER_CONCURRENCY: '16',
        INLINE_WAIT_MS: String(scaled(20)),
        PROGRESS_INTERVAL_MS: String(scaled(10)),
      },
    });
    await stack.startWorker();
  });
  afterAll(async () => {
    await Promise.all(hosts.map((connected) => connected.close()));
    await stack.stop();
  });

  it('is finished by hosts that give up after a minute or five of silence, in one call or with job_wait', async () => {
    const withProgress = async (connect: (url: URL) => Promise<Host>, idleSeconds: number) => {
      const heard: number[] = [];
      const connected = await host(connect);
      const result = await connected.call(
        'silent',
        { ms: JOB_MS },
        { idleMs: scaled(idleSeconds), onProgress: (progress) => heard.push(progress) },
      );
      expect(result).toMatchObject({ structuredContent: { done: true } });
      // It grows with each notification, as the protocol asks for, and never by what a tool would count.
      expect(heard.length).toBeGreaterThan(5);
      expect(heard).toEqual([...new Set(heard)].toSorted((a, b) => a - b));
      expect(heard.at(-1)).toBeLessThan(1);
    };
    const withJobs = async (connect: (url: URL) => Promise<Host>, idleSeconds: number) => {
      const connected = await host(connect);
      const options = { idleMs: scaled(idleSeconds) };
      let result = await connected.call('silent', { ms: JOB_MS }, options);
      let waits = 0;
      for (let id = jobOf(result); id !== undefined; id = jobOf(result)) {
        result = await connected.call('job_wait', { task_id: id }, options);
        waits += 1;
      }
      expect(result).toMatchObject({ structuredContent: { done: true } });
      expect(waits).toBeGreaterThan(1);
    };
    await Promise.all(
      [sdkV1, clientV2].flatMap((connect) =>
        IDLE_SECONDS.flatMap((seconds) => [
          withProgress(connect, seconds),
          withJobs(connect, seconds),
        ]),
      ),
    );
  }, 120_000);
});

function jobOf(result: unknown): string | undefined {
  const { structuredContent } = result as { structuredContent?: { job?: { task_id: string } } };
  return structuredContent?.job?.task_id;
}
