import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type PrincipalId, type Session, silentLogger } from '@longshore/core';
import { SessionRegistry } from '../../src/sessions/session-registry.ts';
import { FakeBus, FakeSessionStore } from '../catalogue/support/fakes.ts';

describe('SessionRegistry', () => {
  let bus: FakeBus;
  let store: FakeSessionStore;
  let here: SessionRegistry;
  let there: SessionRegistry;
  let session: Session;

  beforeEach(async () => {
    bus = new FakeBus();
    store = new FakeSessionStore();
    here = new SessionRegistry({ store, bus, log: silentLogger });
    there = new SessionRegistry({ store, bus, log: silentLogger });
    await here.start();
    await there.start();
    session = store.add();
  });
  afterEach(async () => {
    await here.stop();
    await there.stop();
  });

  it('asks the store once for requests that come together, and not again for a moment', async () => {
    await Promise.all([here.get(session.id, null), here.get(session.id, null)]);
    await here.get(session.id, null);
    expect(store.finds).toBe(1);
    expect(here.cached(session.id, null)).toEqual(session);
  });

  it('shows a change at once, also to those of another replica', async () => {
    await there.get(session.id, null);
    await here.setLogLevel(session, 'error');
    expect((await here.get(session.id, null)).logLevel).toBe('error');
    expect((await there.get(session.id, null)).logLevel).toBe('error');
  });

  it('does not keep what was read before a change, and gives it to those who asked before', async () => {
    let open = (): void => {};
    store.gate = new Promise((resolve) => {
      open = resolve;
    });
    const before = there.get(session.id, null);
    await here.setLogLevel(session, 'error');
    open();
    expect((await before).logLevel).toBeNull();
    expect((await there.get(session.id, null)).logLevel).toBe('error');
  });

  it('answers requests under way while the bus comes back', async () => {
    let open = (): void => {};
    store.gate = new Promise((resolve) => {
      open = resolve;
    });
    const waiting = here.get(session.id, null);
    bus.resync();
    open();
    expect(await waiting).toEqual(session);
  });

  it('bounds the subscriptions of a session', async () => {
    for (let n = 0; n < 1_000; n += 1) await here.subscribe(session, `a://${n}`);
    await expect(here.subscribe(session, 'a://more')).rejects.toMatchObject({
      code: 'INVALID_PARAMS',
    });
    await here.unsubscribe(session, 'a://0');
    await here.subscribe(session, 'a://more');
    expect((await here.get(session.id, null)).resourceSubscriptions).toContain('a://more');
  });

  it('forgets a session that ended at another replica', async () => {
    await there.get(session.id, null);
    let ended = false;
    there.onEnd(session.id, () => {
      ended = true;
    });
    await here.end(session);
    expect(ended).toBe(true);
    await expect(there.get(session.id, null)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });

  it('notes once a minute that sessions are in use of which something is held open', async () => {
    jest.useFakeTimers();
    try {
      await here.stop();
      await here.start();
      const other = store.add();
      const ends = [here.hold(session.id), here.hold(session.id), here.hold(other.id)];
      ends[0]?.();
      ends[2]?.();
      await jest.advanceTimersByTimeAsync(60_000);
      expect([...store.touched]).toEqual([session.id]);
      store.touched.clear();
      ends[1]?.();
      await jest.advanceTimersByTimeAsync(60_000);
      expect([...store.touched]).toEqual([]);
    } finally {
      jest.useRealTimers();
    }
  });

  it('caches no more than 64 MiB, whatever sessions have subscribed to', async () => {
    const uri = 'a://'.padEnd(4_000_000, 'x');
    const sessions = Array.from({ length: 20 }, () => store.add());
    for (const { id } of sessions) await store.subscribe(id, uri, 1);
    for (const { id } of sessions) await here.get(id, null);
    const cached = sessions.filter(({ id }) => here.cached(id, null) !== null);
    expect(cached.length).toBeGreaterThan(0);
    expect(cached.length * 2 * uri.length).toBeLessThan(67_108_864);
  });

  describe('with owners', () => {
    const stranger = randomUUID() as string as PrincipalId;

    it('takes a session of somebody else for none, and asks the store as for an unknown one', async () => {
      const owner = session.principalId;
      await here.get(session.id, owner);
      expect(here.cached(session.id, owner)).toEqual(session);
      expect(here.cached(session.id, stranger)).toBeNull();
      const before = store.finds;
      const unknown = randomUUID();
      for (const id of [session.id, unknown]) {
        await expect(here.get(id, stranger)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
      }
      expect(store.finds - before).toBe(2);
      expect(here.cached(session.id, owner)).toEqual(session);
    });

    it('shares no look-up between them', async () => {
      const [own, foreign] = await Promise.allSettled([
        here.get(session.id, session.principalId),
        here.get(session.id, stranger),
      ]);
      expect(own).toMatchObject({ value: session });
      expect(foreign.status).toBe('rejected');
    });
  });
});
