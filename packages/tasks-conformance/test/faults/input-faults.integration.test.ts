import { describeFaults } from '../support/describe-faults.ts';
import { INPUT_FAULTS } from './input-faults.ts';

describeFaults(INPUT_FAULTS);
