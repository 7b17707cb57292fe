import { describeFaults } from '../support/describe-faults.ts';
import { LIFE_FAULTS } from './life-faults.ts';

describeFaults(LIFE_FAULTS);
