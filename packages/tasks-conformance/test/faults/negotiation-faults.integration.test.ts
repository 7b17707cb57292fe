import { describeFaults } from '../support/describe-faults.ts';
import { NEGOTIATION_FAULTS } from './negotiation-faults.ts';

describeFaults(NEGOTIATION_FAULTS);
