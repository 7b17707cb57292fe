import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeWithRedis, type Mode, waitFor } from '@longshore/testing';
import { WireClient, type WireMessage, type WireStream } from '@longshore/testing/mcp';
import type { SpawnedProcess } from '@longshore/testing/processes';
import { ASKABLE, type LegacyStack, startLegacyStack, startTask } from './support/legacy-stack.ts';

const STEPS = 40;
const NAME = { action: 'accept', content: { name: 'Ada' } };
/** Replicas as the clients of this test know them. */
const [SURVIVOR, VICTIM] = [0, 1];

function resume(mode: Mode): void {
  let legacy: LegacyStack;

  beforeAll(async () => {
    legacy = await startLegacyStack({ mode });
  });
  afterAll(() => legacy.stack.stop());

  /** A session, and a second replica that may be killed. */
  const withVictim = async (
    capabilities = {},
  ): Promise<{ client: WireClient; victim: SpawnedProcess }> => {
    const { stack } = legacy;
    const victimUrl = await stack.startApi();
    const victim = stack.apis.at(-1);
    const survivorUrl = stack.urls[0];
    if (victim === undefined || survivorUrl === undefined) throw new Error('no API');
    const client = new WireClient(survivorUrl, victimUrl);
    await client.initialize('2025-11-25', capabilities);
    await waitFor(
      async () =>
        JSON.stringify(await client.result('tools/list', {}, { replica: VICTIM })).includes('echo'),
      { what: 'the victim has the catalogue' },
    );
    return { client, victim };
  };
  const narrate = { name: 'narrate', arguments: { steps: STEPS, stepMs: 60 } };
  const logged = (...streams: WireStream[]): unknown[] =>
    streams.flatMap((stream) => stream.of('notifications/message')).map((m) => m.params?.['data']);
  const progressed = (...streams: WireStream[]): number[] =>
    streams
      .flatMap((stream) => stream.of('notifications/progress'))
      .map((message) => Number(message.params?.['progress']));
  const ALL_LOGS = [...Array.from({ length: STEPS }, (_, n) => `step ${n + 1}`), 'done'];
  const underWay = (stream: WireStream): Promise<unknown> =>
    waitFor(() => logged(stream).length > 5 && progressed(stream).length > 2, {
      what: 'the stream carries logs and progress',
    });
  const expectGrowing = (values: readonly number[]): void => {
    expect(values).toEqual([...new Set(values)].sort((a, b) => a - b));
  };
  const comeBack = (client: WireClient, stream: WireStream, replica = SURVIVOR) =>
    client.listen({ replica, lastEventId: stream.lastEventId });
  const textOf = (message: WireMessage | undefined) => JSON.stringify(message?.result);

  it('goes on with a held call elsewhere after its replica was killed', async () => {
    const { client, victim } = await withVictim();
    const params = { ...narrate, _meta: { progressToken: 'p' } };
    const first = await client.open('tools/call', params, { replica: VICTIM, id: 'cäll/1' });
    await underWay(first);
    await victim.kill('SIGKILL');
    await first.ended;
    expect(first.answer).toBeUndefined();
    const second = await comeBack(client, first);
    await second.ended;
    expect(second.answer).toMatchObject({ id: 'cäll/1' });
    expect(textOf(second.answer)).toContain(`took ${STEPS} steps`);
    expect(second.messages.at(-1)).toBe(second.answer);
    expect(logged(first, second)).toEqual(ALL_LOGS);
    expectGrowing(progressed(first, second));
    expect(progressed(second).length).toBeGreaterThan(0);
  });

  it('goes on with a wait for a result elsewhere after its replica was killed', async () => {
    const { client, victim } = await withVictim();
    const taskId = await startTask(client, 'narrate', narrate.arguments, { progressToken: 7 });
    const first = await client.open('tasks/result', { taskId }, { replica: VICTIM, id: 41 });
    await underWay(first);
    await victim.kill('SIGKILL');
    await first.ended;
    const second = await comeBack(client, first);
    await second.ended;
    expect(second.answer).toMatchObject({
      id: 41,
      result: { _meta: { 'io.modelcontextprotocol/related-task': { taskId } } },
    });
    expect(logged(first, second)).toEqual(ALL_LOGS);
    expectGrowing(progressed(first, second));
    expect(progressed(second).length).toBeGreaterThan(0);
  });

  it('tells on the session’s stream what happened while it was broken', async () => {
    const { client, victim } = await withVictim();
    const before = await startTask(client, 'echo', { text: 'before' });
    await waitFor(
      async () => {
        const { status, lastUpdatedAt } = await client.result('tasks/get', { taskId: before });
        return status === 'completed' && Date.now() - Date.parse(String(lastUpdatedAt)) > 1_200;
      },
      { what: 'a task has ended well before' },
    );
    const first = await client.listen({ replica: VICTIM });
    const seen = await startTask(client, 'echo', { text: 'seen' });
    const about = (stream: WireStream, taskId: string) =>
      stream
        .of('notifications/tasks/status')
        .filter(({ params }) => params?.['taskId'] === taskId)
        .map(({ params }) => params?.['status']);
    await waitFor(() => about(first, seen).includes('completed'), { what: 'the stream tells' });
    await victim.kill('SIGKILL');
    await first.ended;
    const missed = await startTask(client, 'fail', { message: 'missed' });
    await client.result('tasks/result', { taskId: missed }).catch(() => {});
    const second = await comeBack(client, first);
    await waitFor(() => about(second, missed).length > 0, { what: 'the missed end is told' });
    expect(about(second, missed)).toEqual(['failed']);
    expect(about(second, before)).toEqual([]);
    expect(about(second, seen).length).toBeLessThanOrEqual(1);
    const later = await startTask(client, 'echo', { text: 'later' });
    await waitFor(() => about(second, later).includes('completed'), { what: 'it goes on' });
    second.close();
  });

  it('does not ask again what the client was asked, and takes its answer', async () => {
    const { client, victim } = await withVictim(ASKABLE);
    const first = await client.open('tools/call', { name: 'ask_form' }, { replica: VICTIM });
    const question = await waitFor(() => first.questions[0], { what: 'it asks' });
    await victim.kill('SIGKILL');
    await first.ended;
    const second = await comeBack(client, first);
    await client.respond(question, NAME);
    await second.ended;
    expect(second.questions).toEqual([]);
    expect(textOf(second.answer)).toContain('Ada');
    expect(logged(first, second)).toEqual(['before', 'after']);
  });

  it('asks what the client has not seen, of a held call and of a session', async () => {
    const { client, victim } = await withVictim(ASKABLE);
    const call = await client.open('tools/call', { name: 'ask_form' }, { replica: VICTIM });
    const get = await client.listen({ replica: VICTIM });
    const taskId = await startTask(client, 'ask_form');
    await waitFor(() => call.questions.length + get.questions.length === 2, { what: 'both ask' });
    await victim.kill('SIGKILL');
    await Promise.all([call.ended, get.ended]);
    // As if the connection had broken right after the first event.
    const again = await client.listen({ lastEventId: call.events[0]?.id ?? '' });
    const getAgain = await client.listen({ lastEventId: get.events[0]?.id ?? '' });
    await waitFor(() => again.questions.length + getAgain.questions.length === 2, {
      what: 'both ask again',
    });
    expect(again.questions).toEqual(call.questions);
    expect(getAgain.questions).toEqual(get.questions);
    const [ofCall, ofTask] = [call.questions[0], get.questions[0]];
    if (ofCall === undefined || ofTask === undefined) throw new Error('no questions');
    await client.respond(ofCall, NAME);
    await client.respond(ofTask, NAME);
    await again.ended;
    expect(textOf(again.answer)).toContain('Ada');
    expect(textOf((await client.request('tasks/result', { taskId })).last)).toContain('Ada');
    getAgain.close();
  });

  it('repeats log messages after the event the client names, and none before it', async () => {
    const client = await legacy.newClient();
    const first = await client.open('tools/call', {
      ...narrate,
      arguments: { steps: 5, stepMs: 20 },
    });
    await first.ended;
    const third = first.events.filter(
      ({ message }) => message?.method === 'notifications/message',
    )[2];
    const again = await client.listen({ lastEventId: third?.id ?? '' });
    await again.ended;
    expect(logged(again)).toEqual(['step 4', 'step 5', 'done']);
    expect(again.answer).toEqual(first.answer);
  });

  it('ends the connection that the client has left, and repeats nothing', async () => {
    const { client } = await withVictim();
    const params = { ...narrate, _meta: { progressToken: 'left' } };
    const first = await client.open('tools/call', params, { replica: VICTIM });
    await underWay(first);
    const second = await comeBack(client, first);
    await Promise.all([first.ended, second.ended]);
    expect(first.answer).toBeUndefined();
    expect(textOf(second.answer)).toContain('took');
    expect(new Set(logged(first, second)).size).toBe(ALL_LOGS.length);
  });

  it('can be withdrawn by notifications/cancelled, at any replica', async () => {
    const { client, victim } = await withVictim();
    const params = { name: 'hang', arguments: {}, _meta: { progressToken: 'h' } };
    const first = await client.open('tools/call', params, { replica: VICTIM, id: 'stop me' });
    await waitFor(() => first.messages.length > 0, { what: 'it runs' });
    await victim.kill('SIGKILL');
    await first.ended;
    const second = await comeBack(client, first);
    await client.notify('notifications/cancelled', { requestId: 'stop me' });
    await second.ended;
    expect(second.answer).toBeUndefined();
  });

  it('is asked for by a replica that stops in good order', async () => {
    const { client, victim } = await withVictim();
    const call = await client.open('tools/call', narrate, { replica: VICTIM });
    const get = await client.listen({ replica: VICTIM });
    await waitFor(() => logged(call).length > 2, { what: 'it runs' });
    expect((await victim.kill('SIGTERM')).code).toBe(0);
    await Promise.all([call.ended, get.ended]);
    for (const stream of [call, get]) {
      expect(stream.answer).toBeUndefined();
      expect(stream.events.at(-1)).toMatchObject({
        id: null,
        retry: expect.any(Number),
        message: null,
      });
    }
    const again = await comeBack(client, call);
    await again.ended;
    expect(textOf(again.answer)).toContain('took');
    expect(logged(call, again)).toEqual(ALL_LOGS);
  });
}

describeWithRedis('resuming legacy streams, with Redis', () => resume('redis'));
describe('resuming legacy streams, with Postgres only', () => resume('postgres'));
