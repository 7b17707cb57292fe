import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeInMode, type Mode, waitFor } from '@longshore/testing';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { connectClientV2 } from './support/client-v2.ts';
import { type InteropStack, startInteropStack, untilCatalogued } from './support/interop-stack.ts';
import type { Person } from './support/person.ts';
import { connectSdkV1 } from './support/sdk-v1-client.ts';

/** What the two official clients have in common on the legacy wire. */
interface Host {
  readonly person: Person;
  call(name: string, args: Record<string, unknown>, onProgress?: () => void): Promise<unknown>;
  close(): Promise<void>;
}

const HOSTS: readonly [string, (url: URL) => Promise<Host>][] = [
  [
    'SDK 1.x',
    async (url) => {
      const { client, person } = await connectSdkV1(url);
      return {
        person,
        call: (name, args, onProgress) =>
          client.callTool({ name, arguments: args }, CallToolResultSchema, {
            onprogress: () => onProgress?.(),
          }),
        close: () => client.close(),
      };
    },
  ],
  [
    'client 2.x',
    async (url) => {
      const { client, person } = await connectClientV2(url, 'legacy');
      return {
        person,
        call: (name, args, onProgress) =>
          client.callTool({ name, arguments: args }, { onprogress: () => onProgress?.() }),
        close: () => client.close(),
      };
    },
  ],
];

/** Unmodified clients of 2025-11-25 come back by themselves, to whatever replica is there. */
function failover(mode: Mode): void {
  let interop: InteropStack;

  beforeAll(async () => {
    interop = await startInteropStack({ mode, environment: { SHUTDOWN_GRACE_MS: '0' } });
  });
  afterAll(() => interop.stop());

  /** Connects a host to an API that is going to die, and to it alone until it does. */
  const withVictim = async (connect: (url: URL) => Promise<Host>, signal: NodeJS.Signals) => {
    const survivors = [...interop.stack.urls];
    const url = await interop.stack.startApi();
    const victim = interop.stack.apis.at(-1);
    interop.stack.urls.pop();
    await untilCatalogued(url);
    interop.proxy.retarget([url]);
    const host = await connect(interop.url);
    const die = async (): Promise<void> => {
      interop.proxy.retarget(survivors);
      await victim?.kill(signal);
    };
    return { host, die };
  };

  describe.each(HOSTS)('%s', (_name, connect) => {
    it.each(['SIGTERM', 'SIGKILL'] as const)('gets the answer to a call (%s)', async (signal) => {
      const { host, die } = await withVictim(connect, signal);
      let seen = 0;
      const running = host.call('steps', { steps: 12, stepMs: 200 }, () => (seen += 1));
      await waitFor(() => seen > 0, { what: 'it runs' });
      const before = seen;
      await die();
      expect(await running).toMatchObject({ structuredContent: { attempt: 1 } });
      expect(seen).toBeGreaterThan(before);
      await host.close();
    });

    it.each(['SIGTERM', 'SIGKILL'] as const)('answers a question (%s)', async (signal) => {
      const { host, die } = await withVictim(connect, signal);
      let dead: () => void = () => {};
      const death = new Promise<void>((resolve) => (dead = resolve));
      host.person.elicit = async () => {
        await death;
        return { action: 'accept', content: { name: 'Ada' } };
      };
      const running = host.call('ask_user', {});
      await waitFor(() => host.person.asked.length > 0, { what: 'it asks' });
      await die();
      dead();
      expect(await running).toMatchObject({ content: [{ text: 'Hello, Ada!' }] });
      expect(host.person.asked).toHaveLength(1);
      await host.close();
    });
  });
}

describeInMode('a replica goes', 'postgres', failover);

describe('connections that may not get old', () => {
  let interop: InteropStack;

  beforeAll(async () => {
    interop = await startInteropStack({ mode: 'postgres', environment: { STREAM_MAX_MS: '1000' } });
  });
  afterAll(() => interop.stop());

  it.each(HOSTS)('are opened again by %s, until the answer is there', async (_name, connect) => {
    const host = await connect(interop.url);
    const requests = () => interop.proxy.counts.reduce((sum, count) => sum + count, 0);
    const before = requests();
    let seen = 0;
    expect(await host.call('steps', { steps: 15, stepMs: 300 }, () => (seen += 1))).toMatchObject({
      structuredContent: { attempt: 1 },
    });
    expect(seen).toBeGreaterThan(3);
    expect(requests() - before).toBeGreaterThan(2);
    await host.close();
  });
});
