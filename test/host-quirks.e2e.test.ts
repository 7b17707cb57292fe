import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@longshore/testing';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  CallToolResultSchema,
  TaskStatusNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { connectSdkV1, type SdkV1Client } from './support/sdk-v1-client.ts';
import { type Stack, startStack } from './support/stack.ts';

/** A task as hosts run it that look at what came of it only when it is completed, with what they show at its end. */
async function shown(client: Client, name: string, args: Record<string, unknown>) {
  const stream = client.experimental.tasks.callToolStream(
    { name, arguments: args },
    CallToolResultSchema,
    { task: { ttl: 60_000 } },
  );
  for await (const message of stream) {
    if (message.type === 'result') return message.result;
    if (message.type === 'error') return message.error;
  }
  throw new Error('the stream ended without a result');
}

/** docs/hosts.md. */
describe('a server that is set up for hosts with peculiarities', () => {
  let stack: Stack;
  let sdk: SdkV1Client;

  beforeAll(async () => {
    stack = await startStack({
      mode: 'postgres',
      apis: 1,
      workers: 1,
      environment: {
        COMPAT_TOOL_ERRORS: 'completed',
        COMPAT_REQUIRED_TOOLS: 'inline',
        POLL_INTERVAL_MS: '200',
        INLINE_WAIT_MS: '300',
      },
    });
    sdk = await connectSdkV1(new URL(stack.urls[0] ?? ''), { capabilities: {} });
    await waitFor(async () => (await sdk.client.listTools()).tools.length > 0, {
      what: 'the catalogue is there',
    });
    await sdk.client.listTools();
  });
  afterAll(async () => {
    await sdk.client.close();
    await stack.stop();
  });

  it('has the error of a tool reach a host that drops what came of failed tasks', async () => {
    expect(await shown(sdk.client, 'fail', { message: 'no paper' })).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: 'no paper' }],
    });
  });

  it('shows an error of the protocol as a failed task all the same', async () => {
    const error = await shown(sdk.client, 'refuse', {});
    expect(error).toBeInstanceOf(Error);
  });

  it('tells status messages to a host that never asks for the status', async () => {
    const heard: (string | undefined)[] = [];
    sdk.client.setNotificationHandler(TaskStatusNotificationSchema, ({ params }) => {
      heard.push(params.statusMessage);
    });
    await sdk.client.request(
      {
        method: 'tools/call',
        params: { name: 'steps', arguments: { steps: 3, stepMs: 300 }, task: { ttl: 60_000 } },
      },
      CallToolResultSchema.passthrough(),
    );
    await waitFor(() => heard.some((message) => message?.endsWith('of 3 steps')), {
      what: 'a status message was heard',
    });
  });

  it('has a host that opens a session for each call find and collect its job', async () => {
    const call = async (name: string, args: Record<string, unknown>) => {
      const own = await connectSdkV1(new URL(stack.urls[0] ?? ''), { capabilities: {} });
      try {
        return await own.client.callTool({ name, arguments: args });
      } finally {
        await own.transport.terminateSession();
        await own.client.close();
      }
    };
    const handle = await call('steps', { steps: 10, stepMs: 100 });
    const { task_id } = (handle.structuredContent as { job: { task_id: string } }).job;
    expect(JSON.stringify(await call('job_list', {}))).toContain(task_id);
    const result = await waitFor(
      async () => {
        const waited = await call('job_wait', { task_id });
        return JSON.stringify(waited).includes('"job":') ? null : waited;
      },
      { what: 'the job has ended' },
    );
    expect(result).toMatchObject({ structuredContent: { attempt: 1 } });
  });

  it('runs a tool that is made for tasks for a client without', async () => {
    const result = await sdk.client.request(
      { method: 'tools/call', params: { name: 'task_only', arguments: {} } },
      CallToolResultSchema,
    );
    expect(result.content).toEqual([{ type: 'text', text: 'done' }]);
  });
});
