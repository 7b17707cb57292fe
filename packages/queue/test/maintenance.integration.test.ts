import { describeWithRedis } from '@longshore/testing';
import { describeMaintenance } from './support/describe-maintenance.ts';
import { postgresRig, redisRig } from './support/rig.ts';

describeMaintenance('Postgres', postgresRig);
describeWithRedis('on Redis', () => {
  describeMaintenance('Redis', redisRig);
});
