import { describe, expect, it } from '@jest/globals';
import {
  DeclaredCapabilities,
  type InputQuestion,
  NO_ABILITIES,
  UI_EXTENSION,
  UI_MIME_TYPE,
} from '@longshore/core';
import fc from 'fast-check';
import {
  capabilitiesFor,
  declaresTasks,
  lackingCapabilities,
  missingCapability,
  requireTasks,
} from '../src/modern/capabilities.ts';
import { canAnswer, parseClientAbilities } from '../src/shared/client-abilities.ts';
import { refusal } from './support/wire-error.ts';

const UI = { extensions: { [UI_EXTENSION]: { mimeTypes: ['x/y', UI_MIME_TYPE] } } };
const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };

describe('parseClientAbilities', () => {
  it.each([
    ['nothing', {}, {}],
    ['no object', 'x', {}],
    ['undefined', undefined, {}],
    ['an array', [], {}],
    ['null members', { elicitation: null, sampling: null, roots: null, extensions: null }, {}],
    [
      'true instead of objects',
      { elicitation: true, sampling: true, roots: true, tasks: true },
      {},
    ],
    ['elicitation without modes', { elicitation: {} }, { elicitation: { form: true, url: false } }],
    ['form mode', { elicitation: { form: {} } }, { elicitation: { form: true, url: false } }],
    ['url mode only', { elicitation: { url: {} } }, { elicitation: { form: false, url: true } }],
    [
      'both modes',
      { elicitation: { form: {}, url: {} } },
      { elicitation: { form: true, url: true } },
    ],
    [
      'a mode that is junk',
      { elicitation: { url: true } },
      { elicitation: { form: true, url: false } },
    ],
    ['sampling', { sampling: {} }, { sampling: true }],
    ['sampling with tools', { sampling: { tools: {} } }, { sampling: true, samplingTools: true }],
    ['roots', { roots: { listChanged: true } }, { roots: true }],
    ['the tasks extension', TASKS, { tasksExtension: true }],
    ['the tasks extension as junk', { extensions: { 'io.modelcontextprotocol/tasks': true } }, {}],
    ['pages', UI, { ui: true }],
    ['pages of another kind', { extensions: { [UI_EXTENSION]: { mimeTypes: ['text/html'] } } }, {}],
    ['pages of no kind', { extensions: { [UI_EXTENSION]: {} } }, {}],
    ['another extension', { extensions: { 'io.modelcontextprotocol/skills': {} } }, {}],
    [
      'tasks of the client',
      { tasks: { requests: { elicitation: { create: {} }, sampling: { createMessage: {} } } } },
      { tasks: { elicitation: true, sampling: true } },
    ],
    ['tasks without requests', { tasks: { list: {}, cancel: {} } }, {}],
    ['tasks of other requests', { tasks: { requests: { elicitation: { other: {} } } } }, {}],
    ['capabilities nobody knows', { experimental: { a: {} }, x: 1 }, {}],
  ])('reads %s', (_what, raw, abilities) => {
    expect(parseClientAbilities(raw)).toEqual({ ...NO_ABILITIES, ...abilities });
  });
});

describe('canAnswer', () => {
  type Asked = Pick<InputQuestion, 'method' | 'params'>;
  const form: Asked = { method: 'elicitation/create', params: { message: 'm' } };
  const url: Asked = { method: 'elicitation/create', params: { mode: 'url' } };
  const sample: Asked = { method: 'sampling/createMessage', params: { messages: [] } };
  const withTools: Asked = { ...sample, params: { messages: [], tools: [] } };
  const roots: Asked = { method: 'roots/list', params: {} };
  const questions = [form, url, sample, withTools, roots];
  it.each<[object, Asked[]]>([
    [{}, []],
    [{ elicitation: {} }, [form]],
    [{ elicitation: { url: {} } }, [url]],
    [{ sampling: {} }, [sample]],
    [{ sampling: { tools: {} } }, [sample, withTools]],
    [{ roots: {} }, [roots]],
  ])('with %j', (raw, answerable) => {
    const abilities = parseClientAbilities(raw);
    expect(questions.filter((question) => canAnswer(abilities, question))).toEqual(answerable);
  });
});

it('are what they were with only that kept which a session keeps, however much there was', () => {
  const NAMES = ['elicitation', 'form', 'url', 'sampling', 'tools', 'roots', 'tasks', 'requests'];
  const UI_NAMES = ['extensions', UI_EXTENSION, 'mimeTypes'];
  const key = fc.constantFrom(...NAMES, 'create', 'createMessage', 'experimental', ...UI_NAMES);
  const { capabilities } = fc.letrec<{ capabilities: object; member: unknown }>((tie) => ({
    capabilities: fc.dictionary(key, tie('member')) as fc.Arbitrary<object>,
    member: fc.oneof(
      { withCrossShrink: true, maxDepth: 4 },
      fc.constantFrom(null, true, 'x'.repeat(1_000), [], ['x'], [UI_MIME_TYPE, 'x'.repeat(1_000)]),
      tie('capabilities'),
    ),
  }));
  fc.assert(
    fc.property(capabilities, (raw) => {
      const kept = DeclaredCapabilities.parse(raw);
      expect(parseClientAbilities(kept)).toEqual(parseClientAbilities(raw));
      expect(JSON.stringify(kept).length).toBeLessThan(300);
    }),
  );
});

describe('missing capabilities', () => {
  it.each([
    ['tasks', TASKS],
    ['sampling', { sampling: {} }],
  ])('go out as an object of ClientCapabilities: %s', (_what, required) => {
    const run = () => {
      throw missingCapability(required);
    };
    expect(refusal(run)).toEqual({
      code: 'MISSING_CAPABILITY',
      rpc: -32021,
      http: 400,
      details: { requiredCapabilities: required },
    });
  });

  it('are found for what a tool requires', () => {
    const abilities = parseClientAbilities({ sampling: {}, elicitation: { url: {} } });
    expect(lackingCapabilities(abilities, ['sampling'])).toBeNull();
    expect(lackingCapabilities(abilities, [])).toBeNull();
    expect(lackingCapabilities(abilities, ['elicitation', 'sampling', 'roots'])).toEqual({
      elicitation: {},
      roots: {},
    });
  });

  it('are named for questions: who declares them can be asked', () => {
    const ask = (method: InputQuestion['method'], params: InputQuestion['params'] = {}) => ({
      key: 'k',
      method,
      params,
    });
    const questions = [
      ask('elicitation/create'),
      ask('elicitation/create', { mode: 'url' }),
      ask('sampling/createMessage', { tools: [] }),
      ask('sampling/createMessage'),
      ask('roots/list'),
    ];
    expect(capabilitiesFor(questions)).toEqual({
      elicitation: { form: {}, url: {} },
      sampling: { tools: {} },
      roots: {},
    });
    for (const question of questions) {
      const abilities = parseClientAbilities(capabilitiesFor([question]));
      expect(canAnswer(abilities, question)).toBe(true);
    }
  });

  it('of tasks are found whatever the client says of legacy tasks', () => {
    const legacy = parseClientAbilities({
      tasks: { list: {}, cancel: {}, requests: { elicitation: { create: {} } } },
    });
    expect(declaresTasks(legacy)).toBe(false);
    expect(refusal(() => requireTasks(legacy))).toMatchObject({
      rpc: -32021,
      http: 400,
      details: { requiredCapabilities: TASKS },
    });
    expect(refusal(() => requireTasks(parseClientAbilities(TASKS)))).toBeNull();
  });
});
