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
import type { PoolRunner } from '../connection/pool-runner.ts';
import { toNewTaskRow } from '../rows/new-task-row.ts';
import { storableText } from '../rows/storable-text.ts';
import { acceptTasks } from '../statements/accept-tasks.ts';
import { addSchedule } from '../statements/add-schedule.ts';
import { advanceSchedule } from '../statements/advance-schedule.ts';
import { countSchedules } from '../statements/count-schedules.ts';
import { deleteEndedSchedules } from '../statements/delete-ended-schedules.ts';
import { findSchedule } from '../statements/find-schedule.ts';
import { findWakingSchedules } from '../statements/find-waking-schedules.ts';
import { listSchedules } from '../statements/list-schedules.ts';
import { lockSchedules } from '../statements/lock-schedules.ts';
import { pauseSchedule } from '../statements/pause-schedule.ts';
import { postponeSchedule } from '../statements/postpone-schedule.ts';
import { readClock } from '../statements/read-clock.ts';
import { removeSchedule } from '../statements/remove-schedule.ts';

export class PostgresScheduleStore implements ScheduleStore {
  readonly #runner: PoolRunner;

  constructor(runner: PoolRunner) {
    this.#runner = runner;
  }

  async now(): Promise<Date> {
    return readClock(this.#runner);
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
    return listSchedules(this.#runner, owner, limit, after);
  }

  async remove(owner: PrincipalId, key: string): Promise<Schedule | null> {
    return removeSchedule(this.#runner, owner, key);
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
    return postponeSchedule(this.#runner, place, delayMs, storableText(note));
  }

  async pause(place: SchedulePlace, note: string): Promise<boolean> {
    return pauseSchedule(this.#runner, place, storableText(note));
  }

  async deleteEnded(ageMs: number, limit: number): Promise<number> {
    return deleteEndedSchedules(this.#runner, ageMs, limit);
  }
}
