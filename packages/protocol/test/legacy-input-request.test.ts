import { describe, expect, it } from '@jest/globals';
import type { InputRequestId, PendingInput } from '@longshore/core';
import {
  CancelledNotificationSchema,
  CancelTaskRequestSchema,
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  GetTaskPayloadRequestSchema,
  GetTaskRequestSchema,
  ListRootsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { parseHostedTask, parseHostedTaskCreated } from '../src/legacy/hosted-task.ts';
import {
  hostedTaskCancelRequest,
  hostedTaskResultRequest,
  hostedTaskStatusRequest,
  inputRequest,
  inputWithdrawn,
  parseAnswerAddress,
} from '../src/legacy/input-request.ts';

const ID = 'f47ac10b-58cc-4372-a567-0e02b2c3d479' as InputRequestId;
const TASK = '8c5c3f7e-9a06-4d3c-8ff5-2f6f6f4f6f6f';
const RELATED = { 'io.modelcontextprotocol/related-task': { taskId: TASK } };
const plain = { relatedTo: null, hostedTtlMs: null };

const question = (
  method: PendingInput['method'],
  params: PendingInput['params'],
): PendingInput => ({
  id: ID,
  key: 'k',
  eventId: '1',
  remoteTask: null,
  method,
  params,
});
const form = question('elicitation/create', {
  message: 'Sure?',
  requestedSchema: { type: 'object', properties: { ok: { type: 'boolean' } } },
});

describe('a question as a request', () => {
  it('is what the official schema says, under the id of the question', () => {
    const url = question('elicitation/create', {
      mode: 'url',
      message: '?',
      url: 'https://x.example',
    });
    const sample = question('sampling/createMessage', {
      messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }],
      maxTokens: 5,
    });
    for (const [asked, schema] of [
      [form, ElicitRequestSchema],
      [url, ElicitRequestSchema],
      [sample, CreateMessageRequestSchema],
      [question('roots/list', {}), ListRootsRequestSchema],
    ] as const) {
      for (const relatedTo of [null, TASK]) {
        const request = inputRequest(asked, { relatedTo, hostedTtlMs: null });
        expect(request.id).toBe(ID);
        expect(() => schema.parse(request)).not.toThrow();
      }
    }
  });

  it('names the task only where the client knows it, beside what else is in _meta', () => {
    expect(inputRequest(form, plain).params).not.toHaveProperty('_meta');
    const tagged = { ...form, params: { ...form.params, _meta: { 'a/b': 1 } } };
    expect(inputRequest(tagged, { ...plain, relatedTo: TASK }).params?.['_meta']).toEqual({
      'a/b': 1,
      ...RELATED,
    });
  });

  it('about a page has an elicitation id, others have none', () => {
    const url = question('elicitation/create', {
      mode: 'url',
      message: '?',
      url: 'https://x.example',
    });
    expect(inputRequest(url, plain).params).toMatchObject({ elicitationId: ID });
    expect(inputRequest(form, plain).params).not.toHaveProperty('elicitationId');
  });

  it('asks for a task where the client makes some', () => {
    expect(inputRequest(form, { ...plain, hostedTtlMs: 5_000 }).params).toMatchObject({
      task: { ttl: 5_000 },
    });
    expect(inputRequest(form, plain).params).not.toHaveProperty('task');
  });
});

describe('a question nobody waits for any more', () => {
  it('is withdrawn by its id, or by the id of the task the client made of it', () => {
    CancelledNotificationSchema.parse(inputWithdrawn(form, null));
    expect(inputWithdrawn(form, TASK).params).toMatchObject({ requestId: ID, _meta: RELATED });
    expect(inputWithdrawn(form, null).params).not.toHaveProperty('_meta');
    const cancel = hostedTaskCancelRequest(form, 't');
    CancelTaskRequestSchema.parse(cancel);
    expect(parseAnswerAddress(cancel.id)).toBeNull();
  });
});

describe('ids of posted responses', () => {
  it('lead back to the question', () => {
    expect(parseAnswerAddress(ID)).toEqual({ id: ID, part: 'answer' });
    const get = hostedTaskStatusRequest(form, 't', 12);
    const result = hostedTaskResultRequest(form, 't');
    GetTaskRequestSchema.parse(get);
    GetTaskPayloadRequestSchema.parse(result);
    expect(parseAnswerAddress(get.id)).toEqual({ id: ID, part: 'status' });
    expect(parseAnswerAddress(result.id)).toEqual({ id: ID, part: 'result' });
  });

  it.each([[7], ['7'], [''], [`${ID}.get`], [`${ID}.get.x`], [`${ID}.more`], [`${ID}\n`]])(
    'like %j lead nowhere',
    (id) => {
      expect(parseAnswerAddress(id)).toBeNull();
    },
  );
});

describe('tasks of a client', () => {
  const task = { taskId: 't', status: 'working', ttl: null, createdAt: '', lastUpdatedAt: '' };

  it('are read from both answers', () => {
    const read = {
      task: { taskId: 't', status: 'working', pollIntervalMs: 250 },
      statusMessage: 'busy',
    };
    const sent = { ...task, pollInterval: 250, statusMessage: 'busy' };
    expect(parseHostedTaskCreated({ task: sent })).toEqual(read);
    expect(parseHostedTask(sent)).toEqual(read);
  });

  it.each([
    [undefined, 1_000],
    [0, 100],
    [1e12, 60_000],
    ['soon', 1_000],
  ])('with poll interval %j are asked every %i ms', (pollInterval, expected) => {
    expect(parseHostedTask({ ...task, pollInterval })?.task.pollIntervalMs).toBe(expected);
  });

  it.each([[null], [{}], [{ task: {} }], [{ action: 'accept' }], [{ taskId: 't', status: 'odd' }]])(
    'are not %j',
    (raw) => {
      expect(parseHostedTask(raw)).toBeNull();
      expect(parseHostedTaskCreated(raw)).toBeNull();
    },
  );
});
