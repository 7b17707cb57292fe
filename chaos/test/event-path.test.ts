import { describe, expect, it } from '@jest/globals';
import { walkEvents } from '../src/check/event-path.ts';
import type { EventRow } from '../src/check/evidence.ts';
import { event } from './planted.ts';

const CREATED = event('created');
const asked = (attempt: number, key = 'k'): EventRow => event('input_asked', attempt, { key });
const answered = (attempt: number, key = 'k'): EventRow =>
  event('input_answered', attempt, { key });

describe('a legal path', () => {
  it.each<[string, readonly EventRow[], object]>([
    [
      'retries, is released, loses a worker, and finishes',
      [
        CREATED,
        event('started', 1),
        event('retried', 1),
        event('started', 2),
        event('released', 2),
        event('started', 3),
        event('started', 4),
        event('log', 4),
        event('finished', 4),
      ],
      { attempt: 4, failures: 1, lost: 1, ends: ['finished'] },
    ],
    [
      'is cancelled after its worker lost it',
      [CREATED, event('started', 1), event('cancelled', 1)],
      { ends: ['cancelled'], lost: 1 },
    ],
    [
      'is given up after its worker lost it',
      [CREATED, event('started', 1), event('finished', 1, { reason: 'TASK_ABANDONED' })],
      { ends: ['finished'], lost: 1 },
    ],
    ['is cancelled before it starts', [CREATED, event('cancelled')], { ends: ['cancelled'] }],
    [
      'passes its deadline in the queue',
      [CREATED, event('finished', null, { reason: 'TASK_DEADLINE' })],
      { ends: ['finished'], reason: 'TASK_DEADLINE' },
    ],
    [
      'has a question answered that a dead attempt asked',
      [
        CREATED,
        event('started', 1),
        asked(1),
        event('started', 2),
        answered(1),
        event('finished', 2),
      ],
      { attempt: 2, lost: 1 },
    ],
  ])('%s', (_, events, totals) => {
    expect(walkEvents(events)).toMatchObject({ problems: [], totals });
  });
});

describe('an illegal path', () => {
  it.each<[string, readonly EventRow[]]>([
    ['begins in the middle', [event('started', 1)]],
    ['is created twice', [CREATED, event('created')]],
    ['skips an attempt', [CREATED, event('started', 2)]],
    ['repeats an attempt', [CREATED, event('started', 1), event('started', 1)]],
    ['finishes unclaimed', [CREATED, event('finished')]],
    [
      'finishes after it was given back',
      [CREATED, event('started', 1), event('retried', 1), event('finished', 1)],
    ],
    [
      'is written by an old attempt',
      [CREATED, event('started', 1), event('started', 2), event('finished', 1)],
    ],
    [
      'is retried by an old attempt',
      [CREATED, event('started', 1), event('started', 2), event('retried', 1)],
    ],
    ['goes on after its end', [CREATED, event('cancelled'), event('started', 1)]],
    ['logs after its end', [CREATED, event('started', 1), event('finished', 1), event('log', 1)]],
    ['answers what was not asked', [CREATED, event('started', 1), answered(1)]],
    ['answers twice', [CREATED, event('started', 1), asked(1), answered(1), answered(1)]],
    ['asks unclaimed', [CREATED, asked(0)]],
    ['has an event of no known kind', [CREATED, event('started', 1), event('eaten', 1)]],
  ])('%s', (_, events) => {
    expect(walkEvents(events).problems).not.toEqual([]);
  });
});
