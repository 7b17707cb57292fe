import type { Evidence, Violation } from './evidence.ts';
import { checkEffects, checkHistories, checkIdempotency, checkRows } from './history-checks.ts';
import { checkProcesses, checkRedisKeys, checkStrangers, checkUsage } from './leak-checks.ts';
import {
  checkAllHeard,
  checkCancellations,
  checkEndsStay,
  checkNoneLost,
  checkResults,
} from './outcome-checks.ts';

const CHECKS: readonly ((evidence: Evidence) => Violation[])[] = [
  checkNoneLost,
  checkAllHeard,
  checkResults,
  checkEndsStay,
  checkCancellations,
  checkHistories,
  checkRows,
  checkIdempotency,
  checkEffects,
  checkRedisKeys,
  checkUsage,
  checkStrangers,
  checkProcesses,
];

/** @returns everything that must not be, in the order of the checks */
export function check(evidence: Evidence): Violation[] {
  return CHECKS.flatMap((one) => one(evidence));
}
