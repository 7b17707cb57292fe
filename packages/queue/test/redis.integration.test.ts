import { describeWithRedis } from '@longshore/testing';
import { describeEventBus } from './support/describe-event-bus.ts';
import { describeJobQueue } from './support/describe-job-queue.ts';
import { describeScheduleWakes } from './support/describe-schedule-wakes.ts';
import { redisRig } from './support/rig.ts';

describeWithRedis('on Redis', () => {
  describeJobQueue('Redis', redisRig);
  describeEventBus('Redis', redisRig);
  describeScheduleWakes('Redis', redisRig);
});
