import type { Quirk } from './fault.ts';
import { without } from './rewrite.ts';

type Json = Readonly<Record<string, unknown>>;

const LIST_CHECKS = [
  'pagination-stable-cursors',
  'tasks-list-complete',
  'tasks-list-context',
  'tasks-list-invalid-cursor',
  'tasks-list-next-cursor',
  'tasks-list-tasks',
  'tasks-list-undeclared',
];
const CANCEL_CHECKS = [
  'tasks-cancel-first',
  'tasks-cancel-sticks',
  'tasks-cancel-terminal/cancelled',
  'tasks-cancel-terminal/completed',
  'tasks-cancel-terminal/failed',
  'tasks-context-bound/cancel',
  'tasks-result-blocks/cancelled',
  'tasks-result-cancelled',
  'tasks-unknown-task/cancel',
];
const LOG_CHECKS = ['logging-declared', 'tasks-related-task/log'];
const ASKING_TOOLS = ['conformance_elicit', 'conformance_sample'];
const INPUT_CHECKS = [
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
  ...['elicit', 'sample'].flatMap((role) => [
    `lifecycle-negotiated-capabilities/${role}`,
    `tasks-input-delivered/${role}`,
    `tasks-input-on-result/${role}`,
    `tasks-input-related-task/${role}`,
    `tasks-input-required/${role}`,
    `tasks-input-resumes/${role}`,
    `transport-no-broadcast/${role}`,
  ]),
];

/** What servers do differently and rightly: no check may hold it against them. */
export const QUIRKS: readonly Quirk[] = [
  { name: 'offers no GET streams', skips: LOG_CHECKS, switches: ['no GET streams'] },
  {
    name: 'opens streams only when there is something to send',
    skips: [],
    switches: ['streams only when needed'],
  },
  {
    name: 'lets clients come back for the rest of a stream',
    skips: [],
    switches: ['streams are cut short'],
  },
  { name: 'deletes cancelled tasks', skips: [], switches: ['cancelled tasks are deleted'] },
  {
    name: 'has no list, no cancel and nothing optional',
    skips: [
      ...LIST_CHECKS,
      ...CANCEL_CHECKS,
      ...LOG_CHECKS,
      'progress-increases',
      'progress-original-token',
      'progress-stops',
      'tasks-create-immediate-response',
      'tasks-poll-interval',
      'tasks-related-task/progress',
      'tasks-status-notification-full',
      'tasks-status-notification-no-related-task',
      'tasks-transitions',
      'transport-no-broadcast/notification',
    ],
    answer: (answer, { method }) => {
      const { result } = answer;
      if (method === 'initialize' && result !== undefined) {
        const { tasks, ...others } = result['capabilities'] as Json;
        const asked = tasks === undefined ? {} : { tasks: { requests: { tools: { call: {} } } } };
        return { ...answer, result: { ...result, capabilities: { ...others, ...asked } } };
      }
      if (method === 'tools/call' && result?.['task'] !== undefined) {
        const task = without(result['task'] as Json, 'pollInterval');
        return { ...answer, result: { task } };
      }
      return method === 'tasks/get' && result !== undefined
        ? { ...answer, result: without(result, 'pollInterval') }
        : answer;
    },
    outgoing: (message) => (message.id === undefined ? [] : [message]),
  },
  {
    name: 'has no sessions',
    skips: [
      ...LIST_CHECKS,
      ...INPUT_CHECKS,
      ...LOG_CHECKS,
      'tasks-context-bound/cancel',
      'tasks-context-bound/get',
      'tasks-context-bound/result',
      'tasks-foreign-indistinguishable',
    ],
    switches: ['no sessions', 'no GET streams'],
    answer: (answer, { method }) => {
      const { result } = answer;
      if (method === 'initialize' && result !== undefined) {
        const { tasks, ...others } = result['capabilities'] as Json;
        const declared = tasks === undefined ? {} : { tasks: without(tasks as Json, 'list') };
        return { ...answer, result: { ...result, capabilities: { ...others, ...declared } } };
      }
      if (method !== 'tools/list') return answer;
      const tools = (result?.['tools'] ?? []) as { name: string }[];
      return {
        ...answer,
        result: { tools: tools.filter(({ name }) => !ASKING_TOOLS.includes(name)) },
      };
    },
  },
];
