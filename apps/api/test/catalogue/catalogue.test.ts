import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { CATALOGUE_TOPIC, silentLogger } from '@longshore/core';
import { Catalogue } from '../../src/catalogue/catalogue.ts';
import { FakeBus, FakeCatalogueStore, prompt, resource, tool } from './support/fakes.ts';

describe('Catalogue', () => {
  let store: FakeCatalogueStore;
  let bus: FakeBus;
  let catalogue: Catalogue;
  let heard: string[];

  beforeEach(() => {
    jest.useFakeTimers();
    store = new FakeCatalogueStore();
    bus = new FakeBus();
    catalogue = new Catalogue({ store, bus, log: silentLogger });
    heard = [];
    catalogue.onChange((list) => heard.push(list));
  });
  afterEach(async () => {
    await catalogue.stop();
    jest.useRealTimers();
  });

  const announce = async (change: Partial<FakeCatalogueStore['snapshot']>): Promise<void> => {
    store.snapshot = { ...store.snapshot, ...change };
    await bus.publish(CATALOGUE_TOPIC, { kind: 'catalogue-changed' });
    await catalogue.refresh();
  };
  const settle = (): Promise<void> => jest.advanceTimersByTimeAsync(250);

  it('sorts resources of one URI from templates', async () => {
    store.snapshot = {
      tools: [tool('t')],
      prompts: [prompt('p')],
      resources: [resource('a://b/{c}'), resource('a://b')],
    };
    await catalogue.start();
    expect(catalogue.tools.find('t')).not.toBeNull();
    expect(catalogue.prompts.find('p')).not.toBeNull();
    expect([...catalogue.resources.all()].map(({ name }) => name)).toEqual(['a://b']);
    expect([...catalogue.templates.all()].map(({ name }) => name)).toEqual(['a://b/{c}']);
  });

  it('says nothing of what was there at the start', async () => {
    store.snapshot = { tools: [tool('t')], prompts: [prompt('p')], resources: [resource('a://b')] };
    await catalogue.start();
    await settle();
    expect(heard).toEqual([]);
  });

  it('says nothing of the first catalogue also when Postgres was away at the start', async () => {
    store.failing = true;
    store.snapshot = { ...store.snapshot, tools: [tool('t')] };
    await catalogue.start();
    store.failing = false;
    await catalogue.refresh();
    expect(catalogue.tools.find('t')).not.toBeNull();
    await settle();
    expect(heard).toEqual([]);
  });

  it('says once for a burst which lists have changed', async () => {
    await catalogue.start();
    await announce({ tools: [tool('a')] });
    await announce({ tools: [tool('a'), tool('b')], resources: [resource('a://{b}')] });
    expect(heard).toEqual([]);
    await settle();
    expect(heard).toEqual(['tools', 'resources']);
    await announce({ prompts: [prompt('p')] });
    await settle();
    expect(heard).toEqual(['tools', 'resources', 'prompts']);
  });

  it('says nothing of what clients can not see, or what was taken back at once', async () => {
    store.snapshot = { ...store.snapshot, tools: [tool('a')] };
    await catalogue.start();
    await announce({ tools: [tool('a', { pluginVersion: '1.0.1' })] });
    await settle();
    await announce({ tools: [] });
    await announce({ tools: [tool('a')] });
    await settle();
    expect(heard).toEqual([]);
  });

  it('keeps what it knows while Postgres is away, and is right again after', async () => {
    store.snapshot = { ...store.snapshot, prompts: [prompt('p')] };
    await catalogue.start();
    store.failing = true;
    await announce({ prompts: [] });
    await settle();
    expect(catalogue.prompts.find('p')).not.toBeNull();
    expect(heard).toEqual([]);
    store.failing = false;
    await jest.advanceTimersByTimeAsync(5_250);
    expect(catalogue.prompts.find('p')).toBeNull();
    expect(heard).toEqual(['prompts']);
  });

  it('tells nobody who does not listen any more', async () => {
    const late: string[] = [];
    const end = catalogue.onChange((list) => late.push(list));
    await catalogue.start();
    end();
    await announce({ tools: [tool('a')] });
    await settle();
    expect(heard).toEqual(['tools']);
    expect(late).toEqual([]);
  });
});
