import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { BusEvent, BusMessage, EventBus, Logger, TaskId } from '@longshore/core';
import { waitFor } from '@longshore/testing';
import { describeService } from '@longshore/testing/suites';
import { recordingLogger } from './recording-logger.ts';
import { newTaskId, type Rig } from './rig.ts';

/** What every event bus does, on whatever servers. */
export function describeEventBus(name: string, makeRig: () => Promise<Rig>): void {
  describe(`${name}: event bus`, () => {
    let rig: Rig;
    let topic: string;

    beforeEach(async () => {
      rig = await makeRig();
      topic = `session:${randomUUID()}`;
    });
    afterEach(() => rig.drop());

    const openBus = async (log?: Logger): Promise<EventBus> => {
      const { bus } = rig.open(log);
      await bus.start();
      return bus;
    };

    const record = async (bus: EventBus, on = topic): Promise<BusEvent[]> => {
      const events: BusEvent[] = [];
      await bus.subscribe(on, (event) => events.push(event));
      return events;
    };

    it('tells all listeners in all processes, the publisher included', async () => {
      const [one, two] = [await openBus(), await openBus()];
      const heard = [await record(one), await record(one), await record(two)];
      const message = progress('half way');
      await one.publish(topic, message);
      await waitFor(() => heard.every(({ length }) => length === 1), { what: 'everybody heard' });
      expect(heard).toEqual([[message], [message], [message]]);
    });

    it('hears whatever is published once subscribing has resolved', async () => {
      const [one, two] = [await openBus(), await openBus()];
      await Promise.all(
        Array.from({ length: 100 }, async () => {
          const own = `task:${randomUUID()}`;
          const events = await record(one, own);
          await two.publish(own, { kind: 'catalogue-changed' });
          await waitFor(() => events.length === 1, { what: 'the message' });
        }),
      );
    });

    it('loses none of 5,000 messages and shows them to everybody in one order', async () => {
      const buses = [await openBus(), await openBus()] as const;
      const heard = [await record(buses[0]), await record(buses[1])] as const;
      for (let at = 0; at < 2_500; at += 1) {
        // Waiting now and then makes groups of all sizes.
        const sent = buses.map((bus, sender) => bus.publish(topic, numbered(sender, at)));
        if (at % 7 === 0) await Promise.all(sent);
      }
      await waitFor(() => heard.every(({ length }) => length >= 5_000), { what: '5,000 messages' });
      expect(heard[0]).toEqual(heard[1]);
      for (const sender of [0, 1]) {
        const own = heard[0].filter((event) => isFrom(event, sender));
        expect(own).toEqual(Array.from({ length: 2_500 }, (_, at) => numbered(sender, at)));
      }
    }, 30_000);

    it('delivers equal messages as often as they were sent', async () => {
      const bus = await openBus();
      const events = await record(bus);
      await Promise.all(
        Array.from({ length: 10 }, () => bus.publish(topic, { kind: 'catalogue-changed' })),
      );
      await bus.publish(topic, progress('last'));
      await waitFor(() => events.some(({ kind }) => kind === 'progress'), { what: 'the last one' });
      expect(events).toHaveLength(11);
    });

    it('tells nobody of other topics', async () => {
      const bus = await openBus();
      const here = await record(bus);
      const there = await record(bus, 'catalogue');
      await bus.publish('catalogue', { kind: 'catalogue-changed' });
      await bus.publish(topic, progress('here'));
      await waitFor(() => here.length > 0 && there.length > 0, { what: 'both messages' });
      expect(here).toEqual([progress('here')]);
      expect(there).toEqual([{ kind: 'catalogue-changed' }]);
    });

    it('tells two topics apart whose names are longer than a channel', async () => {
      const bus = await openBus();
      const [left, right] = [`${'x'.repeat(100)}-left`, `${'x'.repeat(100)}-right`];
      const heard = { left: await record(bus, left), right: await record(bus, right) };
      await bus.publish(left, progress('left'));
      await bus.publish(right, progress('right'));
      await waitFor(() => heard.left.length > 0 && heard.right.length > 0, { what: 'both' });
      expect(heard).toEqual({ left: [progress('left')], right: [progress('right')] });
    });

    it('leaves a closed listener alone and goes on with the others', async () => {
      const bus = await openBus();
      const gone: BusEvent[] = [];
      const subscription = await bus.subscribe(topic, (event) => gone.push(event));
      const stays = await record(bus);
      void bus.publish(topic, progress('maybe'));
      await subscription.close();
      const heardBefore = gone.length;
      await bus.publish(topic, progress('after'));
      await waitFor(() => stays.length === 2, { what: 'both messages' });
      expect(gone).toHaveLength(heardBefore);
    });

    it('can be subscribed again after the last listener left, however quickly', async () => {
      const bus = await openBus();
      for (let round = 0; round < 20; round += 1) {
        const events: BusEvent[] = [];
        const subscription = await bus.subscribe(topic, (event) => events.push(event));
        await bus.publish(topic, progress(String(round)));
        await waitFor(() => events.length > 0, { what: `message ${round}` });
        expect(events).toEqual([progress(String(round))]);
        await subscription.close();
      }
    });

    it('shortens a long progress message instead of losing it', async () => {
      const bus = await openBus();
      const events = await record(bus);
      await bus.publish(topic, progress(`${'€🚢'.repeat(5_000)}`));
      await waitFor(() => events.length > 0, { what: 'the message' });
      const [event] = events;
      expect(event).toMatchObject({
        kind: 'progress',
        message: expect.stringMatching(/^(€🚢)+€?…$/u),
      });
    });

    it('drops texts that are no messages, and says so', async () => {
      const { log, lines } = recordingLogger();
      const bus = await openBus(log);
      const events = await record(bus);
      for (const text of ['', '0 {', 'null', '0 {"kind":"changed","taskId":"x"}', '\u{1f6a2}']) {
        await rig.sendRaw(topic, text);
      }
      await bus.publish(topic, progress('good'));
      await waitFor(() => events.length > 0, { what: 'the good message' });
      expect(events).toEqual([progress('good')]);
      expect(lines.filter(({ message }) => message.includes('unknown form'))).toHaveLength(5);
    });

    it('goes on when a listener throws', async () => {
      const bus = await openBus();
      await bus.subscribe(topic, () => {
        throw new Error('planted');
      });
      const events = await record(bus);
      await bus.publish(topic, progress('1'));
      await bus.publish(topic, progress('2'));
      await waitFor(() => events.length === 2, { what: 'both messages' });
    });

    it('says resync to every listener after its connection broke, then goes on', async () => {
      const [bus, other] = [await openBus(), await openBus()];
      const heard = [await record(bus), await record(bus, 'catalogue')];
      await rig.breakListeners();
      await waitFor(() => heard.every((events) => events.some(({ kind }) => kind === 'resync')), {
        what: 'resync everywhere',
      });
      await other.publish(topic, progress('after'));
      await waitFor(() => heard[0]?.at(-1)?.kind === 'progress', { what: 'the next message' });
      expect(heard).toEqual([[{ kind: 'resync' }, progress('after')], [{ kind: 'resync' }]]);
    });

    it('refuses subscribers and drops messages when it is not started', async () => {
      const { bus } = rig.open();
      await expect(bus.subscribe(topic, () => {})).rejects.toMatchObject({
        code: 'QUEUE_UNAVAILABLE',
      });
      await expect(bus.publish(topic, progress('lost'))).resolves.toBeUndefined();
    });

    it('is silent after it was stopped', async () => {
      const [bus, other] = [await openBus(), await openBus()];
      const [stopped, running] = [await record(bus), await record(other)];
      await bus.stop();
      await other.publish(topic, progress('after'));
      await waitFor(() => running.length === 1, { what: 'the message' });
      expect(stopped).toEqual([]);
    });

    it('sends what was published before it is stopped', async () => {
      const [bus, other] = [await openBus(), await openBus()];
      const events = await record(other);
      const published = bus.publish(topic, progress('last words'));
      await bus.stop();
      await published;
      await waitFor(() => events.length === 1, { what: 'the last words' });
    });

    describeService('event bus', () => rig.open().bus);
  });
}

const TASK = newTaskId();

function progress(message: string): BusMessage {
  return { kind: 'progress', taskId: TASK, token: 1, progress: 1, total: null, message };
}

const SENDERS: readonly TaskId[] = [newTaskId(), newTaskId()];

function numbered(sender: number, at: number): BusMessage {
  const taskId = SENDERS[sender] ?? TASK;
  return { kind: 'progress', taskId, token: null, progress: at, total: null, message: null };
}

function isFrom(event: BusEvent, sender: number): boolean {
  return event.kind === 'progress' && event.taskId === SENDERS[sender];
}
