import { describeFaults } from '../support/describe-faults.ts';
import { RESULT_FAULTS } from './result-faults.ts';

describeFaults(RESULT_FAULTS);
