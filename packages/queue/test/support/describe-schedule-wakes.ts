import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ScheduleId, ScheduleWake, ScheduleWakes, WakeAnswer } from '@longshore/core';
import { waitFor } from '@longshore/testing';
import type { Rig } from './rig.ts';

const DONE: WakeAnswer = { kind: 'done' };

/** With a field for seconds, which the server's own clients can not say. */
const everySecond = (): ScheduleWake => ({
  id: randomUUID() as string as ScheduleId,
  cron: '* * * * * *',
  runAt: null,
  timeZone: 'UTC',
});

const onceIn = (ms: number): ScheduleWake => ({
  ...everySecond(),
  cron: null,
  runAt: new Date(Date.now() + ms),
});

/** What wakes schedules, on whatever servers. */
export function describeScheduleWakes(name: string, makeRig: () => Promise<Rig>): void {
  describe(`${name}: wakes of schedules`, () => {
    let rig: Rig;
    let opened: ScheduleWakes[];
    let woken: ScheduleId[];

    beforeEach(async () => {
      rig = await makeRig();
      opened = [];
      woken = [];
    });
    afterEach(async () => {
      await Promise.all(opened.map((wakes) => wakes.stop()));
      await rig.drop();
    });

    /** A process of its own. */
    const open = async (answer: () => WakeAnswer = () => DONE): Promise<ScheduleWakes> => {
      const { jobs, createScheduleWakes } = rig.open();
      await jobs.start();
      const wakes = createScheduleWakes(async (id) => {
        woken.push(id);
        return answer();
      });
      opened.push(wakes);
      await wakes.start();
      return wakes;
    };

    const wokenBy = ({ id }: ScheduleWake): number => woken.filter((one) => one === id).length;

    it('come again and again by cron, to one of the processes, until disarmed', async () => {
      const [first, second] = [await open(), await open()];
      const schedule = everySecond();
      await first.arm(schedule);
      await second.arm(schedule);
      const start = Date.now();
      await waitFor(() => wokenBy(schedule) >= 3, { what: 'three wakes' });
      // Once a second and no more, though it was armed twice and two listen.
      expect(wokenBy(schedule)).toBeLessThanOrEqual(2 + (Date.now() - start) / 1_000);
      await second.disarm(schedule.id);
      expect(await first.lost([schedule])).toEqual(new Set([schedule.id]));
    });

    it('come once for what runs once, when its time has come', async () => {
      const wakes = await open();
      const [schedule, later] = [onceIn(300), onceIn(3_600_000)];
      for (const one of [schedule, later, schedule]) await wakes.arm(one);
      expect(await wakes.lost([schedule, later])).toEqual(new Set());
      await waitFor(() => wokenBy(schedule) > 0, { what: 'the wake' });
      expect(Date.now()).toBeGreaterThanOrEqual(schedule.runAt?.getTime() ?? 0);
      await waitFor(async () => (await wakes.lost([schedule])).size === 1, { what: 'it is over' });
      expect([wokenBy(schedule), wokenBy(later)]).toEqual([1, 0]);
      await wakes.disarm(later.id);
      expect((await wakes.lost([later])).size).toBe(1);
    });

    it('come again for one that was early', async () => {
      const wakes = await open(() =>
        woken.length === 1 ? { kind: 'early', againInMs: 50 } : DONE,
      );
      const schedule = onceIn(1);
      await wakes.arm(schedule);
      await waitFor(() => wokenBy(schedule) === 2, { what: 'the second wake' });
    });

    it('stop for a schedule that is gone', async () => {
      const wakes = await open(() => ({ kind: 'gone' }));
      const schedule = everySecond();
      await wakes.arm(schedule);
      await waitFor(
        async () => wokenBy(schedule) > 0 && (await wakes.lost([schedule])).size === 1,
        { what: 'it is disarmed' },
      );
    });

    it('are known to be lost when the server has forgotten everything, and come once armed again', async () => {
      const wakes = await open();
      const schedules = [everySecond(), onceIn(3_600_000)];
      for (const schedule of schedules) await wakes.arm(schedule);
      expect(await wakes.lost(schedules)).toEqual(new Set());
      await rig.forgetJobs();
      expect(await wakes.lost(schedules)).toEqual(new Set(schedules.map(({ id }) => id)));
      const [cron = everySecond()] = schedules;
      await wakes.arm(cron);
      const before = wokenBy(cron);
      await waitFor(() => wokenBy(cron) > before, { what: 'a wake after the loss' });
    });
  });
}
