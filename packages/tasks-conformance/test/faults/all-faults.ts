import { CREATION_FAULTS } from './creation-faults.ts';
import type { Fault } from './fault.ts';
import { INPUT_FAULTS } from './input-faults.ts';
import { LIFE_FAULTS } from './life-faults.ts';
import { MESSAGE_FAULTS } from './message-faults.ts';
import { NEGOTIATION_FAULTS } from './negotiation-faults.ts';
import { RESULT_FAULTS } from './result-faults.ts';
import { TRANSPORT_FAULTS } from './transport-faults.ts';

export const ALL_FAULTS: readonly Fault[] = [
  ...NEGOTIATION_FAULTS,
  ...CREATION_FAULTS,
  ...LIFE_FAULTS,
  ...RESULT_FAULTS,
  ...MESSAGE_FAULTS,
  ...INPUT_FAULTS,
  ...TRANSPORT_FAULTS,
];
