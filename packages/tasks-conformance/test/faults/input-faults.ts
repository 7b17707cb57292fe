import type { Fault } from './fault.ts';
import { paramsOf, without } from './rewrite.ts';

const forBoth = (id: string): string[] => [`${id}/elicit`, `${id}/sample`];

/** Elicitation and sampling. */
export const INPUT_FAULTS: readonly Fault[] = [
  {
    name: 'goes on as working while it waits for input',
    breaks: 'tasks-input-required',
    found: forBoth('tasks-input-required'),
    hangs: true,
    switches: ['works while it waits for input'],
  },
  {
    name: 'asks without related-task metadata',
    breaks: 'tasks-input-related-task',
    found: forBoth('tasks-input-related-task'),
    outgoing: (message) => [
      message.id === undefined
        ? message
        : { ...message, params: without(message.params ?? {}, '_meta') },
    ],
  },
  {
    name: 'never sends its questions',
    breaks: 'tasks-input-delivered',
    found: forBoth('tasks-input-delivered'),
    skips: [
      'elicitation-answer-used',
      'elicitation-bound',
      'elicitation-declined/cancel',
      'elicitation-declined/decline',
      'elicitation-declined/error',
      'elicitation-form',
      'sampling-answer-used',
      'sampling-rejected',
      'sampling-request',
      'tasks-client-undeclared',
      'tasks-result-blocks/input-required',
      ...[
        'tasks-input-on-result',
        'tasks-input-related-task',
        'tasks-input-required',
        'tasks-input-resumes',
        'transport-no-broadcast',
      ].flatMap(forBoth),
    ],
    hangs: true,
    switches: ['questions kept back'],
  },
  {
    name: 'sends its questions on GET streams only',
    breaks: 'tasks-input-on-result',
    found: forBoth('tasks-input-on-result'),
    hangs: true,
    switches: ['questions on GET only'],
  },
  {
    name: 'sends its questions on every stream',
    breaks: 'transport-no-broadcast',
    found: forBoth('transport-no-broadcast'),
    switches: ['broadcast questions'],
  },
  {
    name: 'does nothing with accepted answers',
    breaks: 'tasks-input-resumes',
    found: forBoth('tasks-input-resumes'),
    skips: ['elicitation-answer-used', 'sampling-answer-used'],
    hangs: true,
    switches: ['accepted answers are ignored'],
  },
  {
    name: 'waits on when a form is declined',
    breaks: 'elicitation-declined',
    found: [
      'elicitation-declined/decline',
      'elicitation-declined/cancel',
      'elicitation-declined/error',
    ],
    hangs: true,
    switches: ['refusals are ignored'],
  },
  {
    name: 'waits on when sampling is rejected',
    breaks: 'sampling-rejected',
    found: ['sampling-rejected'],
    hangs: true,
    switches: ['rejections are ignored'],
  },
  {
    name: 'elicits from clients that did not declare it',
    breaks: 'lifecycle-negotiated-capabilities',
    found: forBoth('lifecycle-negotiated-capabilities'),
    switches: ['asks anybody'],
  },
  {
    name: 'loses what the user wrote',
    breaks: 'elicitation-answer-used',
    found: ['elicitation-answer-used'],
    switches: ['elicited content lost'],
  },
  {
    name: 'loses what was generated',
    breaks: 'sampling-answer-used',
    found: ['sampling-answer-used'],
    switches: ['sampled text lost'],
  },
  {
    name: 'elicits nested forms',
    breaks: 'elicitation-form',
    found: ['elicitation-form'],
    outgoing: paramsOf('elicitation/create', (params) => ({
      ...params,
      requestedSchema: {
        type: 'object',
        properties: { person: { type: 'object', properties: { name: { type: 'string' } } } },
      },
    })),
  },
  {
    name: 'elicits without a message',
    breaks: 'elicitation-form',
    found: ['elicitation-form'],
    outgoing: paramsOf('elicitation/create', (params) => without(params, 'message')),
  },
  {
    name: 'samples without maxTokens',
    breaks: 'sampling-request',
    found: ['sampling-request'],
    outgoing: paramsOf('sampling/createMessage', (params) => without(params, 'maxTokens')),
  },
  {
    name: 'asks the client to make a task of its question',
    breaks: 'tasks-client-undeclared',
    found: ['tasks-client-undeclared'],
    outgoing: paramsOf('elicitation/create', (params) => ({ ...params, task: { ttl: 60_000 } })),
  },
  {
    name: 'takes answers from anybody',
    breaks: 'elicitation-bound',
    found: ['elicitation-bound'],
    switches: ['anybody may answer'],
  },
];
