import { expect, it } from '@jest/globals';
import { createTestDatabase } from '@longshore/testing/servers';
import { describeEventBus } from './support/describe-event-bus.ts';
import { describeJobQueue } from './support/describe-job-queue.ts';
import { describeScheduleWakes } from './support/describe-schedule-wakes.ts';
import { newTaskId, openAt, postgresRig } from './support/rig.ts';

describeJobQueue('Postgres', postgresRig);
describeEventBus('Postgres', postgresRig);
describeScheduleWakes('Postgres', postgresRig);

it('is prepared in Postgres by the first of those that start together', async () => {
  const { url: databaseUrl, drop } = await createTestDatabase({ empty: true });
  const all = [1, 2, 3].map(() => openAt({ redisUrl: null, databaseUrl }, 'first'));
  await Promise.all(all.map(({ jobs }) => jobs.start()));
  const taskId = newTaskId();
  for (const { jobs } of all) await jobs.add('work', [taskId]);
  expect(await all[0]?.jobs.waitingCount('work')).toBe(1);
  await Promise.all(all.map(({ jobs }) => jobs.stop()));
  await drop();
});
