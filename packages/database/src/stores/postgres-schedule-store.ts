import type {
  AddedSchedule,
  NewSchedule,
  PrincipalId,
  Schedule,
  ScheduleFiring,
  ScheduleId,
  ScheduleListPosition,
  SchedulePlace,
  ScheduleStore,
  WakingSchedule,
} from '@longshore/core';
import * as z from 'zod';
import type { PoolRunner } from '../connection/pool-runner.ts';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { isUuid } from '../rows/is-uuid.ts';
import { toNewTaskRow } from '../rows/new-task-row.ts';
import { SCHEDULE_COLUMNS, ScheduleRow } from '../rows/schedule-row.ts';
import { storableText } from '../rows/storable-text.ts';
import { acceptTasks } from '../statements/accept-tasks.ts';
import { advanceSchedule } from '../statements/advance-schedule.ts';
import { deleteEndedSchedules } from '../statements/delete-ended-schedules.ts';
import { findWakingSchedules } from '../statements/find-waking-schedules.ts';
import { lockSchedules } from '../statements/lock-schedules.ts';

const Id = z.object({ id: z.string() });
const Count = z.object({ count: z.number() });

export class PostgresScheduleStore implements ScheduleStore {
  readonly #runner: PoolRunner;

  constructor(runner: PoolRunner) {
    this.#runner = runner;
  }

  async now(): Promise<Date> {
    return this.#runner.now();
  }

  async add(schedule: NewSchedule, limit: number): Promise<AddedSchedule> {
    const { principalId: owner, name } = schedule;
    return this.#runner.transaction('add-schedule', async (runner) => {
      await lockSchedules(runner, owner);
      const same = name === null ? null : await findSchedule(runner, owner, name);
      if (same !== null) return { kind: 'name_taken', schedule: same };
      if (limit > 0 && (await countSchedules(runner, owner)) >= limit) return { kind: 'too_many' };
      return { kind: (await addSchedule(runner, schedule)) ? 'added' : 'past' };
    });
  }

  async list(
    owner: PrincipalId,
    limit: number,
    after: ScheduleListPosition | null,
  ): Promise<readonly Schedule[]> {
    // Within the place of the page before: so the index that is in this order is entered there.
    const from: Prisma.ScheduleWhereInput =
      after === null
        ? {}
        : {
            createdAt: { lte: after.createdAt },
            OR: [{ createdAt: { lt: after.createdAt } }, { id: { lt: after.id } }],
          };
    const found = await this.#runner.ask('list-schedules', (prisma) =>
      prisma.schedule.findMany({
        where: { principalId: owner, ...from },
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
        take: limit,
      }),
    );
    return found.map((row) => ScheduleRow.parse(row));
  }

  /** What it has started goes on. */
  async remove(owner: PrincipalId, key: string): Promise<Schedule | null> {
    const named = isUuid(key) ? { id: key } : { name: key, state: { not: 'ended' } };
    const found = await this.#runner.ask('find-schedule', (prisma) =>
      prisma.schedule.findFirst({ where: { principalId: owner, ...named } }),
    );
    if (found === null) return null;
    // Of two at once the second deletes nothing.
    const removed = await this.#runner.ask('remove-schedule', (prisma) =>
      prisma.schedule.deleteMany({ where: { principalId: owner, id: found.id } }),
    );
    return removed.count === 0 ? null : ScheduleRow.parse(found);
  }

  async waking(id: ScheduleId): Promise<WakingSchedule | null> {
    const [schedule] = await findWakingSchedules(this.#runner, { id });
    return schedule ?? null;
  }

  async wakingWithin(withinMs: number, limit: number): Promise<readonly WakingSchedule[]> {
    return findWakingSchedules(this.#runner, { withinMs, limit });
  }

  /** The row is advanced first: whoever else wants to waits for it, and then finds that it has moved. */
  async fire(place: SchedulePlace, firing: ScheduleFiring): Promise<boolean> {
    const { run, note } = firing;
    return this.#runner.transaction('fire-schedule', async (runner) => {
      const stored = { ...firing, note: note === null ? null : storableText(note) };
      if (!(await advanceSchedule(runner, place, stored))) return false;
      if (run !== null) await acceptTasks(runner, [toNewTaskRow(run.task)]);
      return true;
    });
  }

  async postpone(place: SchedulePlace, delayMs: number, note: string): Promise<boolean> {
    const now = await this.#runner.now();
    return this.#change('postpone-schedule', place, {
      wakeAt: new Date(now.getTime() + delayMs),
      note: storableText(note),
      updatedAt: now,
    });
  }

  async pause(place: SchedulePlace, note: string): Promise<boolean> {
    return this.#change('pause-schedule', place, {
      state: 'paused',
      nextRunAt: null,
      wakeAt: null,
      note: storableText(note),
      updatedAt: await this.#runner.now(),
    });
  }

  /** @returns false when the schedule is not where it was seen */
  async #change(
    name: string,
    { id, principalId, nextRunAt }: SchedulePlace,
    data: Prisma.ScheduleUpdateManyMutationInput,
  ): Promise<boolean> {
    const changed = await this.#runner.ask(name, (prisma) =>
      prisma.schedule.updateMany({ where: { id, principalId, nextRunAt }, data }),
    );
    return changed.count > 0;
  }

  async deleteEnded(ageMs: number, limit: number): Promise<number> {
    return deleteEndedSchedules(this.#runner, ageMs, limit);
  }
}

/*
 * Under the principal's lock (lockSchedules), so that what one of them finds the next one can build on.
 */

/** Index: schedules_principal_id_name_key. */
async function findSchedule(
  runner: SqlRunner,
  owner: PrincipalId,
  name: string,
): Promise<Schedule | null> {
  const [found] = await runner.run({
    name: 'find-schedule',
    row: ScheduleRow,
    sql: Prisma.sql`
      SELECT ${SCHEDULE_COLUMNS} FROM schedules AS s
      WHERE s.principal_id = ${owner}::uuid AND s.name = ${name}::text AND s.state <> 'ended'`,
  });
  return found ?? null;
}

/** Those that have not ended. Index: schedules_owner_newest_idx, all entries of the principal, which are about as many. */
async function countSchedules(runner: SqlRunner, owner: PrincipalId): Promise<number> {
  const [row] = await runner.run({
    name: 'count-schedules',
    row: Count,
    sql: Prisma.sql`
      SELECT count(*)::int AS count FROM schedules
      WHERE principal_id = ${owner}::uuid AND state <> 'ended'`,
  });
  return row?.count ?? 0;
}

/** Shares the principal's row (foreign key). @returns false when its first time is over */
async function addSchedule(runner: SqlRunner, schedule: NewSchedule): Promise<boolean> {
  const rows = await runner.run({
    name: 'add-schedule',
    row: Id,
    sql: Prisma.sql`
      INSERT INTO schedules (
        id, principal_id, auth_binding_id, name, tool_name, arguments, cron, run_at, time_zone, missed,
        overlap, ttl_ms, next_run_at, wake_at
      )
      SELECT ${schedule.id}::uuid, ${schedule.principalId}::uuid, ${schedule.authBindingId}::uuid,
        ${schedule.name}::text, ${schedule.toolName}::text, ${JSON.stringify(schedule.arguments)}::json,
        ${schedule.cron}::text, ${schedule.runAt}::timestamptz, ${schedule.timeZone}::text,
        ${schedule.missed}::text, ${schedule.overlap}::text, ${schedule.ttlMs}::float8::bigint,
        ${schedule.nextRunAt}::timestamptz, ${schedule.nextRunAt}::timestamptz
      WHERE ${schedule.nextRunAt}::timestamptz > now()
      RETURNING id`,
  });
  return rows.length > 0;
}
