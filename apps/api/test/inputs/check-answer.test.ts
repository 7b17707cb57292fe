import { describe, expect, it } from '@jest/globals';
import type { InputMethod, InputQuestion, JsonObject } from '@longshore/core';
import { checkAnswer } from '../../src/inputs/check-answer.ts';
import { FormChecker } from '../../src/inputs/form-content.ts';

const FORM: JsonObject = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 2, default: 'nobody' },
    mail: { type: 'string', format: 'email' },
    day: { type: 'string', format: 'date' },
    age: { type: 'integer', minimum: 0 },
    sure: { type: 'boolean' },
    color: {
      type: 'string',
      oneOf: [
        { const: 'r', title: 'Red' },
        { const: 'g', title: 'Green' },
      ],
    },
    sizes: {
      type: 'array',
      items: { type: 'string', enum: ['S', 'M', 'L'] },
      minItems: 1,
      maxItems: 2,
    },
    toppings: {
      type: 'array',
      items: {
        anyOf: [
          { const: 'x', title: 'X' },
          { const: 'y', title: 'Y' },
        ],
      },
    },
  },
  required: ['name'],
};

const question = (method: InputMethod, params: JsonObject = {}): InputQuestion => ({
  key: 'k',
  method,
  params,
});
const forms = new FormChecker();
const ask = (form: JsonObject, raw: unknown) =>
  checkAnswer(forms, question('elicitation/create', { message: '?', requestedSchema: form }), raw);
const fill = (content: unknown) => ask(FORM, { action: 'accept', content });

describe('an elicited form', () => {
  it('is kept as it was filled in, defaults not added', () => {
    const content = {
      name: 'Ada',
      mail: 'ada@example.org',
      day: '2026-02-28',
      age: 36,
      sure: true,
      color: 'g',
      sizes: ['S', 'L'],
      toppings: ['y'],
    };
    expect(fill(content)).toEqual({ kind: 'result', result: { action: 'accept', content } });
    expect(fill({ name: 'Bo' })).toEqual({
      kind: 'result',
      result: { action: 'accept', content: { name: 'Bo' } },
    });
  });

  it('loses members the form does not have, whatever the form says of them', () => {
    const expected = { kind: 'result', result: { action: 'accept', content: { name: 'Bo' } } };
    expect(fill({ name: 'Bo', more: 1, constructor: 2 })).toEqual(expected);
    expect(
      ask(
        { ...FORM, additionalProperties: false },
        { action: 'accept', content: { name: 'Bo', more: 1 } },
      ),
    ).toEqual(expected);
    expect(fill(JSON.parse('{"name":"Bo","__proto__":{"sure":true}}'))).toEqual(expected);
  });

  it.each([
    ['a missing member', {}, /name/],
    ['no content at all', undefined, /name/],
    ['a wrong type', { name: 7 }, /name must be string/],
    ['a number in quotes', { name: 'Bo', age: '7' }, /age must be integer/],
    ['too short a text', { name: 'B' }, /name/],
    ['a broken mail address', { name: 'Bo', mail: 'nobody' }, /mail must match format "email"/],
    ['a day that is none', { name: 'Bo', day: '2026-02-30' }, /day must match format "date"/],
    ['an unknown choice', { name: 'Bo', color: 'b' }, /color/],
    ['one unknown of several choices', { name: 'Bo', sizes: ['S', 'XL'] }, /sizes.1 .*"S","M","L"/],
    ['too many choices', { name: 'Bo', sizes: ['S', 'M', 'L'] }, /sizes/],
    ['an unknown titled choice', { name: 'Bo', toppings: ['z'] }, /toppings.0/],
    ['content that is no object', [1], /content must be an object/],
  ])('with %s does not fit, and the answer says so', (_what, content, problem) => {
    expect(fill(content)).toEqual({ kind: 'invalid', problem: expect.stringMatching(problem) });
  });

  it('that was declined or left has no content', () => {
    for (const action of ['decline', 'cancel']) {
      expect(ask(FORM, { action, content: { name: 'Bo' } })).toEqual({
        kind: 'result',
        result: { action },
      });
    }
  });

  it.each([[null], ['yes'], [[]], [{}], [{ action: 'maybe' }], [{ action: 1 }]])(
    'answered with %j does not fit',
    (raw) => {
      expect(ask(FORM, raw)).toMatchObject({ kind: 'invalid' });
    },
  );

  it('may have the same name and another dialect as the one before it', () => {
    const named = { ...FORM, $id: 'form', $schema: 'http://json-schema.org/draft-07/schema#' };
    const other = { ...named, properties: { n: { type: 'integer' } }, required: ['n'] };
    expect(ask(named, { action: 'accept', content: { name: 'Bo' } })).toMatchObject({
      kind: 'result',
    });
    expect(ask(other, { action: 'accept', content: { n: 1 } })).toMatchObject({
      result: { content: { n: 1 } },
    });
  });

  it('with a schema that is none is said to have one', () => {
    expect(ask({ type: 'nonsense' }, { action: 'accept', content: {} })).toEqual({
      kind: 'invalid',
      problem: expect.stringContaining('faulty schema'),
    });
  });
});

describe('a page the user was sent to', () => {
  it('is agreed to without content', () => {
    const url = question('elicitation/create', {
      mode: 'url',
      message: '?',
      url: 'https://x.example',
    });
    expect(checkAnswer(forms, url, { action: 'accept', content: { token: 'secret' } })).toEqual({
      kind: 'result',
      result: { action: 'accept' },
    });
  });
});

describe('a sampled message', () => {
  const sampled = (raw: unknown) => checkAnswer(forms, question('sampling/createMessage'), raw);
  const text = { type: 'text', text: 'hi' };

  it('is kept as it is', () => {
    const message = { role: 'assistant', content: text, model: 'm', stopReason: 'endTurn' };
    expect(sampled(message)).toEqual({ kind: 'result', result: message });
    const several = {
      ...message,
      content: [text, { type: 'tool_use', id: '1', name: 't', input: {} }],
    };
    expect(sampled(several)).toEqual({ kind: 'result', result: several });
  });

  it.each([
    [{}],
    [{ role: 'system', content: text, model: 'm' }],
    [{ role: 'assistant', content: text }],
    [{ role: 'assistant', content: 'hi', model: 'm' }],
    [{ role: 'assistant', content: { type: 'text' }, model: 'm' }],
  ])('like %j does not fit', (raw) => {
    expect(sampled(raw)).toEqual({ kind: 'invalid', problem: expect.stringMatching(/must be/) });
  });
});

describe('a list of roots', () => {
  const listed = (raw: unknown) => checkAnswer(forms, question('roots/list'), raw);

  it('is kept as it is', () => {
    const roots = { roots: [{ uri: 'file:///home', name: 'home' }, { uri: 'file:///tmp' }] };
    expect(listed(roots)).toEqual({ kind: 'result', result: roots });
    expect(listed({ roots: [] })).toEqual({ kind: 'result', result: { roots: [] } });
  });

  it.each([[{}], [{ roots: {} }], [{ roots: [{ name: 'x' }] }], ['file:///']])(
    'like %j does not fit',
    (raw) => {
      expect(listed(raw)).toEqual({ kind: 'invalid', problem: expect.stringMatching(/must be/) });
    },
  );
});
