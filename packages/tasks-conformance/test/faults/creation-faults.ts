import type { Fault } from './fault.ts';
import { listedTasks, newTask, resultOf, without } from './rewrite.ts';

const IMMEDIATE_RESPONSE = 'io.modelcontextprotocol/model-immediate-response';

export const CREATION_FAULTS: readonly Fault[] = [
  {
    name: 'answers a flat task',
    breaks: 'tasks-create-result',
    found: ['tasks-create-result/optional', 'tasks-create-result/required'],
    skips: 'any',
    answer: resultOf(
      'tools/call',
      (result) => (result['task'] as Record<string, unknown> | undefined) ?? result,
    ),
  },
  {
    name: 'answers calls of required tools with their result',
    breaks: 'tasks-create-result',
    found: ['tasks-create-result/required'],
    switches: ['required tools answer directly'],
  },
  {
    name: 'puts content beside the task',
    breaks: 'tasks-create-no-result',
    found: ['tasks-create-no-result'],
    answer: resultOf('tools/call', (result) =>
      result['task'] === undefined ? result : { ...result, content: [] },
    ),
  },
  {
    name: 'answers when the task is done',
    breaks: 'tasks-create-prompt',
    found: ['tasks-create-prompt'],
    skips: 'any',
    switches: ['create when done'],
  },
  {
    name: 'wants a ttl',
    breaks: 'tasks-create-without-ttl',
    found: ['tasks-create-without-ttl'],
    answer: (answer, { method, params }) =>
      method === 'tools/call' && JSON.stringify(params['task']) === '{}'
        ? { id: answer.id ?? 0, error: { code: -32602, message: 'ttl is missing' } }
        : answer,
  },
  {
    name: 'sends the immediate response as an object',
    breaks: 'tasks-create-immediate-response',
    found: ['tasks-create-immediate-response'],
    answer: resultOf('tools/call', (result) =>
      result['task'] === undefined
        ? result
        : { ...result, _meta: { [IMMEDIATE_RESPONSE]: { text: 'It runs.' } } },
    ),
  },
  {
    name: 'creates tasks as submitted',
    breaks: 'tasks-starts-working',
    found: ['tasks-starts-working'],
    answer: newTask((task) => ({ ...task, status: 'input_required' })),
  },
  {
    name: 'grants any ttl',
    breaks: 'tasks-max-ttl',
    found: ['tasks-max-ttl'],
    switches: ['any ttl'],
  },
  {
    name: 'says pollInterval in words',
    breaks: 'tasks-poll-interval',
    found: ['tasks-poll-interval'],
    answer: resultOf('tasks/get', (task) => ({ ...task, pollInterval: '50ms' })),
  },
  {
    name: 'leaves ttl out of tasks/get',
    breaks: 'tasks-ttl-reported',
    found: ['tasks-ttl-reported'],
    answer: resultOf('tasks/get', (task) => without(task, 'ttl')),
  },
  {
    name: 'says another ttl in tasks/get',
    breaks: 'tasks-ttl-reported',
    found: ['tasks-ttl-reported'],
    answer: resultOf('tasks/get', (task) => ({ ...task, ttl: Number(task['ttl']) + 1 })),
  },
  {
    name: 'uses numbers for ids',
    breaks: 'tasks-id-string',
    found: ['tasks-id-string'],
    switches: ['numbers for ids'],
  },
  {
    name: 'takes the id that was proposed',
    breaks: 'tasks-id-generated',
    found: ['tasks-id-generated'],
    switches: ['ids as proposed'],
  },
  {
    name: 'gives equal calls one id',
    breaks: 'tasks-id-unique',
    found: ['tasks-id-unique'],
    switches: ['equal calls share a task'],
  },
  {
    name: 'counts its ids',
    breaks: 'tasks-id-entropy',
    found: ['tasks-id-entropy'],
    switches: ['ids are counted'],
  },
  {
    name: 'writes createdAt as a number in tasks/cancel',
    breaks: 'tasks-created-at',
    found: ['tasks-created-at'],
    answer: resultOf('tasks/cancel', (task) => ({ ...task, createdAt: Date.now() })),
  },
  {
    name: 'gives a task another createdAt in tasks/list',
    breaks: 'tasks-created-at',
    found: ['tasks-created-at'],
    answer: listedTasks((task) => ({ ...task, createdAt: '2025-11-25T10:30:00Z' })),
  },
  {
    name: 'leaves lastUpdatedAt out of tasks/cancel',
    breaks: 'tasks-last-updated-at',
    found: ['tasks-last-updated-at'],
    answer: resultOf('tasks/cancel', (task) => without(task, 'lastUpdatedAt')),
  },
  {
    name: 'has updated tasks before it created them',
    breaks: 'tasks-last-updated-at',
    found: ['tasks-last-updated-at'],
    answer: resultOf('tasks/get', (task) => ({
      ...task,
      lastUpdatedAt: '2025-11-25T10:30:00Z',
    })),
  },
  {
    name: 'leaves ttl out of tasks/list',
    breaks: 'tasks-ttl-everywhere',
    found: ['tasks-ttl-everywhere'],
    answer: listedTasks((task) => without(task, 'ttl')),
  },
  {
    name: 'says running for working',
    breaks: 'tasks-status-values',
    found: ['tasks-status-values'],
    answer: resultOf('tasks/get', (task) =>
      task['status'] === 'working' ? { ...task, status: 'running' } : task,
    ),
  },
];
