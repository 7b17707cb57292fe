import { describe, expect, it } from '@jest/globals';
import type { Progress, TaskId } from '@longshore/core';
import { TaskNotices } from '../../src/watch/task-notices.ts';

const ID = '0f0e0d0c-0b0a-4908-8706-050403020100' as TaskId;
const at = (progress: number, message: string): Progress => ({ progress, total: 9, message });

describe('a beat', () => {
  const notices = () =>
    new TaskNotices({
      display: { pollIntervalMs: 1, toolErrors: 'failed' },
      related: false,
    });

  it('tells the progress that was missed, once', () => {
    const told = notices();
    told.progress({ kind: 'progress', taskId: ID, token: 't', ...at(1, 'first') });
    expect(told.beat(ID, 't', at(2, 'second'))?.params).toMatchObject({
      progress: 2,
      message: 'second',
    });
    const again = told.beat(ID, 't', at(2, 'second'))?.params;
    expect(again).toMatchObject({ message: 'second' });
    expect(again?.['progress']).toBeGreaterThan(2);
    expect(again?.['progress']).toBeLessThan(2.001);
  });

  it('never goes back to what the row had before', () => {
    const told = notices();
    told.progress({ kind: 'progress', taskId: ID, token: 't', ...at(5, 'fifth') });
    expect(told.beat(ID, 't', at(4, 'fourth'))?.params).toMatchObject({ message: 'fifth' });
    expect(told.beat(ID, null, at(6, 'sixth'))).toBeNull();
  });
});
