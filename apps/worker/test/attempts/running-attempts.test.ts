import { describe, expect, it } from '@jest/globals';
import { RunningAttempts } from '../../src/attempts/running-attempts.ts';
import { testAttempt } from '../bench/test-attempt.ts';

const attempt = (number: number) => testAttempt({ attempt: number });
const TASK = attempt(1).claim.taskId;

describe('RunningAttempts', () => {
  it('stops the attempt of a cancelled task, with a reason a tool can read', () => {
    const running = new RunningAttempts();
    const first = attempt(1);
    running.add(first);
    running.cancel(TASK);
    expect(first.abortReason).toBe('cancelled');
    expect(first.signal.reason).toMatchObject({ name: 'AbortError', why: 'cancelled' });
  });

  it('stops an attempt that was cancelled before the answer to its claim came', () => {
    const running = new RunningAttempts();
    running.claiming(TASK);
    running.cancel(TASK);
    const first = attempt(1);
    running.add(first);
    expect(first.abortReason).toBe('cancelled');
  });

  it('lets a task be claimed once at a time', () => {
    const running = new RunningAttempts();
    expect([running.claiming(TASK), running.claiming(TASK)]).toEqual([true, false]);
    running.claimFailed(TASK);
    expect(running.claiming(TASK)).toBe(true);
    running.add(attempt(1));
    expect(running.claiming(TASK)).toBe(true);
  });

  it('forgets a cancellation together with the claim it was meant for', () => {
    const running = new RunningAttempts();
    running.cancel(TASK);
    running.claiming(TASK);
    running.cancel(TASK);
    running.claimFailed(TASK);
    running.claiming(TASK);
    const first = attempt(1);
    running.add(first);
    expect(first.abortReason).toBeNull();
  });

  it('stops what is there and what comes later when it drains', () => {
    const running = new RunningAttempts();
    const first = attempt(1);
    running.add(first);
    running.drain();
    const second = attempt(2);
    running.add(second);
    expect([first.abortReason, second.abortReason]).toEqual(['drain', 'drain']);
  });

  it('stops an attempt that a later one of the same task replaces, and keeps the later one', () => {
    const running = new RunningAttempts();
    const first = attempt(1);
    const second = attempt(2);
    running.add(first);
    running.add(second);
    expect(first.abortReason).toBe('lost');
    running.remove(first);
    expect(running.has(second)).toBe(true);
    running.remove(second);
    expect(running.size).toBe(0);
  });

  it('keeps the first reason, and stops nothing that has settled', () => {
    const first = attempt(1);
    first.abort('timeout');
    first.abort('cancelled');
    expect(first.abortReason).toBe('timeout');
    const second = attempt(2);
    second.settle();
    second.abort('cancelled');
    expect(second.abortReason).toBeNull();
    expect(second.signal.aborted).toBe(false);
  });
});
