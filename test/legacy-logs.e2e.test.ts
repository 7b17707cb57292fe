import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@longshore/testing';
import type { WireClient, WireStream } from '@longshore/testing/mcp';
import { LoggingMessageNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { type LegacyStack, startLegacyStack, startTask } from './support/legacy-stack.ts';

const RELATED = 'io.modelcontextprotocol/related-task';
const LOG = 'notifications/message';

describe('log messages for legacy clients', () => {
  let legacy: LegacyStack;

  beforeAll(async () => {
    legacy = await startLegacyStack({ mode: 'postgres', apis: 2 });
  });
  afterAll(() => legacy.stack.stop());

  const data = (stream: WireStream) => stream.of(LOG).map(({ params }) => params?.['data']);
  const narrate = (client: WireClient, steps: number, replica = 0): Promise<WireStream> =>
    client.open('tools/call', { name: 'narrate', arguments: { steps, stepMs: 40 } }, { replica });

  it('are declared, and come with the call that logs them, all before its answer', async () => {
    const client = await legacy.newClient();
    const stream = await narrate(client, 3);
    await stream.ended;
    const logged = stream.of(LOG);
    for (const message of logged) LoggingMessageNotificationSchema.parse(message);
    expect(logged.map(({ params }) => params)).toEqual([
      { level: 'info', logger: 'narrate', data: 'step 1' },
      { level: 'info', logger: 'narrate', data: 'step 2' },
      { level: 'info', logger: 'narrate', data: 'step 3' },
      { level: 'warning', logger: 'narrate', data: 'done' },
    ]);
    expect(stream.messages.at(-1)).toBe(stream.answer);
    const { result } = await client.initialize();
    expect(result?.['capabilities']).toMatchObject({ logging: {} });
  });

  it.each([
    ['debug', ['detail 1', 'step 1', 'done']],
    ['info', ['step 1', 'done']],
    ['warning', ['done']],
    ['emergency', []],
  ])('below %s are left out when the client says so, at any replica', async (level, expected) => {
    const client = await legacy.newClient();
    await client.result('ping', {}, { replica: 1 });
    expect(await client.result('logging/setLevel', { level }, { replica: 0 })).toEqual({});
    for (const replica of [0, 1]) {
      await waitFor(
        async () => {
          const stream = await narrate(client, 1, replica);
          await stream.ended;
          return JSON.stringify(data(stream)) === JSON.stringify(expected);
        },
        { what: `replica ${replica} keeps to the level` },
      );
    }
  });

  it.each([['loud'], [''], [3], [undefined]])('have no level %j', async (level) => {
    const client = await legacy.newClient();
    expect(await client.error('logging/setLevel', { level })).toMatchObject({
      code: -32602,
      message: expect.stringContaining('level must be one of debug, info'),
    });
  });

  it('of a task come related to it on the stream that waits, those from before as well', async () => {
    const client = await legacy.newClient();
    const taskId = await startTask(client, 'narrate', { steps: 10, stepMs: 60 });
    const stream = await client.open('tasks/result', { taskId }, { replica: 1 });
    await stream.ended;
    expect(data(stream)).toEqual([
      ...Array.from({ length: 10 }, (_, n) => `step ${n + 1}`),
      'done',
    ]);
    for (const { params } of stream.of(LOG)) {
      expect(params?.['_meta']).toEqual({ [RELATED]: { taskId } });
    }
    expect(stream.messages.at(-1)).toBe(stream.answer);
  });

  it('of a task nobody waits for come on the session’s stream', async () => {
    const client = await legacy.newClient();
    const get = await client.listen({ replica: 1 });
    const taskId = await startTask(client, 'narrate', { steps: 3, stepMs: 60 });
    await waitFor(() => data(get).includes('done'), { what: 'everything is logged' });
    expect(data(get)).toEqual(['step 1', 'step 2', 'step 3', 'done']);
    expect(get.of(LOG)[0]?.params?.['_meta']).toEqual({ [RELATED]: { taskId } });
    get.close();
  });

  it('come once, whoever listens when', async () => {
    const client = await legacy.newClient();
    const gets = [await client.listen({ replica: 0 })];
    // It goes on for longer than a slow machine takes to open three streams.
    const steps = 120;
    const taskId = await startTask(client, 'narrate', { steps, stepMs: 50 });
    await waitFor(() => gets.some((stream) => data(stream).length > 2), { what: 'GET has some' });
    const first = await client.open('tasks/result', { taskId }, { replica: 1 });
    await waitFor(() => data(first).length > 2, { what: 'the first wait has some' });
    gets.push(await client.listen({ replica: 1 }));
    const second = await client.open('tasks/result', { taskId }, { replica: 0 });
    await waitFor(() => data(second).length > 2, { what: 'the second wait has some' });
    await Promise.all([first.ended, second.ended]);
    const all = [...gets, first, second].flatMap(data);
    expect(all).toHaveLength(steps + 1);
    expect(new Set(all).size).toBe(steps + 1);
    for (const stream of gets) stream.close();
  });

  it('of a held call do not go to the session’s stream', async () => {
    const client = await legacy.newClient();
    const get = await client.listen({ replica: 1 });
    const stream = await narrate(client, 5);
    await stream.ended;
    expect(data(stream)).toHaveLength(6);
    const taskId = await startTask(client, 'narrate', { steps: 1, stepMs: 0 });
    await waitFor(() => data(get).includes('done'), { what: 'the task after it has logged' });
    expect(get.of(LOG).every(({ params }) => JSON.stringify(params).includes(taskId))).toBe(true);
    get.close();
  });

  it('reach clients of older revisions, which have no tasks', async () => {
    const client = await legacy.newClient({}, '2025-06-18');
    const stream = await narrate(client, 2);
    await stream.ended;
    expect(data(stream)).toEqual(['step 1', 'step 2', 'done']);
    expect(stream.events[0]?.message).not.toBeNull();
  });
});
