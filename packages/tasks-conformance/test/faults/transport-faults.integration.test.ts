import { describeFaults } from '../support/describe-faults.ts';
import { TRANSPORT_FAULTS } from './transport-faults.ts';

describeFaults(TRANSPORT_FAULTS);
