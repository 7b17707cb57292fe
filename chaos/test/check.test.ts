import { describe, expect, it } from '@jest/globals';
import { check } from '../src/check/check.ts';
import type { Evidence } from '../src/check/evidence.ts';
import { ANSWER, event, evidence, planned, resultOf, row, task } from './planted.ts';

const OTHER = resultOf({ answer: 'another' });
const CANCELLED = planned('cancelled');
const CANCELLED_ROW = { state: 'cancelled', outcomeKind: null, hasResult: false };
const gaveUp = (times: number) => ({
  kind: 'result' as const,
  structured: null,
  text: `Gave up: the worker died ${times} times while running this task.`,
  isError: true,
});
const lostFour = [1, 2, 3, 4, 5].map((attempt) => event('started', attempt));
const abandoned = event('finished', 5, { reason: 'TASK_ABANDONED' });

describe('the checker finds nothing when', () => {
  it.each<[string, Partial<Evidence>]>([
    ['nothing is wrong', {}],
    [
      'a confirmed cancellation holds',
      {
        tasks: [
          task({
            plan: CANCELLED,
            cancel: { answer: 'cancelled', atMs: 1_001 },
            seen: { kind: 'cancelled' },
            final: { kind: 'cancelled' },
          }),
        ],
        rows: [row(CANCELLED_ROW)],
        events: [event('created'), event('started', 1), event('cancelled', 1)],
      },
    ],
    [
      'a task had ended before its cancellation was acknowledged',
      {
        tasks: [
          task({
            plan: CANCELLED,
            cancel: { answer: 'acknowledged', atMs: 1_001 },
            seen: resultOf({ ...(ANSWER.kind === 'result' ? ANSWER.structured : {}), steps: 2 }),
            final: resultOf({ ...(ANSWER.kind === 'result' ? ANSWER.structured : {}), steps: 2 }),
          }),
        ],
      },
    ],
    [
      'a task whose ttl is over is gone',
      {
        tasks: [
          task({
            plan: planned('expiring'),
            seen: { kind: 'not_found' },
            final: { kind: 'not_found' },
          }),
        ],
        rows: [],
        events: [],
      },
    ],
    [
      'a task that lost five workers was given up',
      {
        tasks: [task({ seen: gaveUp(5), final: gaveUp(5) })],
        rows: [row({ attempt: 5, lost: 4, outcomeKind: 'tool_error' })],
        events: [event('created'), ...lostFour, abandoned],
      },
    ],
    [
      'a lease was taken over from a worker that lived',
      {
        rows: [row({ attempt: 2 })],
        events: [event('created'), event('started', 1), event('started', 2), event('finished', 2)],
      },
    ],
    ['a key of Redis has a ttl', { redisKeys: [{ key: 'longshore:x:lock', ttlMs: 5 }] }],
  ])('%s', (_, over) => {
    expect(check(evidence(over))).toEqual([]);
  });
});

/** What is planted, and the checks that must find it. */
const PLANTED: readonly [string, readonly string[], Partial<Evidence>][] = [
  ['a task that never ends', ['lost'], { tasks: [task({ seen: null, final: null })] }],
  ['a task that is gone', ['lost', 'changed'], { tasks: [task({ final: { kind: 'not_found' } })] }],
  ['an end that nobody heard of', ['unheard'], { tasks: [task({ seen: null })] }],
  ['a task without a row', ['orphan', 'lost'], { rows: [] }],
  ['a call without an answer', ['lost'], { held: [{ plan: planned('held'), end: null }] }],
  ['a wrong result', ['wrong'], { tasks: [task({ seen: OTHER, final: OTHER })] }],
  ['a wrong answer of a call', ['wrong'], { held: [{ plan: planned('held'), end: OTHER }] }],
  ['a refused call', ['wrong'], { refused: [{ plan: planned('short'), end: OTHER }] }],
  ['a success where a failure is due', ['wrong'], { tasks: [task({ plan: planned('failing') })] }],
  [
    'a task given up too early',
    ['wrong', 'wrong'],
    {
      tasks: [task({ seen: gaveUp(4), final: gaveUp(4) })],
      rows: [row({ attempt: 1 })],
      events: [
        event('created'),
        event('started', 1),
        event('finished', 1, { reason: 'TASK_ABANDONED' }),
      ],
    },
  ],
  ['an end that changes', ['changed'], { tasks: [task({ seen: OTHER })] }],
  [
    'a cancellation that was confirmed and does not hold',
    ['wrong', 'cancel'],
    { tasks: [task({ plan: CANCELLED, cancel: { answer: 'cancelled', atMs: 5_000 } })] },
  ],
  [
    'a task that ends after its cancellation was acknowledged',
    ['wrong', 'cancel'],
    { tasks: [task({ plan: CANCELLED, cancel: { answer: 'acknowledged', atMs: 999 } })] },
  ],
  [
    'a task that is cancelled though nobody asked',
    ['wrong', 'cancel'],
    {
      tasks: [task({ seen: { kind: 'cancelled' }, final: { kind: 'cancelled' } })],
      rows: [row(CANCELLED_ROW)],
      events: [event('created'), event('started', 1), event('cancelled', 1)],
    },
  ],
  [
    'two terminal events',
    ['path', 'doubled'],
    {
      events: [event('created'), event('started', 1), event('finished', 1), event('finished', 1)],
    },
  ],
  ['no terminal event', ['path'], { events: [event('created'), event('started', 1)] }],
  ['no event at all', ['path', 'path'], { events: [] }],
  [
    'an end of another kind than its event',
    ['path'],
    { events: [event('created'), event('started', 1), event('cancelled', 1)] },
  ],
  ['a row that is open', ['open'], { rows: [row({ finishedAtMs: null })] }],
  ['a result that is missing', ['path'], { rows: [row({ hasResult: false })] }],
  ['a row with another attempt', ['path'], { rows: [row({ attempt: 2 })] }],
  ['more attempts lost than were taken over', ['path'], { rows: [row({ lost: 1 })] }],
  ['a history without a row', ['orphan'], { events: [...evidence().events, stray()] }],
  [
    'checkpoints without a row',
    ['orphan'],
    { orphans: [{ table: 'task_checkpoints', taskId: 'x' }] },
  ],
  ['a row of somebody else', ['foreign'], { rows: [row({ principal: 2 })] }],
  [
    'a second task under an idempotency key',
    ['doubled'],
    { rows: [row(), row({ id: 'u' })], events: [...evidence().events, ...again('u')] },
  ],
  ['a step done twice', ['doubled'], { effects: new Map([['t', ['step-1.a', 'step-1.b']]]) }],
  [
    'a step left out',
    ['lost'],
    {
      tasks: [effectsTask()],
      effects: new Map([['t', ['step-1.a']]]),
    },
  ],
  [
    'a job that is left',
    ['redis'],
    { redisKeys: [{ key: 'longshore:longshore-default:0198', ttlMs: null }] },
  ],
  [
    'more connections',
    ['connections'],
    { after: { ...evidence().after, postgresConnections: 31 } },
  ],
  ['more memory', ['memory'], { after: { ...evidence().after, rssMiB: { 'api-0': 300 } } }],
  [
    'a task shown to a stranger',
    ['foreign'],
    { looks: [{ taskId: 't', owner: 0, by: 1, end: ANSWER, how: 'get' }] },
  ],
  [
    'a task in a stranger’s list',
    ['foreign'],
    { looks: [{ taskId: 't', owner: 0, by: 1, end: null, how: 'list' }] },
  ],
  ['a process that crashed', ['process'], { misbehaved: ['api-0 ended 1 times by itself'] }],
];

function again(taskId: string) {
  return evidence().events.map((one) => ({ ...one, taskId }));
}

function stray() {
  return { ...event('created'), taskId: 'stray' };
}

function effectsTask() {
  const end = resultOf({ ...(ANSWER.kind === 'result' ? ANSWER.structured : {}), steps: 2 });
  return task({ plan: planned('effects'), seen: end, final: end });
}

describe('the checker finds', () => {
  it.each(PLANTED)('%s', (_, checks, over) => {
    expect(check(evidence(over)).map((violation) => violation.check)).toEqual(checks);
  });
});
