import { isDeepStrictEqual } from 'node:util';
import type { End } from '../clients/end.ts';
import { type Expected, expectedOf } from '../plan/expected.ts';
import type { AcknowledgedTask, Evidence, Violation } from './evidence.ts';

/** Workers that may die with a task before it is given up (`maxLost` of the sweeper). */
const MAX_LOST = 5;

/** What a task that lost so many workers ends with; `n` of its text is checked against its history. */
const ABANDONED = /^Gave up: the worker died (\d+) times? while running this task\.$/;

/** In words, for messages. */
function show(end: End | Expected | null): string {
  return end === null ? 'not ended' : JSON.stringify(end);
}

function fits(end: End, expected: Expected): boolean {
  switch (expected.kind) {
    case 'result':
      return (
        end.kind === 'result' &&
        !end.isError &&
        isDeepStrictEqual(end.structured, expected.structured)
      );
    case 'tool_error':
      return end.kind === 'result' && end.isError && end.text === expected.text;
    case 'error':
      return end.kind === 'error' && end.code === expected.code && end.message === expected.message;
    case 'gone':
      return end.kind === 'not_found';
  }
}

function isAbandoned(end: End): boolean {
  const died = end.kind === 'result' && end.isError ? ABANDONED.exec(end.text)?.[1] : undefined;
  return died !== undefined && Number(died) >= MAX_LOST;
}

/** Every acknowledged task has ended, and its owner finds it. */
export function checkNoneLost({ tasks, held }: Evidence): Violation[] {
  const check = 'lost';
  const lost: Violation[] = [];
  for (const { plan, taskId, final } of tasks) {
    if (final === null) {
      lost.push({
        check,
        subject: taskId,
        problem: `${plan.kind} task ${plan.index} has not ended`,
      });
    } else if (final.kind === 'not_found' && plan.kind !== 'expiring') {
      lost.push({ check, subject: taskId, problem: `${plan.kind} task ${plan.index} is gone` });
    }
  }
  for (const { plan, end } of held) {
    if (end === null) {
      lost.push({ check, subject: `call ${plan.index}`, problem: 'was never answered' });
    }
  }
  return lost;
}

/** Every end is the one that the plan asks for. */
export function checkResults({ tasks, held, refused }: Evidence): Violation[] {
  const check = 'wrong';
  const wrong: Violation[] = [];
  const expect = (subject: string, end: End, expected: Expected): void => {
    if (fits(end, expected) || isAbandoned(end)) return;
    wrong.push({ check, subject, problem: `${show(end)} instead of ${show(expected)}` });
  };
  for (const { plan, taskId, final } of tasks) {
    // What is not there is lost, and cancellations have a check of their own.
    if (final === null || (final.kind === 'not_found' && plan.kind !== 'expiring')) continue;
    if (final.kind === 'cancelled' && plan.kind === 'cancelled') continue;
    expect(taskId, final, expectedOf(plan));
  }
  for (const { plan, end } of held) {
    if (end !== null) expect(`call ${plan.index}`, end, expectedOf(plan));
  }
  for (const { plan, end } of refused) {
    wrong.push({ check, subject: `call ${plan.index}`, problem: `was refused: ${show(end)}` });
  }
  return wrong;
}

/** Who waits for a task's end hears of it, whatever became of the connections it waited on. */
export function checkAllHeard({ tasks }: Evidence): Violation[] {
  return tasks.flatMap(({ plan, taskId, seen, final }) => {
    if (seen !== null || final === null) return [];
    const problem = `${plan.kind} task ${plan.index} has ended, and its ${plan.era} client waits`;
    return [{ check: 'unheard', subject: taskId, problem }];
  });
}

/** What a client once saw as the end stays the end. */
export function checkEndsStay({ tasks }: Evidence): Violation[] {
  return tasks.flatMap(({ plan, taskId, seen, final }) => {
    if (seen === null || final === null || isDeepStrictEqual(seen, final)) return [];
    // Its row goes when its ttl is over, whatever it was before.
    if (plan.kind === 'expiring' && final.kind === 'not_found') return [];
    const problem = `ended as ${show(seen)}, and later as ${show(final)}`;
    return [{ check: 'changed', subject: taskId, problem }];
  });
}

/**
 * A cancellation that was confirmed holds; where the server only acknowledges, or says that the task has
 * ended, it had ended by then.
 */
export function checkCancellations(evidence: Evidence): Violation[] {
  const finishedAtMs = new Map(evidence.rows.map((row) => [row.id, row.finishedAtMs]));
  return evidence.tasks.flatMap((task) => {
    const problem = cancellationProblem(task, finishedAtMs.get(task.taskId) ?? null);
    return problem === null ? [] : [{ check: 'cancel', subject: task.taskId, problem }];
  });
}

function cancellationProblem(task: AcknowledgedTask, finishedAtMs: number | null): string | null {
  const { plan, cancel, final } = task;
  if (final === null) return null;
  if (final.kind === 'cancelled') {
    // A cancellation whose answer was lost may have been carried out all the same.
    return plan.cancelAfterMs === null ? 'was cancelled and nobody asked for it' : null;
  }
  if (cancel === null) return null;
  switch (cancel.answer) {
    case 'not_found':
      return 'was not found by the one who cancelled it';
    case 'cancelled':
      return `its cancellation was confirmed, and it ended as ${show(final)}`;
    case 'acknowledged':
    case 'ended':
      return finishedAtMs !== null && finishedAtMs <= cancel.atMs
        ? null
        : `its cancellation was answered with "${cancel.answer}", and it ended later as ${show(final)}`;
  }
}
