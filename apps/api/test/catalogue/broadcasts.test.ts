import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CATALOGUE_TOPIC, RESOURCES_TOPIC, type Session, silentLogger } from '@longshore/core';
import { waitFor } from '@longshore/testing';
import { Broadcasts } from '../../src/catalogue/broadcasts.ts';
import { Catalogue } from '../../src/catalogue/catalogue.ts';
import { SessionRegistry } from '../../src/sessions/session-registry.ts';
import { FakeBus, FakeCatalogueStore, FakeSessionStore, tool } from './support/fakes.ts';

describe('Broadcasts', () => {
  let bus: FakeBus;
  let store: FakeCatalogueStore;
  let sessions: FakeSessionStore;
  let here: SessionRegistry;
  /** The registry of another replica. */
  let there: SessionRegistry;
  let catalogue: Catalogue;
  let broadcasts: Broadcasts;
  let session: Session;

  beforeEach(async () => {
    bus = new FakeBus();
    store = new FakeCatalogueStore();
    sessions = new FakeSessionStore();
    here = new SessionRegistry({ store: sessions, bus, log: silentLogger });
    there = new SessionRegistry({ store: sessions, bus, log: silentLogger });
    catalogue = new Catalogue({ store, bus, log: silentLogger });
    broadcasts = new Broadcasts({ catalogue, bus, sessions: here });
    for (const service of [here, there, catalogue, broadcasts]) await service.start();
    session = sessions.add();
  });
  afterEach(async () => {
    for (const service of [broadcasts, catalogue, there, here]) await service.stop();
  });

  const listen = (source: ReturnType<Broadcasts['forSession']>) => {
    const heard: string[] = [];
    const end = source.subscribe(({ method, params }) => {
      heard.push(
        `${method.slice('notifications/'.length)} ${String(params?.['uri'] ?? '')}`.trim(),
      );
    });
    return { heard, end };
  };
  const update = (uri: string): Promise<void> =>
    bus.publish(RESOURCES_TOPIC, { kind: 'resource-updated', uri });

  it('tell a session of changed lists, and of the resources it subscribed to', async () => {
    await here.subscribe(session, 'a://1');
    const { heard, end } = listen(broadcasts.forSession(session, { comesBack: false }));
    await update('a://2');
    await update('a://1');
    await waitFor(() => heard.length > 0, { what: 'the update is told' });
    store.snapshot = { ...store.snapshot, tools: [tool('t')] };
    await bus.publish(CATALOGUE_TOPIC, { kind: 'catalogue-changed' });
    await waitFor(() => heard.length > 1, { what: 'the changed list is told' });
    expect(heard).toEqual(['resources/updated a://1', 'tools/list_changed']);
    end();
  });

  it('know at once what the session subscribed to and left at another replica', async () => {
    const { heard, end } = listen(broadcasts.forSession(session, { comesBack: false }));
    await update('a://1');
    await there.subscribe(session, 'a://1');
    await there.subscribe(session, 'a://2');
    await update('a://1');
    await waitFor(() => heard.length === 1, { what: 'the first update is told' });
    await there.unsubscribe(session, 'a://1');
    await update('a://1');
    await update('a://2');
    await waitFor(() => heard.length === 2, { what: 'the second update is told' });
    expect(heard).toEqual(['resources/updated a://1', 'resources/updated a://2']);
    end();
  });

  it('read a session’s subscriptions once for many updates', async () => {
    await here.subscribe(session, 'a://1');
    const { heard, end } = listen(broadcasts.forSession(session, { comesBack: false }));
    for (let n = 0; n < 20; n += 1) await update('a://1');
    await waitFor(() => heard.length === 20, { what: 'all updates are told' });
    expect(sessions.finds).toBe(1);
    end();
  });

  it('read them again when messages may have been lost', async () => {
    const { heard, end } = listen(broadcasts.forSession(session, { comesBack: false }));
    await update('a://1');
    await waitFor(() => sessions.finds === 1, { what: 'the subscriptions are read' });
    await sessions.subscribe(session.id, 'a://1', 10);
    bus.resync();
    await update('a://1');
    await waitFor(() => heard.length === 1, { what: 'the update is told' });
    end();
  });

  it('tell a stream that has ended nothing, also of what was on its way', async () => {
    await here.subscribe(session, 'a://1');
    const { heard, end } = listen(broadcasts.forSession(session, { comesBack: false }));
    let open = (): void => {};
    sessions.gate = new Promise((resolve) => {
      open = resolve;
    });
    await update('a://1');
    end();
    open();
    const still = listen(broadcasts.forSession(session, { comesBack: false }));
    await update('a://1');
    await waitFor(() => still.heard.length === 1, { what: 'an open stream is told' });
    expect(heard).toEqual([]);
    still.end();
  });

  it('tell a modern stream what it asked for, and nothing else', async () => {
    const all = listen(
      broadcasts.forFilter({
        toolsListChanged: true,
        promptsListChanged: true,
        resourcesListChanged: true,
        resourceSubscriptions: ['a://1'],
      }),
    );
    const none = listen(
      broadcasts.forFilter({
        toolsListChanged: false,
        promptsListChanged: true,
        resourcesListChanged: true,
        resourceSubscriptions: ['a://2'],
      }),
    );
    await update('a://1');
    store.snapshot = { ...store.snapshot, tools: [tool('t')] };
    await bus.publish(CATALOGUE_TOPIC, { kind: 'catalogue-changed' });
    await waitFor(() => all.heard.length === 2, { what: 'both changes are told' });
    expect(all.heard).toEqual(['resources/updated a://1', 'tools/list_changed']);
    expect(none.heard).toEqual([]);
    all.end();
    none.end();
  });
});
