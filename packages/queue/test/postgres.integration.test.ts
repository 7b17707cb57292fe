import { describeEventBus } from './support/describe-event-bus.ts';
import { describeJobQueue } from './support/describe-job-queue.ts';
import { describeScheduleWakes } from './support/describe-schedule-wakes.ts';
import { postgresRig } from './support/rig.ts';

describeJobQueue('Postgres', postgresRig);
describeEventBus('Postgres', postgresRig);
describeScheduleWakes('Postgres', postgresRig);
