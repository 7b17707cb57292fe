import { describeWithRedis } from '@longshore/testing';
import { describeOutage } from './support/describe-outage.ts';
import { redisRig } from './support/rig.ts';

describeWithRedis('on Redis', () => {
  describeOutage('Redis', redisRig);
});
