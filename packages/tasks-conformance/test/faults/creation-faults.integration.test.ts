import { describeFaults } from '../support/describe-faults.ts';
import { CREATION_FAULTS } from './creation-faults.ts';

describeFaults(CREATION_FAULTS);
