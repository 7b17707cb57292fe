import path from 'node:path';
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { describe, expect, it } from '@jest/globals';
import { waitFor } from '@longshore/testing';
import { countRead, createControl } from '../../src/threads/run-control.ts';
import { testScript } from '../bench/test-threads.ts';

const ENTRY = path.join(import.meta.dirname, '..', 'fixtures', 'isolated.js');

describe('a run that floods its context', () => {
  it('stands still while a thousand of its messages are unread', async () => {
    const worker = new Worker(testScript(), { workerData: { directories: [], dataDir: '/' } });
    const { port1, port2 } = new MessageChannel();
    const control = createControl();
    const unread = (): number => Atomics.load(control, 0);
    const facts = { taskId: '', attempt: 1, principal: '', deadline: null, client: {} };
    const order = { entry: ENTRY, tool: 'flood', arguments: {}, facts, control, port: port2 };
    worker.postMessage(order, [port2]);
    await waitFor(() => unread() > 1_000, { what: 'the run floods' });
    let most = 0;
    let kind: unknown;
    while (kind !== 'ended') {
      most = Math.max(most, unread());
      const next = receiveMessageOnPort(port1);
      if (next === undefined) continue;
      kind = next.message.kind;
      countRead(control);
    }
    expect(most).toBe(1_001);
    port1.close();
    await worker.terminate();
  }, 60_000);
});
