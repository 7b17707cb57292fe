import { expect, skip } from '../manifest/violation.ts';
import type { Check } from '../scene/check.ts';
import type { Scene } from '../scene/scene.ts';
import type { Exchange } from '../wire/exchange.ts';
import type { Received } from '../wire/inbox.ts';
import { canonical, show } from '../wire/json.ts';
import { isResponse } from '../wire/json-rpc.ts';
import type { Session } from '../wire/session.ts';
import { inTime, settlesWithin } from '../wire/waiting.ts';
import { startWaited } from './waited-task.ts';

const isEventStream = (contentType: string): boolean => /^text\/event-stream\b/i.test(contentType);

export const TRANSPORT_CHECKS: readonly Check[] = [
  {
    id: 'transport-post-content-type',
    verifies: 'transport-post-content-type',
    needs: ['slow'],
    async run(scene) {
      const session = await scene.open();
      const { id } = await scene.startAndEnd(session);
      for (const method of ['ping', 'tools/list', 'tasks/get', 'tasks/result']) {
        const exchange = session.request(method, method.startsWith('tasks') ? { taskId: id } : {});
        const { contentType } = await inTime(exchange.opened, {
          signal: scene.signal,
          what: `an answer to ${method}`,
        });
        const isJson = /^application\/json\b/i.test(contentType);
        expect(isJson || isEventStream(contentType), `${method} came as "${contentType}"`);
      }
    },
  },
  {
    id: 'transport-accepted/notification',
    verifies: 'transport-accepted',
    needs: [],
    async run(scene) {
      const { status, body } = (await scene.open()).initializedReceipt;
      expect(
        status === 202 && body === '',
        `notifications/initialized was answered HTTP ${status} with ${show(body)}`,
      );
    },
  },
  {
    id: 'transport-accepted/response',
    verifies: 'transport-accepted',
    needs: [],
    async run(scene) {
      const session = await scene.open();
      for (const id of ['nobody asked', 4711]) {
        const { status, body } = await session.answer(id, { action: 'accept', content: {} });
        const refused = status >= 400 && status < 500;
        expect(
          refused || (status === 202 && body === ''),
          `a response nobody asked for was answered HTTP ${status} with ${show(body)}`,
        );
        const { result } = await session.call('ping');
        expect(result !== undefined, 'no ping after a response nobody asked for');
      }
    },
  },
  {
    id: 'transport-stream-ends',
    verifies: 'transport-stream-ends',
    needs: ['slow'],
    async run(scene) {
      const { waiting: waits } = await startWaited(scene, await scene.open());
      const [waiting] = waits;
      if (waiting === undefined) return;
      await inTime(waiting.response, { signal: scene.signal, what: 'the result' });
      const { contentType } = await waiting.opened;
      if (!isEventStream(contentType)) skip('tasks/result came as JSON');
      const longMs = scene.timing.settleMs * 5;
      expect(
        await settlesWithin(waiting.ended, longMs, scene.signal),
        `the stream of tasks/result is open ${longMs} ms after its response`,
      );
    },
  },
  {
    id: 'transport-no-broadcast/notification',
    verifies: 'transport-no-broadcast',
    needs: ['slow'],
    async run(scene) {
      const received = (await hearOnManyStreams(scene)).filter(
        ({ message }) => !isResponse(message),
      );
      if (received.length === 0) skip('the server sent no messages to be broadcast');
      const streams = new Map<string, Set<string>>();
      for (const { message, stream, kind } of received) {
        const text = canonical(message);
        streams.set(text, (streams.get(text) ?? new Set()).add(`${kind.toUpperCase()} ${stream}`));
      }
      for (const [text, where] of streams) {
        const streamsOf = [...where].join(', ');
        expect(where.size === 1, `the same message came on the streams ${streamsOf}: ${text}`);
      }
    },
  },
  {
    id: 'transport-get-no-response',
    verifies: 'transport-get-no-response',
    needs: ['slow'],
    async run(scene) {
      const responses = (await hearOnManyStreams(scene)).filter(
        ({ kind, message }) => kind === 'get' && isResponse(message),
      );
      expect(responses.length === 0, `a GET stream carried ${show(responses[0]?.message)}`);
    },
  },
  {
    id: 'transport-event-ids-unique',
    verifies: 'transport-event-ids-unique',
    needs: ['slow'],
    async run(scene) {
      const ids = (await hearOnManyStreams(scene)).flatMap(({ eventId }) => eventId ?? []);
      if (ids.length === 0) skip('the events of the server have no id');
      const twice = ids.find((id, index) => ids.indexOf(id) !== index);
      expect(twice === undefined, `two events of one session have the id ${show(twice)}`);
    },
  },
  {
    id: 'transport-replay-own-stream',
    verifies: 'transport-replay-own-stream',
    needs: ['slow'],
    async run(scene) {
      const session = await scene.open();
      const { waiting, lastEventId, ms } = await startInterrupted(scene, session);
      const other = await scene.start(session, 'slow', { ms }, { progressToken: 'second' });
      await other.outcome();
      const resumed = await session.listen(lastEventId);
      if (resumed === null) skip('the server does not resume streams');
      await scene.settle(2);
      const replayed = session.inbox.received.filter(({ stream }) => stream === resumed.stream);
      const others = textsOn(
        session,
        (stream) => ![waiting.stream, resumed.stream].includes(stream),
      );
      const foreign = replayed.find(({ message }) => others.has(canonical(message)));
      expect(
        foreign === undefined,
        `a resumed stream repeated what came on another: ${show(foreign?.message)}`,
      );
    },
  },
];

/** A tasks/result whose connection broke after an event and before the answer. */
async function startInterrupted(scene: Scene, session: Session) {
  for (let atLeastMs = scene.timing.taskMs; ; atLeastMs *= 2) {
    const { waiting: waits, ms } = await startWaited(scene, session, { token: 'first', atLeastMs });
    const [waiting] = waits;
    if (waiting !== undefined) await firstEvent(scene, waiting);
    const lastEventId = waiting?.lastEventId ?? null;
    if (waiting === undefined || lastEventId === null) {
      return skip('the stream of tasks/result has no event to resume from');
    }
    // Too late, on a slow machine or line: the next one takes longer.
    if (waiting.answer !== null) continue;
    waiting.disconnect();
    return { waiting, lastEventId, ms };
  }
}

/** Waits for an event, or for as long as one should take. */
async function firstEvent(scene: Scene, exchange: Exchange): Promise<void> {
  for (let look = 0; look < 10; look += 1) {
    if (exchange.lastEventId !== null || exchange.answer !== null) return;
    await scene.settle(1 / 2);
  }
}

/** Texts of the messages on certain streams, but for responses. */
function textsOn(session: Session, isWanted: (stream: number) => boolean): Set<string> {
  return new Set(
    session.inbox.received
      .filter(({ stream, message }) => isWanted(stream) && !isResponse(message))
      .map(({ message }) => canonical(message)),
  );
}

/** One task with progress, while two GET streams are open and two tasks/result wait. */
async function hearOnManyStreams(scene: Scene): Promise<readonly Received[]> {
  const session = await scene.open();
  await session.listen();
  await session.listen();
  const { waiting } = await startWaited(scene, session, { token: 'many', waits: 2 });
  for (const { response } of waiting) {
    await inTime(response, { signal: scene.signal, what: 'the result of a task waited for twice' });
  }
  await scene.settle();
  return session.inbox.received;
}
