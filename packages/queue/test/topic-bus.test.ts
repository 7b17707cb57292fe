import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type BusEvent, silentLogger } from '@longshore/core';
import { waitFor } from '@longshore/testing';
import type { BusTransport, BusTransportEvents } from '../src/bus/bus-transport.ts';
import { TopicBus } from '../src/bus/topic-bus.ts';
import { ErrorLog } from '../src/connections/error-log.ts';

const NOTHING: BusTransportEvents = { up: () => {}, down: () => {}, message: () => {} };

describe('topic bus', () => {
  let server: BusTransportEvents;
  let changes: { listen: readonly string[]; unlisten: readonly string[] }[];
  let change: () => Promise<void>;
  let bus: TopicBus;

  beforeEach(async () => {
    server = NOTHING;
    changes = [];
    change = async () => {};
    const transport: BusTransport = {
      connect: async (events) => {
        server = events;
        events.up();
      },
      disconnect: async () => {},
      change: (listen, unlisten) => {
        changes.push({ listen, unlisten });
        return change();
      },
      send: async (messages) => {
        for (const { channel, payload } of messages) server.message(channel, payload);
      },
    };
    bus = new TopicBus({
      transport,
      prefix: 'p',
      log: silentLogger,
      errors: new ErrorLog(silentLogger),
      answerMs: 300,
    });
    await bus.start();
  });
  afterEach(() => bus.stop());

  const settled = (count: number): Promise<boolean> =>
    waitFor(() => changes.length === count, { what: `${count} changes` });

  it('listens to a topic once and leaves it with its last listener', async () => {
    const subscriptions = await Promise.all([
      bus.subscribe('a', () => {}),
      bus.subscribe('a', () => {}),
      bus.subscribe('b', () => {}),
    ]);
    expect(changes).toEqual([{ listen: ['p:a', 'p:b'], unlisten: [] }]);
    const late = await bus.subscribe('a', () => {});
    for (const subscription of [...subscriptions, late]) await subscription.close();
    await settled(2);
    expect(changes[1]?.unlisten.toSorted()).toEqual(['p:a', 'p:b']);
  });

  it('keeps listening when the last listener leaves and another comes in the same turn', async () => {
    const heard: BusEvent[] = [];
    const first = await bus.subscribe('a', () => {});
    await first.close();
    await bus.subscribe('a', (event) => heard.push(event));
    await bus.publish('a', { kind: 'catalogue-changed' });
    expect(changes).toHaveLength(1);
    expect(heard).toEqual([{ kind: 'catalogue-changed' }]);
  });

  it('listens again when a listener comes while the topic is being left', async () => {
    const first = await bus.subscribe('a', () => {});
    let release: () => void = () => {};
    change = () =>
      new Promise((resolve) => {
        release = resolve;
      });
    await first.close();
    await settled(2);
    const second = bus.subscribe('a', () => {});
    change = async () => {};
    release();
    await second;
    expect(changes.slice(1)).toEqual([
      { listen: [], unlisten: ['p:a'] },
      { listen: ['p:a'], unlisten: [] },
    ]);
  });

  it('listens to everything again on a new connection, and says resync only then', async () => {
    const heard: BusEvent[] = [];
    await bus.subscribe('a', (event) => heard.push(event));
    server.down();
    expect(heard).toEqual([]);
    server.up();
    await waitFor(() => heard.length > 0, { what: 'resync' });
    expect(heard).toEqual([{ kind: 'resync' }]);
    expect(changes[1]).toEqual({ listen: ['p:a'], unlisten: [] });
  });

  it('says no resync to who only waited for the connection', async () => {
    server.down();
    const heard: BusEvent[] = [];
    const subscribed = bus.subscribe('a', (event) => heard.push(event));
    server.up();
    await subscribed;
    expect(heard).toEqual([]);
  });

  it('does not believe an answer that comes from a connection that is gone', async () => {
    let release: () => void = () => {};
    change = () =>
      new Promise((resolve) => {
        release = resolve;
      });
    let isSubscribed = false;
    const subscribed = bus
      .subscribe('a', () => {})
      .then(() => {
        isSubscribed = true;
      });
    await settled(1);
    server.down();
    server.up();
    release();
    await settled(2);
    expect(isSubscribed).toBe(false);
    release();
    await subscribed;
  });

  it('tries again when the server refuses to listen', async () => {
    change = async () => {
      if (changes.length === 1) throw new Error('planted');
    };
    await bus.subscribe('a', () => {});
    expect(changes).toEqual([
      { listen: ['p:a'], unlisten: [] },
      { listen: ['p:a'], unlisten: [] },
    ]);
  });

  it('forgets a subscriber it had to refuse', async () => {
    server.down();
    await expect(bus.subscribe('a', () => {})).rejects.toMatchObject({ code: 'QUEUE_UNAVAILABLE' });
    server.up();
    await bus.subscribe('b', () => {});
    expect(changes).toEqual([{ listen: ['p:b'], unlisten: [] }]);
  });

  it('refuses who still waits when it is stopped', async () => {
    server.down();
    const subscribed = bus.subscribe('a', () => {});
    const refused = expect(subscribed).rejects.toMatchObject({ code: 'QUEUE_UNAVAILABLE' });
    await bus.stop();
    await refused;
  });
});
