import { walkEvents } from './event-path.ts';
import type { EventRow, Evidence, TaskRow, Violation } from './evidence.ts';

/** Every history is a legal path with one end, and the row says what its history adds up to. */
export function checkHistories({ rows, events }: Evidence): Violation[] {
  const histories = grouped(events, ({ taskId }) => taskId);
  const found = rows.flatMap((row) => checkRow(row, histories.get(row.id) ?? []));
  const known = new Set(rows.map(({ id }) => id));
  for (const taskId of histories.keys()) {
    if (known.has(taskId)) continue;
    found.push({ check: 'orphan', subject: taskId, problem: 'has a history and no row' });
  }
  return found;
}

function checkRow(row: TaskRow, events: readonly EventRow[]): Violation[] {
  const subject = row.id;
  const { totals, problems } = walkEvents(events);
  const found: Violation[] = problems.map((problem) => ({ check: 'path', subject, problem }));
  const ended = totals.ends.length;
  if (row.finishedAtMs === null) {
    found.push({ check: 'open', subject, problem: `is ${row.state} when everything is settled` });
  } else if (ended !== 1) {
    const check = ended > 1 ? 'doubled' : 'path';
    found.push({ check, subject, problem: `has ended and has ${ended} terminal events` });
  } else if (totals.ends[0] !== row.state) {
    found.push({ check: 'path', subject, problem: `is ${row.state}, its event ${totals.ends[0]}` });
  }
  for (const name of ['attempt', 'failures'] as const) {
    if (row[name] === totals[name]) continue;
    const problem = `${name} is ${row[name]} in the row and ${totals[name]} in the history`;
    found.push({ check: 'path', subject, problem });
  }
  // A lease that was taken over from a worker that lives is no lost attempt (docs/decisions/0030).
  if (row.lost > totals.lost) {
    const problem = `lost is ${row.lost} in the row, and the history has ${totals.lost} leases that were or may be lost`;
    found.push({ check: 'path', subject, problem });
  }
  if (row.failures >= row.maxAttempts && row.failures > 0) {
    const problem = `was tried again after ${row.failures} failures of ${row.maxAttempts}`;
    found.push({ check: 'path', subject, problem });
  }
  const needsResult = row.state === 'finished';
  if (row.hasResult !== needsResult) {
    const problem = `is ${row.state} and has ${row.hasResult ? 'a' : 'no'} result`;
    found.push({ check: 'path', subject, problem });
  }
  if (totals.reason === 'TASK_ABANDONED' && row.lost + 1 < 5) {
    const problem = `was given up after ${row.lost + 1} workers`;
    found.push({ check: 'wrong', subject, problem });
  }
  return found;
}

/** What belongs to a task goes with it, and a task that was acknowledged is in the table. */
export function checkRows({ rows, tasks, orphans }: Evidence): Violation[] {
  const known = new Map(rows.map((row) => [row.id, row]));
  const found: Violation[] = orphans.map(({ table, taskId }) => ({
    check: 'orphan',
    subject: taskId,
    problem: `has something in ${table} and no row`,
  }));
  for (const { plan, taskId } of tasks) {
    const row = known.get(taskId);
    if (plan.kind === 'expiring' && row !== undefined) {
      found.push({
        check: 'orphan',
        subject: taskId,
        problem: 'its ttl is over and its row there',
      });
    }
    if (plan.kind !== 'expiring' && row === undefined) {
      found.push({ check: 'lost', subject: taskId, problem: 'has no row' });
    }
    if (row !== undefined && row.principal !== plan.principal) {
      const problem = `of principal ${plan.principal} belongs to ${row.principal}`;
      found.push({ check: 'foreign', subject: taskId, problem });
    }
  }
  return found;
}

/** A call with an idempotency key is one task, however often it was sent. */
export function checkIdempotency({ tasks, rows }: Evidence): Violation[] {
  const nameOf = (tool: string, value: number | null | undefined): string => `${tool} ${value}`;
  const sent = grouped(rows, ({ tool, value }) => nameOf(tool, value));
  return tasks.flatMap(({ plan, taskId }) => {
    if (plan.idempotencyKey === null) return [];
    const count = sent.get(nameOf(plan.tool, plan.arguments['value']))?.length ?? 0;
    if (count <= 1) return [];
    const problem = `was sent under an idempotency key and is ${count} tasks`;
    return [{ check: 'doubled', subject: taskId, problem }];
  });
}

/** The world was changed once by each step, and by all steps of a task that was completed. */
export function checkEffects({ tasks, effects }: Evidence): Violation[] {
  const found: Violation[] = [];
  for (const [taskId, names] of effects) {
    const steps = grouped(names, (name) => name.split('.')[0] ?? name);
    for (const [step, files] of steps) {
      if (files.length === 1) continue;
      const problem = `${step} was done ${files.length} times`;
      found.push({ check: 'doubled', subject: taskId, problem });
    }
  }
  for (const { plan, taskId, final } of tasks) {
    if (plan.kind !== 'effects' || final?.kind !== 'result' || final.isError) continue;
    const done = new Set((effects.get(taskId) ?? []).map((name) => name.split('.')[0]));
    const { steps = 0 } = plan.arguments;
    if (done.size === steps) continue;
    const problem = `did ${done.size} of ${steps} steps and completed`;
    found.push({ check: 'lost', subject: taskId, problem });
  }
  return found;
}

/** @returns the values of each key, in their order (Map.groupBy, which Node 20 lacks) */
function grouped<K, T>(values: Iterable<T>, keyOf: (value: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const value of values) {
    const group = groups.get(keyOf(value));
    if (group === undefined) groups.set(keyOf(value), [value]);
    else group.push(value);
  }
  return groups;
}
