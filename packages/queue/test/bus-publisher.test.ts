import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { silentLogger } from '@longshore/core';
import { waitFor } from '@longshore/testing';
import { RESYNC_PAYLOAD } from '../src/bus/bus-codec.ts';
import { BusPublisher } from '../src/bus/bus-publisher.ts';
import type { Outgoing } from '../src/bus/bus-transport.ts';
import { ErrorLog } from '../src/connections/error-log.ts';

describe('bus publisher', () => {
  let commands: (readonly Outgoing[])[];
  let send: (messages: readonly Outgoing[]) => Promise<void>;
  let publisher: BusPublisher;

  beforeEach(() => {
    commands = [];
    send = async () => {};
    publisher = new BusPublisher({
      send: (messages) => {
        commands.push(messages.map(({ channel, payload }) => ({ channel, payload })));
        return send(messages);
      },
      errors: new ErrorLog(silentLogger),
      answerMs: 200,
      maxPending: 10,
    });
    publisher.start();
  });
  afterEach(() => publisher.stop());

  it('sends the messages of one turn in one command, in order', async () => {
    await Promise.all(['1', '2', '3'].map((payload) => publisher.publish('a', payload)));
    expect(commands).toEqual([
      [
        { channel: 'a', payload: '1' },
        { channel: 'a', payload: '2' },
        { channel: 'a', payload: '3' },
      ],
    ]);
  });

  it('has one command under way at a time', async () => {
    let running = 0;
    let most = 0;
    send = async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running -= 1;
    };
    for (let count = 0; count < 5; count += 1) {
      void publisher.publish('a', String(count));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await publisher.publish('a', 'last');
    expect(most).toBe(1);
    expect(commands.flat()).toHaveLength(6);
  });

  it('sends a message that comes in the very turn in which the one before was answered', async () => {
    for (let count = 0; count < 50; count += 1) await publisher.publish('a', String(count));
    expect(commands.flat()).toHaveLength(50);
  });

  it('drops what can not be sent, and tells its channels to read again once it can', async () => {
    send = () => Promise.reject(new Error('away'));
    await publisher.publish('a', '1');
    await Promise.all([publisher.publish('b', '2'), publisher.publish('a', '3')]);
    send = async () => {};
    await waitFor(() => commands.at(-1)?.length === 2, { what: 'the resyncs' });
    const after = commands.length;
    await publisher.publish('a', '4');
    expect(commands.slice(after - 1).flat()).toEqual([
      { channel: 'a', payload: RESYNC_PAYLOAD },
      { channel: 'b', payload: RESYNC_PAYLOAD },
      { channel: 'a', payload: '4' },
    ]);
  });

  it('drops what comes while too much waits, and tells its channels to read again', async () => {
    let release: () => void = () => {};
    send = () =>
      new Promise((resolve) => {
        release = resolve;
      });
    const first = publisher.publish('a', 'under way');
    await waitFor(() => commands.length === 1, { what: 'the first command' });
    const waiting = Array.from({ length: 10 }, (_, at) => publisher.publish('a', String(at)));
    await publisher.publish('b', 'too much');
    send = async () => {};
    release();
    await Promise.all([first, ...waiting]);
    expect(commands.flat()).toHaveLength(12);
    expect(commands[1]?.[0]).toEqual({ channel: 'b', payload: RESYNC_PAYLOAD });
    expect(commands.flat()).not.toContainEqual({ channel: 'b', payload: 'too much' });
  });

  it('counts a message as lost that gets no answer', async () => {
    send = () => new Promise(() => {});
    await publisher.publish('a', '1');
    send = async () => {};
    await waitFor(() => commands.length === 2, { what: 'the resync' });
    expect(commands[1]).toEqual([{ channel: 'a', payload: RESYNC_PAYLOAD }]);
  });

  it('lets go of everybody when it is stopped in an outage', async () => {
    send = () => new Promise(() => {});
    const published = publisher.publish('a', '1');
    const later = publisher.publish('a', '2');
    await publisher.stop();
    await expect(Promise.all([published, later])).resolves.toBeDefined();
    await expect(publisher.publish('a', '3')).resolves.toBeUndefined();
  });
});
