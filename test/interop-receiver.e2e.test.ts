import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeInMode, type Mode, waitFor } from '@longshore/testing';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import {
  bindTaskReceiver,
  type TaskReceiverCallback,
} from '@modelcontextprotocol/ext-tasks/receiver';
import { type InteropStack, startInteropStack } from './support/interop-stack.ts';
import { FULL_ABILITIES } from './support/person.ts';
import { parseJsonInThisRealm } from './support/task-session.ts';

/** A client of 2025-11-25 that makes tasks of its own of the questions it is asked, by ext-tasks. */
function receivers(mode: Mode): void {
  let interop: InteropStack;
  let restoreJson: () => void;

  beforeAll(async () => {
    restoreJson = parseJsonInThisRealm();
    interop = await startInteropStack({ mode });
  });
  afterAll(async () => {
    await interop.stop();
    restoreJson();
  });

  const connect = async (callbacks: {
    elicitation: TaskReceiverCallback;
    sampling: TaskReceiverCallback;
  }) => {
    const errors: unknown[] = [];
    const client = new Client(
      { name: 'receiver', version: '1' },
      { capabilities: FULL_ABILITIES, versionNegotiation: { mode: 'legacy' } },
    );
    const receiver = bindTaskReceiver(client, {
      methods: { 'elicitation/create': true, 'sampling/createMessage': true },
      pollIntervalMs: 200,
      onError: (error) => errors.push(error),
      ...callbacks,
    });
    client.registerCapabilities({ tasks: { ...receiver.capabilities } });
    await client.connect(new StreamableHTTPClientTransport(interop.url));
    const close = async (): Promise<void> => {
      receiver.close();
      await client.close();
    };
    return { client, errors, close };
  };
  const accept = async () => ({ action: 'accept', content: { name: 'Ada' } });
  const answer = async () => ({
    role: 'assistant',
    model: 'oracle',
    content: { type: 'text', text: 'Paris' },
  });

  it('are polled until they have the answers', async () => {
    let release: () => void = () => {};
    const thought = new Promise<void>((resolve) => (release = resolve));
    const asked: string[] = [];
    const { client, errors, close } = await connect({
      elicitation: async ({ method }, { taskId }) => {
        asked.push(`${method} ${taskId}`);
        await thought;
        return accept();
      },
      sampling: answer,
    });
    const form = client.callTool({ name: 'ask_user' });
    await waitFor(() => asked.length > 0, { what: 'the client has a task' });
    expect(await client.callTool({ name: 'ask_model' })).toMatchObject({
      content: [{ text: 'oracle: Paris' }],
    });
    release();
    expect(await form).toMatchObject({ content: [{ text: 'Hello, Ada!' }] });
    expect(asked).toHaveLength(1);
    expect(errors).toEqual([]);
    await close();
  });

  it('that fail are a refusal', async () => {
    const { client, close } = await connect({
      elicitation: accept,
      sampling: () => Promise.reject(new Error('no model')),
    });
    expect(await client.callTool({ name: 'ask_vain' })).toMatchObject({
      content: [{ text: 'refused' }],
    });
    await close();
  });
}

describeInMode('receivers of ext-tasks', 'postgres', receivers);
