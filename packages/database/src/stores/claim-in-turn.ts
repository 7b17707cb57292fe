import type { Claim, ClaimOutcome, TaskId } from '@longshore/core';
import type { PoolRunner } from '../connection/pool-runner.ts';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { type DatabaseGroup, groupForDatabase } from '../grouping/group-for-database.ts';
import { type SlotLimit, slotLimits } from '../rows/slot-key.ts';
import { type ClaimRequest, claimTasks } from '../statements/claim-tasks.ts';
import { countSlots } from '../statements/count-slots.ts';
import { type ClaimWait, findClaimWaits } from '../statements/find-claim-waits.ts';
import { lockSlots } from '../statements/lock-slots.ts';
import { takeSlots } from '../statements/take-slots.ts';

/** A claim of a task that may run only as one of a number. */
interface LimitedClaim extends ClaimRequest {
  readonly limits: readonly SlotLimit[];
}

/**
 * Claims what can be claimed. Tasks without limits take one statement. A second one tells the losers why, and
 * those that may run only as one of a number are claimed in a transaction, one after the other for each
 * limit over the whole fleet: what it counts can not change before it is through.
 *
 * Each of the three is a group of its own, so that a group commits all of its claims or none, and whoever was claimed
 * neither waits for limits of others nor fails with them.
 */
export class ClaimInTurn {
  readonly #unlimited: DatabaseGroup<ClaimRequest, Claim | null>;
  readonly #waits: DatabaseGroup<TaskId, ClaimWait | null>;
  readonly #limited: DatabaseGroup<LimitedClaim, Claim | 'refused' | null>;

  constructor(runner: PoolRunner) {
    this.#unlimited = groupForDatabase({
      name: 'claiming tasks',
      keyOf: ({ id }) => id,
      weightOf: () => 1,
      run: async (requests) => {
        const claimed = byTask(await claimTasks(runner, requests, 'unlimited'));
        return requests.map(({ id }) => claimed.get(id) ?? null);
      },
    });
    this.#waits = groupForDatabase({
      name: 'looking at tasks that were not claimed',
      keyOf: null,
      weightOf: () => 1,
      run: async (ids) => {
        const waits = await findClaimWaits(runner, ids);
        return ids.map((id) => waits.get(id) ?? null);
      },
    });
    this.#limited = groupForDatabase({
      name: 'claiming tasks with limits',
      keyOf: ({ id }) => id,
      weightOf: () => 1,
      run: (requests) =>
        runner.transaction('claim-limited-tasks', (on) => claimLimited(on, requests)),
    });
  }

  async claim(request: ClaimRequest): Promise<ClaimOutcome> {
    const claim = await this.#unlimited.call(request);
    if (claim !== null) return { kind: 'claimed', claim };
    const wait = await this.#waits.call(request.id);
    if (wait === null) return { kind: 'gone' };
    if (wait.retry_in_ms === 0 && request.pausedTools?.includes(wait.tool_name) === true)
      return { kind: 'no_slot' };
    const limits = slotLimits(wait);
    // Free, and with limits: only these have kept it from being claimed.
    if (wait.retry_in_ms === 0 && limits.length > 0) {
      const late = await this.#limited.call({ ...request, limits });
      if (late === 'refused') return { kind: 'no_slot' };
      if (late !== null) return { kind: 'claimed', claim: late };
    }
    return { kind: 'not_yet', retryInMs: Math.max(1, wait.retry_in_ms) };
  }

  /** Fails the calls that wait for a group, and waits for the groups under way. */
  async close(): Promise<void> {
    await Promise.all([this.#unlimited.close(), this.#waits.close(), this.#limited.close()]);
  }
}

/** @returns in the order of `requests`; null: somebody else has it */
async function claimLimited(
  runner: SqlRunner,
  requests: readonly LimitedClaim[],
): Promise<(Claim | 'refused' | null)[]> {
  const keys = new Set(requests.flatMap(({ limits }) => limits.map(({ key }) => key)));
  await lockSlots(runner, [...keys]);
  const taken = new Map(await countSlots(runner, [...keys]));
  const chosen = requests.filter(({ limits }) => {
    const fits = limits.every(({ key, limit }) => (taken.get(key) ?? 0) < limit);
    if (fits) for (const { key } of limits) taken.set(key, (taken.get(key) ?? 0) + 1);
    return fits;
  });
  const claims = chosen.length === 0 ? [] : await claimTasks(runner, chosen, 'any');
  const claimed = byTask(claims);
  const slots = chosen.flatMap(({ id, limits }) => {
    const attempt = claimed.get(id)?.attempt;
    return attempt === undefined ? [] : limits.map(({ key }) => ({ key, taskId: id, attempt }));
  });
  if (slots.length > 0) await takeSlots(runner, slots);
  return requests.map((request) =>
    chosen.includes(request) ? (claimed.get(request.id) ?? null) : 'refused',
  );
}

const byTask = (claims: readonly Claim[]): Map<TaskId, Claim> =>
  new Map(claims.map((claim) => [claim.taskId, claim]));
