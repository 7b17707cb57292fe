import { describe, expect, it } from '@jest/globals';
import type { Task, TaskId } from '@longshore/core';
import { TaskSchema } from '@modelcontextprotocol/sdk/types.js';
import {
  legacyStatus,
  legacyTask,
  taskStatusNotification,
  withRelatedTask,
} from '../src/legacy/task-wire.ts';
import { progressNotification } from '../src/shared/notifications.ts';

const base = {
  id: '8c5c3f7e-9a06-4d3c-8ff5-2f6f6f4f6f6f' as TaskId,
  listed: true,
  requestId: 1,
  logLevel: null,
  sessionId: null,
  era: 'legacy',
  toolName: 't',
  progressToken: null,
  progress: null,
  statusMessage: null,
  isHeld: false,
  createdAt: new Date('2026-01-02T03:04:05.678Z'),
  updatedAt: new Date('2026-01-02T03:04:06.789Z'),
  ttlMs: 60_000,
} as const;
const DISPLAY = { pollIntervalMs: 500, toolErrors: 'failed' } as const;

const finished = (outcomeKind: 'result' | 'tool_error' | 'error'): Task => ({
  ...base,
  state: 'finished',
  outcomeKind,
});

describe('legacyStatus', () => {
  it('calls a tool error failed, as 2025-11-25 does', () => {
    expect(legacyStatus(finished('tool_error'))).toBe('failed');
    expect(legacyStatus(finished('error'))).toBe('failed');
    expect(legacyStatus(finished('result'))).toBe('completed');
  });

  it('calls a tool error completed for hosts that need it, and no other error', () => {
    expect(legacyStatus(finished('tool_error'), 'completed')).toBe('completed');
    expect(legacyStatus(finished('error'), 'completed')).toBe('failed');
  });

  it('passes the other states on', () => {
    for (const state of ['working', 'input_required', 'cancelled'] as const) {
      expect(legacyStatus({ ...base, state })).toBe(state);
    }
  });
});

describe('legacyTask', () => {
  it('is a Task of the official schema, whatever the state', () => {
    const tasks: Task[] = [
      { ...base, state: 'working' },
      { ...base, state: 'cancelled', statusMessage: 'stopped' },
      finished('tool_error'),
      { ...finished('result'), ttlMs: null },
    ];
    for (const task of tasks)
      expect(TaskSchema.parse(legacyTask(task, DISPLAY))).toMatchObject({ taskId: task.id });
  });
});

describe('withRelatedTask', () => {
  it('keeps the result’s own _meta', () => {
    expect(withRelatedTask({ content: [], _meta: { a: 1 } }, 'id')).toEqual({
      content: [],
      _meta: { a: 1, 'io.modelcontextprotocol/related-task': { taskId: 'id' } },
    });
  });
});

describe('notifications', () => {
  it('of progress name the task only when the call is one', () => {
    const report = { token: 0, progress: 1.5, total: null, message: null, isBeat: false };
    expect(progressNotification({ ...report, taskId: null }).params).toEqual({
      progressToken: 0,
      progress: 1.5,
    });
    expect(progressNotification({ ...report, taskId: 'x', total: 3 }).params).toMatchObject({
      total: 3,
      _meta: { 'io.modelcontextprotocol/related-task': { taskId: 'x' } },
    });
    expect(progressNotification({ ...report, taskId: null, isBeat: true }).params).toMatchObject({
      _meta: { 'dev.longshore/beat': true },
    });
  });

  it('of status carry the whole task and no related-task mark', () => {
    const { params } = taskStatusNotification({ ...base, state: 'working' }, DISPLAY);
    expect(params).toMatchObject({ taskId: base.id, status: 'working', pollInterval: 500 });
    expect(params).not.toHaveProperty('_meta');
  });
});
