import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type AnnouncedPrompt,
  type AnnouncedResource,
  type AnnouncedTool,
  type Logger,
  silentLogger,
  type WorkerAnnouncement,
} from '@longshore/core';
import { openDatabase } from '../src/index.ts';
import { newWorkerId } from './fixtures/task-factory.ts';
import { openTestStores, type TestStores } from './fixtures/test-stores.ts';

const GRACE_MS = 60_000;

let stores: TestStores;

beforeAll(async () => {
  stores = await openTestStores();
});
afterAll(() => stores.drop());
/** The catalogue is one for all, so each test starts with an empty one. */
beforeEach(() => stores.empty());

const tool = (name: string, changes: Partial<AnnouncedTool> = {}): AnnouncedTool => ({
  name,
  title: null,
  description: `Does ${name}.`,
  inputSchema: { type: 'object', properties: { 'a\0b': { type: 'string' } } },
  outputSchema: null,
  annotations: { readOnlyHint: true },
  taskSupport: 'optional',
  asksFirst: false,
  requires: [],
  immediateResponse: null,
  policy: {
    queue: 'default',
    timeoutMs: 1_000,
    maxAttempts: 3,
    backoff: { baseMs: 100, factor: 2, maxMs: 1_000 },
    deadlineMs: null,
    concurrency: null,
    rate: { starts: 10, perMs: 60_000 },
  },
  version: '1.2.3',
  deprecated: 'Use another.',
  cost: { amount: 1, unit: 'USD' },
  card: 'ui://text/0123',
  fingerprint: `of ${name}`,
  plugin: '@longshore/plugin-text',
  pluginVersion: '0.1.0',
  ...changes,
});

const announced = {
  title: null,
  description: null,
  completes: [],
  policy: { queue: 'default', timeoutMs: 1_000 },
  plugin: '@longshore/plugin-text',
  pluginVersion: '0.1.0',
};

const prompt = (name: string, changes: Partial<AnnouncedPrompt> = {}): AnnouncedPrompt => ({
  ...announced,
  name,
  arguments: [{ name: 'topic', description: null, required: true }],
  ...changes,
});

const resource = (
  address: AnnouncedResource['address'],
  changes: Partial<AnnouncedResource> = {},
): AnnouncedResource => ({
  ...announced,
  name: 'a resource',
  address,
  mimeType: 'text/plain',
  annotations: { priority: 1 },
  ...changes,
});

const worker = (...tools: AnnouncedTool[]): WorkerAnnouncement => ({
  id: newWorkerId(),
  host: 'host-1',
  pid: 4711,
  version: '0.1.0',
  queues: ['default', 'images'],
  concurrency: 8,
  leaseMs: 20_000,
  tools,
  prompts: [],
  resources: [],
  cards: [],
});

const names = async (graceMs = GRACE_MS) =>
  (await stores.catalogueStore.load(graceMs)).tools.map(({ name }) => name);

it('loads announced tools by name, exactly as they were announced', async () => {
  const [b, a] = [tool('b', { title: 'B' }), tool('a', { outputSchema: { type: 'object' } })];
  await stores.catalogueStore.announce(worker(b, a));
  expect((await stores.catalogueStore.load(GRACE_MS)).tools).toEqual([a, b]);
});

it('loads prompts by name and resources by address, exactly as they were announced', async () => {
  const prompts = [prompt('b', { title: 'B', completes: ['topic'] }), prompt('a')];
  const resources = [
    resource({ kind: 'uri', uri: 'notes://b' }),
    resource({ kind: 'template', template: 'notes://{+path}' }, { completes: ['path'] }),
    resource({ kind: 'uri', uri: 'notes://a' }, { mimeType: null, annotations: null }),
  ];
  await stores.catalogueStore.announce({ ...worker(tool('a')), prompts, resources });
  const loaded = await stores.catalogueStore.load(GRACE_MS);
  expect(loaded.tools).toEqual([tool('a')]);
  expect(loaded.prompts).toEqual(prompts.toReversed());
  expect(new Set(loaded.resources)).toEqual(new Set(resources));
});

it('withdraws a prompt and leaves the tool of the same name', async () => {
  const first = { ...worker(tool('a')), prompts: [prompt('a'), prompt('b')] };
  await stores.catalogueStore.announce(first);
  await stores.catalogueStore.announce({ ...first, prompts: [prompt('b')] });
  expect(await stores.catalogueStore.load(GRACE_MS)).toEqual({
    tools: [tool('a')],
    prompts: [prompt('b')],
    resources: [],
  });
});

it('takes a prompt and a resource of several workers from the one that started last', async () => {
  const offer = (pluginVersion: string): WorkerAnnouncement => ({
    ...worker(),
    prompts: [prompt('a', { pluginVersion })],
    resources: [resource({ kind: 'uri', uri: 'notes://a' }, { pluginVersion })],
  });
  const [old, young] = [offer('1'), offer('2')];
  await stores.catalogueStore.announce(young);
  await stores.catalogueStore.announce(old);
  await stores.sql("UPDATE workers SET started_at = now() - interval '1 hour' WHERE id = $1", [
    old.id,
  ]);
  expect(await stores.catalogueStore.load(GRACE_MS)).toMatchObject({
    prompts: [{ pluginVersion: '2' }],
    resources: [{ pluginVersion: '2' }],
  });
});

it('replaces what a worker announced before', async () => {
  const first = worker(tool('a'), tool('b'));
  await stores.catalogueStore.announce(first);
  const changed = tool('b', { description: 'Changed.' });
  await stores.catalogueStore.announce({ ...first, tools: [changed, tool('c')] });
  expect((await stores.catalogueStore.load(GRACE_MS)).tools).toEqual([changed, tool('c')]);
  await stores.catalogueStore.announce({ ...first, tools: [] });
  expect(await names()).toEqual([]);
});

it('takes a tool of several workers from the one that started last', async () => {
  const [old, young] = [
    worker(tool('a', { pluginVersion: '1' }), tool('only-old')),
    worker(tool('a', { pluginVersion: '2' })),
  ];
  await stores.catalogueStore.announce(young);
  await stores.catalogueStore.announce(old);
  await stores.sql("UPDATE workers SET started_at = now() - interval '1 hour' WHERE id = $1", [
    old.id,
  ]);
  const { tools: loaded } = await stores.catalogueStore.load(GRACE_MS);
  expect(loaded.map(({ name, pluginVersion }) => [name, pluginVersion])).toEqual([
    ['a', '2'],
    ['only-old', '0.1.0'],
  ]);
});

it('forgets the tools of a worker that is silent too long, until it beats again', async () => {
  const silent = worker(tool('a'));
  await stores.catalogueStore.announce(silent);
  const seenAgo = (interval: string) =>
    stores.sql('UPDATE workers SET heartbeat_at = now() - $1::interval', [interval]);
  await seenAgo('59 seconds');
  expect(await names()).toEqual(['a']);
  await seenAgo('61 seconds');
  expect(await names()).toEqual([]);
  expect(await stores.catalogueStore.beat(silent.id)).toBe(true);
  expect(await names()).toEqual(['a']);
});

it('tells a worker that its row is gone', async () => {
  expect(await stores.catalogueStore.beat(newWorkerId())).toBe(false);
});

it('drops a retired worker with its tools at once', async () => {
  const [leaving, staying] = [worker(tool('a')), worker(tool('b'))];
  await stores.catalogueStore.announce(leaving);
  await stores.catalogueStore.announce(staying);
  await stores.catalogueStore.retire(leaving.id);
  await stores.catalogueStore.retire(leaving.id);
  expect(await names()).toEqual(['b']);
  expect(await stores.sql('SELECT name FROM catalogue_entries')).toEqual([{ name: 'b' }]);
});

it('deletes workers that are gone for long, and no others', async () => {
  const [gone, here] = [worker(tool('a')), worker(tool('b'))];
  await stores.catalogueStore.announce(gone);
  await stores.catalogueStore.announce(here);
  await stores.sql("UPDATE workers SET heartbeat_at = now() - interval '2 hours' WHERE id = $1", [
    gone.id,
  ]);
  expect(await stores.catalogueStore.deleteGone(3_600_000)).toBe(1);
  expect(await stores.catalogueStore.deleteGone(3_600_000)).toBe(0);
  expect(await stores.sql('SELECT id FROM workers')).toEqual([{ id: here.id }]);
});

it('leaves out, and logs, what a version announces that it does not understand', async () => {
  const warnings: object[] = [];
  const log: Logger = { ...silentLogger, warn: (fields) => void warnings.push(fields) };
  const database = openDatabase({ url: stores.url, log });
  const future = {
    tool: { ...tool('future'), taskSupport: 'sometimes' } as unknown as AnnouncedTool,
    prompt: { ...prompt('future'), arguments: 'many' } as unknown as AnnouncedPrompt,
    resource: resource({ kind: 'uri', uri: 'notes://future' }, { completes: 'all' as never }),
  };
  await database.catalogueStore.announce({
    ...worker(future.tool, tool('today')),
    prompts: [future.prompt, prompt('today')],
    resources: [future.resource, resource({ kind: 'uri', uri: 'notes://today' })],
  });
  const loaded = await database.catalogueStore.load(GRACE_MS);
  await database.close();
  expect(loaded).toEqual({
    tools: [tool('today')],
    prompts: [prompt('today')],
    resources: [resource({ kind: 'uri', uri: 'notes://today' })],
  });
  expect(warnings.map((fields) => Object.entries(fields)[0])).toEqual([
    ['prompt', 'future'],
    ['resource', 'notes://future'],
    ['tool', 'future'],
  ]);
});

it('finds the version to run: the one a task is for while it is offered, else the newest', async () => {
  const store = stores.catalogueStore;
  const offer = (fingerprint: string | null) => worker(tool('a', { fingerprint }));
  const [first, second, third] = [offer('1'), offer('2'), offer(null)];
  const startedAgo = (id: string, minutes: number) =>
    stores.sql("UPDATE workers SET started_at = now() - $2 * interval '1 minute' WHERE id = $1", [
      id,
      minutes,
    ]);
  for (const announced of [first, second]) await store.announce(announced);
  await startedAgo(first.id, 3);
  await startedAgo(second.id, 2);
  const run = (fingerprint: string) => store.versionToRun('a', fingerprint, GRACE_MS);
  expect(await Promise.all([run('1'), run('2'), run('gone')])).toEqual(['1', '2', '2']);
  await store.announce(third);
  expect(await Promise.all([run('1'), run('gone')])).toEqual(['1', null]);
  await stores.sql("UPDATE workers SET heartbeat_at = now() - interval '1 hour' WHERE id = $1", [
    first.id,
  ]);
  await store.retire(third.id);
  expect(await run('1')).toBe('2');
  expect(await store.versionToRun('b', '1', GRACE_MS)).toBeNull();
});

it('names the tools that workers offer with several schemas or from several plugins, and no others', async () => {
  const store = stores.catalogueStore;
  const other = { plugin: 'mine', pluginVersion: '2.0.0' };
  const gone = worker(tool('a', other));
  await store.announce(
    worker(tool('a'), tool('b', { fingerprint: '1' }), tool('c'), tool('d', { description: 'x' })),
  );
  await store.announce(gone);
  await stores.sql("UPDATE workers SET heartbeat_at = now() - interval '1 hour' WHERE id = $1", [
    gone.id,
  ]);
  await store.announce(
    worker(
      tool('a'),
      tool('b', { fingerprint: '2', pluginVersion: '0.2.0' }),
      tool('c', other),
      tool('d', { pluginVersion: '0.2.0' }),
    ),
  );
  const text = '@longshore/plugin-text';
  expect(await store.differing(GRACE_MS)).toEqual([
    { name: 'b', plugins: [text], versions: [`${text} 0.1.0`, `${text} 0.2.0`] },
    { name: 'c', plugins: [text, 'mine'], versions: [`${text} 0.1.0`, 'mine 2.0.0'] },
  ]);
});

it('counts the workers that live, and those of them that offer a tool', async () => {
  const { catalogueStore, sql } = stores;
  const dead = worker(tool('a'));
  for (const announced of [worker(tool('a'), tool('b')), worker(tool('b')), dead]) {
    await catalogueStore.announce(announced);
  }
  await sql("UPDATE workers SET heartbeat_at = now() - interval '2 minutes' WHERE id = $1", [
    dead.id,
  ]);
  expect(await catalogueStore.presence(GRACE_MS)).toEqual({ workers: 2, offering: 0 });
  expect(await catalogueStore.presence(GRACE_MS, 'a')).toEqual({ workers: 2, offering: 1 });
  expect(await catalogueStore.presence(GRACE_MS, 'b')).toEqual({ workers: 2, offering: 2 });
});

describe('cards of plugins', () => {
  const card = (name: string, html = `<!doctype html><title>${name}</title>`) => ({
    uri: `ui://mine/${name}`,
    html,
    csp: { connectDomains: ['https://a.example'] },
  });
  const DAY_MS = 86_400_000;
  const age = (uri: string, days: number) =>
    stores.sql(
      "UPDATE plugin_cards SET offered_at = now() - $2::int * interval '1 day' WHERE uri = $1",
      [uri, days],
    );

  it('are found as they were announced, also when nobody is left that offers them', async () => {
    const { catalogueStore, cardStore } = stores;
    const large = card('large', `<!doctype html>${'é"\\'.repeat(200_000)}`);
    const announced = { ...worker(tool('a')), cards: [card('a'), large] };
    await Promise.all([
      catalogueStore.announce(announced),
      catalogueStore.announce({ ...announced, id: newWorkerId() }),
    ]);
    expect(await cardStore.find(large.uri)).toEqual(large);
    await stores.sql('DELETE FROM workers');
    expect(await cardStore.find(card('a').uri)).toEqual(card('a'));
    expect(await cardStore.find('ui://mine/b')).toBeNull();
  });

  it('are kept for a time after the last worker that offered them, however long it did', async () => {
    const { catalogueStore, cardStore } = stores;
    const [old, young, offered] = [card('old'), card('young'), card('offered')];
    await cardStore.keep([old, young]);
    const announced = { ...worker(tool('a')), cards: [offered] };
    await catalogueStore.announce(announced);
    await age(old.uri, 31);
    await age(young.uri, 29);
    await age(offered.uri, 31);
    expect(await cardStore.deleteOld(30 * DAY_MS)).toBe(1);
    expect(await cardStore.find(old.uri)).toBeNull();
    expect(await cardStore.find(young.uri)).toEqual(young);
    await catalogueStore.retire(announced.id);
    expect(await cardStore.deleteOld(30 * DAY_MS)).toBe(0);
    await age(young.uri, 31);
    await catalogueStore.announce({ ...announced, cards: [young] });
    await catalogueStore.retire(announced.id);
    expect(await cardStore.deleteOld(30 * DAY_MS)).toBe(0);
  });
});
