import type { Check } from '../scene/check.ts';
import { CANCEL_CHECKS } from './cancel-checks.ts';
import { CREATION_CHECKS } from './creation-checks.ts';
import { IDENTITY_CHECKS } from './identity-checks.ts';
import { INPUT_CHECKS } from './input-checks.ts';
import { LIFE_CHECKS } from './life-checks.ts';
import { LIST_CHECKS } from './list-checks.ts';
import { MESSAGE_CHECKS } from './message-checks.ts';
import { NEGOTIATION_CHECKS } from './negotiation-checks.ts';
import { QUESTION_CHECKS } from './question-checks.ts';
import { READING_CHECKS } from './reading-checks.ts';
import { RESULT_CHECKS } from './result-checks.ts';
import { SECURITY_CHECKS } from './security-checks.ts';
import { TASK_OBJECT_CHECKS } from './task-object-checks.ts';
import { TRANSPORT_CHECKS } from './transport-checks.ts';

export const ALL_CHECKS: readonly Check[] = [
  ...NEGOTIATION_CHECKS,
  ...CREATION_CHECKS,
  ...IDENTITY_CHECKS,
  ...TASK_OBJECT_CHECKS,
  ...LIFE_CHECKS,
  ...READING_CHECKS,
  ...LIST_CHECKS,
  ...RESULT_CHECKS,
  ...CANCEL_CHECKS,
  ...MESSAGE_CHECKS,
  ...INPUT_CHECKS,
  ...QUESTION_CHECKS,
  ...TRANSPORT_CHECKS,
  ...SECURITY_CHECKS,
];
