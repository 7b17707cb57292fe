import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  type Acceptance,
  type Access,
  type AuthBindingId,
  type CatalogueSnapshot,
  type JsonObject,
  type NewTask,
  NO_ABILITIES,
  type Outcome,
  type OutcomeError,
  type PrincipalId,
  type SessionId,
  silentLogger,
} from '@longshore/core';
import type { Caller } from '../../src/calls/caller.ts';
import { Cards } from '../../src/cards/cards.ts';
import { Catalogue } from '../../src/catalogue/catalogue.ts';
import type { Delivery } from '../../src/edge/delivery.ts';
import type { ApiContext } from '../../src/methods/api-context.ts';
import { complete } from '../../src/methods/complete.ts';
import { getPrompt } from '../../src/methods/get-prompt.ts';
import { listPrompts } from '../../src/methods/list-prompts.ts';
import { listResourceTemplates } from '../../src/methods/list-resource-templates.ts';
import { listResources } from '../../src/methods/list-resources.ts';
import { readResource } from '../../src/methods/read-resource.ts';
import { TASK_TEMPLATES } from '../../src/tasks/task-uri.ts';
import { FakeBus, FakeCatalogueStore, prompt, resource } from './support/fakes.ts';

describe('methods of the catalogue', () => {
  const cards = new Cards('nowhere', 'auto', { find: async () => null });
  let context: ApiContext;
  const access = { scopes: null } as Access;
  let store: FakeCatalogueStore;
  let catalogue: Catalogue;
  /** Rows that were held, and what their workers answer. */
  let held: Omit<NewTask, 'enqueue'>[];
  let answer: JsonObject | OutcomeError | null;

  beforeEach(() => {
    store = new FakeCatalogueStore();
    catalogue = new Catalogue({ store, bus: new FakeBus(), log: silentLogger });
    // The methods of this test look at nothing else.
    const submit = async (row: Omit<NewTask, 'enqueue'>): Promise<Acceptance> => {
      held.push(row);
      return { kind: 'created', createdAt: new Date() };
    };
    context = {
      catalogue,
      submitter: { submit },
      limitsOf: () => ({}),
      cards,
    } as unknown as ApiContext;
    held = [];
    answer = {};
  });

  const announce = (snapshot: Partial<CatalogueSnapshot>): Promise<void> => {
    store.snapshot = { ...store.snapshot, ...snapshot };
    return catalogue.refresh();
  };

  const caller: Caller = {
    principalId: randomUUID() as string as PrincipalId,
    authBindingId: randomUUID() as string as AuthBindingId,
    era: 'legacy',
    sessionId: randomUUID() as string as SessionId,
    requestId: 'r-1',
    progressToken: 'p-1',
    abilities: NO_ABILITIES,
    logLevel: 'warning',
    access,
    delivery: {} as Delivery,
    resumed: null,
    takeHeld: () => () => {},
    wait: async ({ submit }) => {
      await submit?.();
      if (answer === null) return { kind: 'none' };
      const outcome: Outcome =
        'code' in answer
          ? { kind: 'error', error: answer as OutcomeError }
          : { kind: 'result', isError: false, result: answer };
      return { kind: 'ended', outcome };
    },
  };
  const refusal = async (run: () => unknown): Promise<unknown> => {
    try {
      await run();
    } catch (error) {
      return error;
    }
    throw new Error('was not refused');
  };

  describe('lists', () => {
    it('come in pages that add up to everything, once', async () => {
      const names = Array.from({ length: 205 }, (_, n) => `p${String(n).padStart(3, '0')}`);
      await announce({ prompts: names.map((name) => prompt(name)).reverse() });
      const seen: unknown[] = [];
      let cursor: string | undefined;
      let pages = 0;
      do {
        const page = listPrompts(context, access, { cursor });
        seen.push(...(page['prompts'] as { name: string }[]).map(({ name }) => name));
        cursor = page['nextCursor'] as string | undefined;
        pages += 1;
      } while (cursor !== undefined);
      expect(seen).toEqual(names);
      expect(pages).toBe(3);
    });

    it.each([
      ['prompts', listPrompts, []],
      ['resources', listResources, cards.list()],
      ['resourceTemplates', listResourceTemplates, TASK_TEMPLATES],
    ])(
      'of %s are empty rather than unknown, and refuse strange cursors',
      async (name, list, own) => {
        await announce({});
        expect(list(context, access, {})).toEqual({ [name]: own });
        for (const cursor of ['', 'x', Buffer.from('["n","tools","a"]').toString('base64url')]) {
          expect(await refusal(() => list(context, access, { cursor }))).toMatchObject({
            code: 'INVALID_CURSOR',
          });
        }
      },
    );

    it('show what the specification has, and nothing of how it is run', async () => {
      await announce({
        prompts: [
          prompt('p', {
            title: 'P',
            arguments: [{ name: 'a', description: 'An a.', required: true }],
            completes: ['a'],
          }),
        ],
        resources: [
          resource('a://b', { mimeType: 'text/plain', annotations: { priority: 1 } }),
          resource('a://{id}', { name: 'one of many', description: 'By id.' }),
        ],
      });
      expect(listPrompts(context, access, {})['prompts']).toEqual([
        {
          name: 'p',
          title: 'P',
          arguments: [{ name: 'a', description: 'An a.', required: true }],
        },
      ]);
      expect(listResources(context, access, {})['resources']).toEqual([
        ...cards.list(),
        { uri: 'a://b', name: 'a://b', mimeType: 'text/plain', annotations: { priority: 1 } },
      ]);
      expect(listResourceTemplates(context, access, {})['resourceTemplates']).toEqual([
        ...TASK_TEMPLATES,
        { uriTemplate: 'a://{id}', name: 'one of many', description: 'By id.' },
      ]);
    });
  });

  describe('prompts/get', () => {
    it('is a row without a handle, run once, kept a minute longer than it may run', async () => {
      await announce({ prompts: [prompt('p', { policy: { queue: 'q', timeoutMs: 3_000 } })] });
      answer = { messages: [] };
      const params = { name: 'p', arguments: { extra: 'x' } };
      expect(await getPrompt(context, caller, params)).toEqual({ messages: [] });
      expect(held).toEqual([
        expect.objectContaining({
          principalId: caller.principalId,
          sessionId: caller.sessionId,
          requestMethod: 'prompts/get',
          requestId: 'r-1',
          progressToken: 'p-1',
          logLevel: 'warning',
          listed: false,
          toolName: 'p',
          arguments: params,
          queue: 'q',
          maxAttempts: 1,
          timeoutMs: 3_000,
          ttlMs: 63_000,
          outcome: null,
        }),
      ]);
    });

    it('refuses unknown prompts and missing arguments before there is a row', async () => {
      const argument = (name: string, required: boolean) => ({ name, description: null, required });
      await announce({
        prompts: [prompt('p', { arguments: [argument('a', true), argument('toString', true)] })],
      });
      expect(
        await refusal(() => getPrompt(context, caller, { name: 'x', arguments: {} })),
      ).toMatchObject({ code: 'UNKNOWN_PROMPT', message: 'Unknown prompt: x' });
      expect(
        await refusal(() => getPrompt(context, caller, { name: 'p', arguments: { a: '' } })),
      ).toMatchObject({
        code: 'INVALID_PARAMS',
        message: 'Prompt p needs these arguments as well: toString',
      });
      expect(held).toEqual([]);
    });
  });

  describe('resources/read', () => {
    const read = (uri: string) => readResource(context, caller, { uri });

    beforeEach(() =>
      announce({
        resources: [
          resource('notes://{id}'),
          resource('notes://{id}/lines/{line}'),
          resource('notes://1'),
        ],
      }),
    );

    it.each([
      ['notes://1', 'notes://1'],
      ['notes://2', 'notes://{id}'],
      ['notes://a%2Fb', 'notes://{id}'],
      ['notes://2/lines/3', 'notes://{id}/lines/{line}'],
    ])('of %s runs %s', async (uri, address) => {
      answer = { contents: [] };
      await read(uri);
      expect(held).toEqual([
        expect.objectContaining({
          requestMethod: 'resources/read',
          toolName: address,
          arguments: { uri },
        }),
      ]);
    });

    it.each([['notes://'], ['notes://2/'], ['other://1'], ['']])(
      'of %p is refused, with the URI, before there is a row',
      async (uri) => {
        expect(await refusal(() => read(uri))).toMatchObject({
          code: 'RESOURCE_NOT_FOUND',
          details: { uri },
        });
        expect(held).toEqual([]);
      },
    );
  });

  describe('completion/complete', () => {
    const argument = { name: 'a', value: 'x' };

    beforeEach(() =>
      announce({
        prompts: [prompt('p', { completes: ['a'] })],
        resources: [resource('a://{a}', { completes: ['a'] }), resource('a://fixed')],
      }),
    );

    it.each([
      ['p', { type: 'ref/prompt', name: 'p' } as const],
      ['a://{a}', { type: 'ref/resource', uri: 'a://{a}' } as const],
    ])('asks the worker of %s, with the other arguments', async (target, ref) => {
      answer = { completion: { values: ['xy'] } };
      const other = { arguments: { b: '1' } };
      expect(await complete(context, caller, { ref, argument, context: other })).toEqual({
        completion: { values: ['xy'], total: 1, hasMore: false },
      });
      expect(held).toEqual([
        expect.objectContaining({
          requestMethod: 'completion/complete',
          toolName: target,
          arguments: { ref, argument, context: other },
        }),
      ]);
    });

    it('gives a hundred values at most, and says that there are more', async () => {
      answer = { completion: { values: Array.from({ length: 150 }, (_, n) => `${n}`) } };
      const ref = { type: 'ref/prompt', name: 'p' } as const;
      const { completion } = (await complete(context, caller, { ref, argument })) as {
        completion: { values: string[] };
      };
      expect(completion).toMatchObject({ total: 150, hasMore: true });
      expect(completion.values).toHaveLength(100);
    });

    it('of an argument without completions is empty, and asks nobody', async () => {
      for (const ref of [
        { type: 'ref/prompt', name: 'p' } as const,
        { type: 'ref/resource', uri: 'a://fixed' } as const,
      ]) {
        expect(
          await complete(context, caller, { ref, argument: { name: 'b', value: '' } }),
        ).toEqual({ completion: { values: [], total: 0, hasMore: false } });
      }
      expect(held).toEqual([]);
    });

    it('of something unknown is refused', async () => {
      expect(
        await refusal(() =>
          complete(context, caller, { ref: { type: 'ref/prompt', name: 'x' }, argument }),
        ),
      ).toMatchObject({ code: 'UNKNOWN_PROMPT' });
      expect(
        await refusal(() =>
          complete(context, caller, { ref: { type: 'ref/resource', uri: 'x://' }, argument }),
        ),
      ).toMatchObject({ code: 'INVALID_PARAMS' });
    });
  });

  it('answer nothing when nobody waits any more', async () => {
    await announce({
      prompts: [prompt('p', { completes: ['a'] })],
      resources: [resource('a://b')],
    });
    answer = null;
    const ref = { type: 'ref/prompt', name: 'p' } as const;
    expect(await getPrompt(context, caller, { name: 'p', arguments: {} })).toBeNull();
    expect(await readResource(context, caller, { uri: 'a://b' })).toBeNull();
    expect(await complete(context, caller, { ref, argument: { name: 'a', value: '' } })).toBeNull();
  });
});
