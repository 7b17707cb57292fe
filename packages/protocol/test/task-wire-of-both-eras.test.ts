import { describe, expect, it } from '@jest/globals';
import { LongshoreError, type Task } from '@longshore/core';
import { TaskV2Schema } from '@modelcontextprotocol/ext-tasks/core/v2';
import { TaskSchema } from '@modelcontextprotocol/sdk/types.js';
import { legacyStatus, legacyTask } from '../src/legacy/task-wire.ts';
import { modernStatus, modernTask } from '../src/modern/task-wire.ts';
import { errorToWire } from '../src/shared/error-to-wire.ts';
import { finishedTask, openTask } from './support/tasks.ts';

const STATUSES: readonly [string, Task, string, string][] = [
  ['working', openTask('working'), 'working', 'working'],
  ['input_required', openTask('input_required'), 'input_required', 'input_required'],
  ['cancelled', openTask('cancelled'), 'cancelled', 'cancelled'],
  ['finished, result', finishedTask('result'), 'completed', 'completed'],
  // The one state the eras disagree about.
  ['finished, tool_error', finishedTask('tool_error'), 'failed', 'completed'],
  ['finished, error', finishedTask('error'), 'failed', 'failed'],
];

describe('one row, read in both eras', () => {
  it.each(STATUSES)('%s', (_state, task, legacy, modern) => {
    expect(legacyStatus(task)).toBe(legacy);
    expect(modernStatus(task)).toBe(modern);
    expect(
      TaskSchema.parse(legacyTask(task, { pollIntervalMs: 500, toolErrors: 'failed' })).status,
    ).toBe(legacy);
    expect(TaskV2Schema.parse(modernTask(task, 500)).status).toBe(modern);
  });

  it.each([60_000, null])('names its ttl of %p as each era does, from its creation', (ttlMs) => {
    const task = openTask('working', { ttlMs });
    const times = {
      taskId: task.id,
      status: 'working',
      createdAt: '2026-01-02T03:04:05.678Z',
      lastUpdatedAt: '2026-01-02T03:04:06.789Z',
    };
    expect(legacyTask(task, { pollIntervalMs: 500, toolErrors: 'failed' })).toEqual({
      ...times,
      ttl: ttlMs,
      pollInterval: 500,
    });
    expect(modernTask(task, 500)).toEqual({ ...times, ttlMs, pollIntervalMs: 500 });
  });

  // The modern leg acknowledges such a cancel instead of throwing: its table has no row to differ in.
  it('refuses to cancel what has ended in the legacy era only, with -32602', () => {
    const wire = errorToWire(new LongshoreError('TASK_TERMINAL', 'm'), 'legacy');
    expect([wire.code, wire.httpStatus]).toEqual([-32602, 200]);
  });

  it.each(['legacy', 'modern'] as const)('is unknown in the %s era with -32602', (era) => {
    const wire = errorToWire(new LongshoreError('TASK_NOT_FOUND', 'm'), era);
    expect([wire.code, wire.httpStatus]).toEqual([-32602, 200]);
  });
});
