import { describeOutage } from './support/describe-outage.ts';
import { postgresRig } from './support/rig.ts';

describeOutage('Postgres', postgresRig);
