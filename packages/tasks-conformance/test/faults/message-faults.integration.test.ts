import { describeFaults } from '../support/describe-faults.ts';
import { MESSAGE_FAULTS } from './message-faults.ts';

describeFaults(MESSAGE_FAULTS);
