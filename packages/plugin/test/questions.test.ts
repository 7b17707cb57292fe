import { describe, expect, it } from '@jest/globals';
import { type ClientAbilities, InputError, type Question, z } from '@longshore/plugin';
import { createQuestions } from '@longshore/plugin/host';
import { type RunOptions, recordedContext } from '@longshore/plugin/testing';

const context = (options: RunOptions = {}) =>
  recordedContext(options, options.signal ?? new AbortController().signal);

const form = z.object({ name: z.string(), age: z.int().default(7) });

const nothing: ClientAbilities = {
  elicitation: { form: false, url: false },
  sampling: false,
  samplingTools: false,
  roots: false,
};

describe('elicit', () => {
  it('gives what the form makes of an accepted answer', async () => {
    const { ctx, recording } = context({
      answers: { 'elicit-1': { action: 'accept', content: { name: 'Ann', extra: 1 } } },
    });
    expect(await ctx.elicit(form, 'Who?')).toEqual({
      action: 'accept',
      content: { name: 'Ann', age: 7 },
    });
    expect(recording.questions).toEqual([
      {
        key: 'elicit-1',
        method: 'elicitation/create',
        params: {
          mode: 'form',
          message: 'Who?',
          requestedSchema: {
            type: 'object',
            properties: { name: { type: 'string' }, age: { type: 'integer', default: 7 } },
            required: ['name'],
          },
        },
      },
    ]);
  });

  it('gives declining and cancelling as they are', async () => {
    const { ctx } = context({
      answers: [{ action: 'decline' }, { action: 'cancel', content: {} }],
    });
    expect(await ctx.elicit(form, 'Who?')).toEqual({ action: 'decline' });
    expect(await ctx.elicit(form, 'Who?')).toEqual({ action: 'cancel' });
  });

  it('asks again, with what is wrong, until the answer fits', async () => {
    const even = z.object({ n: z.int().refine((n) => n % 2 === 0, 'must be even') });
    const { ctx, recording } = context({
      answers: [
        { action: 'accept', content: { n: 1 } },
        { action: 'accept', content: { n: 'two' } },
        { action: 'accept', content: { n: 2 } },
      ],
    });
    expect(await ctx.elicit(even, 'Which?', { key: 'which' })).toMatchObject({ content: { n: 2 } });
    expect(recording.questions.map(({ key, params }) => [key, params['message']])).toEqual([
      ['which', 'Which?'],
      ['which~retry1', 'Which?\n(The last answer did not fit: n: must be even)'],
      ['which~retry2', expect.stringContaining('n: Invalid input: expected number')],
    ]);
  });

  it('gives up after the third answer that does not fit', async () => {
    const { ctx, recording } = context({ answers: () => ({ action: 'accept', content: {} }) });
    await expect(ctx.elicit(form, 'Who?')).rejects.toMatchObject({
      name: 'InputError',
      reason: 'invalid',
      message: expect.stringContaining("No answer to question 'elicit-1' did fit: name:"),
    });
    expect(recording.questions).toHaveLength(3);
  });

  it('rejects when nobody answers, and when the client refuses', async () => {
    const { ctx } = context({ answers: ['timeout', new Error('not now')] });
    await expect(ctx.elicit(form, 'Who?', { timeoutMs: 5 })).rejects.toThrow(
      new InputError('timeout', "Nobody answered question 'elicit-1' in 5 ms."),
    );
    await expect(ctx.elicit(form, 'Who?')).rejects.toMatchObject({
      reason: 'refused',
      message: "The client refused question 'elicit-2': not now",
    });
  });

  it('counts questions in the order of asking, each kind for itself', async () => {
    const keys: string[] = [];
    const asked = createQuestions({
      client: { ...nothing, elicitation: { form: true, url: true }, roots: true },
      ask: async ({ key, method }: Question) => {
        keys.push(key);
        return {
          kind: 'result',
          result: method === 'roots/list' ? { roots: [] } : { action: 'cancel' },
        };
      },
    });
    await Promise.all([
      asked.elicit(form, 'a'),
      asked.listRoots(),
      asked.elicitUrl('https://example.org', 'b'),
      asked.elicit(form, 'c', { key: 'mine' }),
      asked.elicit(form, 'd'),
    ]);
    expect(keys).toEqual(['elicit-1', 'roots-1', 'elicit-2', 'mine', 'elicit-4']);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['an empty key', { key: '' }, 'the key of a question is a text of 1 to 100 characters'],
    ['a long key', { key: 'x'.repeat(101) }, 'the key of a question is'],
    ['no time', { timeoutMs: 0 }, 'timeoutMs of a question is 1 to 2147483647, not 0'],
    ['more than timers hold', { timeoutMs: 2 ** 31 }, 'timeoutMs of a question is'],
  ])('refuses %s', async (_what, options, message) => {
    const { ctx, recording } = context();
    await expect(ctx.elicit(form, 'Who?', options)).rejects.toThrow(message);
    await expect(ctx.elicit(form, ' ')).rejects.toThrow('a question needs a message');
    expect(recording.questions).toEqual([]);
  });
});

describe('the other questions', () => {
  it('ask to open a page', async () => {
    const { ctx, recording } = context({ answers: [{ action: 'accept' }] });
    expect(await ctx.elicitUrl('https://example.org/pay', 'Pay.')).toEqual({ action: 'accept' });
    expect(recording.questions[0]?.params).toEqual({
      mode: 'url',
      message: 'Pay.',
      url: 'https://example.org/pay',
    });
    await expect(ctx.elicitUrl('/pay', 'Pay.')).rejects.toThrow("absolute URL, not '/pay'");
  });

  it('have the model answer', async () => {
    const answer = {
      role: 'assistant',
      content: { type: 'text', text: 'Paris' },
      model: 'm',
      stopReason: 'endTurn',
    };
    const { ctx, recording } = context({ answers: { 'sample-1': answer } });
    const request = {
      messages: [{ role: 'user', content: { type: 'text', text: 'Capital?' } }],
      maxTokens: 10,
      systemPrompt: 'Be short.',
    } as const;
    expect(await ctx.sample(request)).toEqual(answer);
    expect(recording.questions[0]).toMatchObject({
      method: 'sampling/createMessage',
      params: request,
    });
    await expect(ctx.sample({ messages: [], maxTokens: 1 })).rejects.toThrow(
      'sample takes { messages: [{ role, content }], maxTokens, ... }',
    );
  });

  it('ask again when the model answers nonsense', async () => {
    const { ctx } = context({
      answers: [{ nonsense: 1 }, { role: 'assistant', content: [], model: 'm' }],
    });
    const request = { messages: [{ role: 'user', content: [] }], maxTokens: 1 } as const;
    expect(await ctx.sample(request)).toMatchObject({ model: 'm' });
  });

  it('list the roots', async () => {
    const { ctx } = context({ answers: [{ roots: [{ uri: 'file:///a', name: 'A', x: 1 }] }] });
    expect(await ctx.listRoots()).toEqual([{ uri: 'file:///a', name: 'A' }]);
  });
});

it('asks nothing that the client did not declare', async () => {
  const { ctx, recording } = context({ client: nothing });
  const request = { messages: [{ role: 'user', content: [] }], maxTokens: 1 } as const;
  for (const asking of [
    ctx.elicit(form, 'x'),
    ctx.elicitUrl('https://example.org', 'x'),
    ctx.sample(request),
    ctx.listRoots(),
  ]) {
    await expect(asking).rejects.toMatchObject({ name: 'InputError', reason: 'unsupported' });
  }
  const plain = context({ client: { ...nothing, sampling: true } }).ctx;
  await expect(
    plain.sample({ ...request, tools: [{ name: 't', inputSchema: { type: 'object' } }] }),
  ).rejects.toThrow('The client does not support giving its model tools (sampling.tools).');
  expect(recording.questions).toEqual([]);
});

describe('a scripted client', () => {
  it('fails a question it has no answer to', async () => {
    const { ctx } = context({ answers: { other: { action: 'cancel' } } });
    await expect(ctx.elicit(form, 'Who?')).rejects.toThrow(
      "the script has no answer to question 1, 'elicit-1' (elicitation/create)",
    );
  });

  it('stops waiting when the run is aborted', async () => {
    const abort = new AbortController();
    const { ctx } = context({ signal: abort.signal, answers: () => new Promise(() => {}) });
    const asking = ctx.elicit(form, 'Who?');
    abort.abort(new Error('cancelled'));
    await expect(asking).rejects.toThrow('cancelled');
  });
});
