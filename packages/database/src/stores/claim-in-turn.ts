import type { Claim, ClaimOutcome, TaskId } from '@longshore/core';
import type { PoolRunner } from '../connection/pool-runner.ts';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { slotLimits } from '../rows/slot-key.ts';
import { type ClaimRequest, claimTasks } from '../statements/claim-tasks.ts';
import { countSlots } from '../statements/count-slots.ts';
import { type ClaimWait, findClaimWaits } from '../statements/find-claim-waits.ts';
import { lockSlots } from '../statements/lock-slots.ts';
import { takeSlots } from '../statements/take-slots.ts';

/**
 * Claims what can be claimed. Tasks without limits take one statement. A second one tells the losers why, and
 * those that may run only as one of a number are claimed in a transaction, one after the other for each
 * limit over the whole fleet: what it counts can not change before it is through.
 *
 * @returns in the order of `requests`
 */
export async function claimInTurn(
  runner: PoolRunner,
  requests: readonly ClaimRequest[],
): Promise<ClaimOutcome[]> {
  const claimed = byTask(await claimTasks(runner, requests, 'unlimited'));
  const losers = requests.filter(({ id }) => !claimed.has(id));
  const waits: ReadonlyMap<TaskId, ClaimWait> =
    losers.length === 0
      ? new Map()
      : await findClaimWaits(
          runner,
          losers.map(({ id }) => id),
        );
  const limited = losers.filter(({ id }) => isHeldBack(waits.get(id)));
  const late =
    limited.length === 0
      ? null
      : await runner.transaction('claim-limited-tasks', (on) => claimLimited(on, limited, waits));
  return requests.map(({ id }): ClaimOutcome => {
    const claim = claimed.get(id) ?? late?.claimed.get(id);
    if (claim !== undefined) return { kind: 'claimed', claim };
    if (late?.refused.has(id) === true) return { kind: 'no_slot' };
    const wait = waits.get(id);
    if (wait === undefined) return { kind: 'gone' };
    return { kind: 'not_yet', retryInMs: Math.max(1, wait.retry_in_ms) };
  });
}

/** Free, and with limits: only these have kept it from being claimed. */
function isHeldBack(wait: ClaimWait | undefined): boolean {
  return wait !== undefined && wait.retry_in_ms === 0 && slotLimits(wait).length > 0;
}

async function claimLimited(
  runner: SqlRunner,
  requests: readonly ClaimRequest[],
  waits: ReadonlyMap<TaskId, ClaimWait>,
): Promise<{ claimed: ReadonlyMap<TaskId, Claim>; refused: ReadonlySet<TaskId> }> {
  const limitsOf = (id: TaskId) => {
    const wait = waits.get(id);
    return wait === undefined ? [] : slotLimits(wait);
  };
  const keys = new Set(requests.flatMap(({ id }) => limitsOf(id).map(({ key }) => key)));
  await lockSlots(runner, [...keys]);
  const taken = new Map(await countSlots(runner, [...keys]));
  const refused = new Set<TaskId>();
  const chosen = requests.filter(({ id }) => {
    const limits = limitsOf(id);
    const fits = limits.every(({ key, limit }) => (taken.get(key) ?? 0) < limit);
    if (!fits) refused.add(id);
    else for (const { key } of limits) taken.set(key, (taken.get(key) ?? 0) + 1);
    return fits;
  });
  if (chosen.length === 0) return { claimed: new Map(), refused };
  const claimed = byTask(await claimTasks(runner, chosen, 'any'));
  const slots = [...claimed.values()].flatMap(({ taskId, attempt }) =>
    limitsOf(taskId).map(({ key }) => ({ key, taskId, attempt })),
  );
  if (slots.length > 0) await takeSlots(runner, slots);
  return { claimed, refused };
}

const byTask = (claims: readonly Claim[]): Map<TaskId, Claim> =>
  new Map(claims.map((claim) => [claim.taskId, claim]));
