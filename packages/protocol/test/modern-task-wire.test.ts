import { describe, expect, it } from '@jest/globals';
import type { JsonObject, OutcomeKind, PendingInput, Task } from '@longshore/core';
import { GetTaskResultV2Schema } from '@modelcontextprotocol/ext-tasks/core/v2';
import { completeResult } from '../src/modern/results.ts';
import { detailedTask } from '../src/modern/task-wire.ts';
import { finishedTask, OUTCOMES, openTask, question } from './support/tasks.ts';

const server = { name: 's', version: '1' };
const PAYLOADS = ['result', 'error', 'inputRequests'] as const;
const payloads = (wire: JsonObject) => PAYLOADS.filter((name) => name in wire);
const finished = (kind: OutcomeKind, fields: Partial<Task> = {}) =>
  detailedTask(finishedTask(kind, fields), OUTCOMES[kind], [], 500);

describe('detailedTask', () => {
  it.each<[string, JsonObject, readonly string[]]>([
    ['working', detailedTask(openTask('working'), null, [], 500), []],
    ['cancelled', detailedTask(openTask('cancelled'), null, [], 500), []],
    [
      'waiting',
      detailedTask(openTask('input_required'), null, [question('a')], 500),
      ['inputRequests'],
    ],
    [
      'waiting for nothing',
      detailedTask(openTask('input_required'), null, [], 500),
      ['inputRequests'],
    ],
    ['finished', finished('result'), ['result']],
    ['finished with isError', finished('tool_error'), ['result']],
    ['failed', finished('error'), ['error']],
  ])(
    'of a task that is %s is a GetTaskResult with nothing but its own payload',
    (_state, wire, own) => {
      expect(payloads(wire)).toEqual(own);
      const result = completeResult(wire, server);
      expect(result['resultType']).toBe('complete');
      expect(GetTaskResultV2Schema.parse(result)).toMatchObject({ pollIntervalMs: 500 });
    },
  );

  it('inlines the result as the call would have got it, without a mark of the task', () => {
    expect(finished('result')['result']).toEqual({
      content: [{ type: 'text', text: 'ok' }],
      isError: false,
      resultType: 'complete',
    });
  });

  it('inlines the error, and says what went wrong where no status message does', () => {
    expect(finished('error')).toMatchObject({
      statusMessage: 'upstream is gone',
      error: { code: -32603, message: 'upstream is gone', data: { code: 'INTERNAL' } },
    });
    expect(finished('error', { statusMessage: 'gave up' })).toMatchObject({
      statusMessage: 'gave up',
    });
  });

  it.each([
    [-32020, -32603],
    [-32021, -32603],
    [-32042, -32603],
    [-32099, -32603],
    [-32002, -32603],
    [-32000, -32000],
    [-32019, -32019],
    [-32100, -32100],
    [-32602, -32602],
    [7, 7],
  ])('sends the error code %i of a tool as %i', (code, wire) => {
    const outcome = { kind: 'error', error: { code, message: 'm' } } as const;
    expect(detailedTask(finishedTask('error'), outcome, [], 500)['error']).toEqual({
      code: wire,
      message: 'm',
    });
  });

  it('lists every open question by its key, as the client gets it', () => {
    const sampling: Pick<PendingInput, 'method' | 'params'> = {
      method: 'sampling/createMessage',
      params: { messages: [], maxTokens: 5 },
    };
    const open = [question('elicit-1'), question('sample-1', sampling)];
    expect(detailedTask(openTask('input_required'), null, open, 500)['inputRequests']).toEqual({
      'elicit-1': { method: 'elicitation/create', params: question('elicit-1').params },
      'sample-1': sampling,
    });
  });

  it('shows no questions of a task that goes on already', () => {
    expect(payloads(detailedTask(openTask('working'), null, [question('a')], 500))).toEqual([]);
  });

  it('is not made of a finished task whose outcome is missing', () => {
    expect(() => detailedTask(finishedTask('result'), null, [], 500)).toThrow('has no outcome');
  });
});

describe('statusMessage', () => {
  const message = (task: Task) => detailedTask(task, OUTCOMES.result, [], 500)['statusMessage'];
  const progress = { progress: 3, total: 10, message: 'pages' };

  it.each([
    [{ progress: 3, total: 10, message: 'pages' }, '3/10 pages'],
    [{ progress: 3, total: 10, message: null }, '3/10'],
    [{ progress: 1.5, total: null, message: 'pages' }, '1.5 pages'],
    [{ progress: 0, total: null, message: null }, '0'],
  ])('is the latest progress %j', (latest, text) => {
    expect(message(openTask('working', { progress: latest }))).toBe(text);
    expect(message(openTask('input_required', { progress: latest }))).toBe(text);
  });

  it('is what the tool says, whatever the progress', () => {
    expect(message(openTask('working', { progress, statusMessage: 'busy' }))).toBe('busy');
  });

  it('is not made of progress once the task has ended', () => {
    expect(message(finishedTask('result', { progress }))).toBeUndefined();
    expect(message(openTask('cancelled', { progress }))).toBeUndefined();
  });

  it('is left out when there is nothing to say', () => {
    expect(message(openTask('working'))).toBeUndefined();
  });
});
