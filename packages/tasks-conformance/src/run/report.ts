import type { Level } from '../manifest/requirement.ts';
import { type RequirementId, requirementOf } from '../manifest/requirements.ts';
import type { Observation } from './run-check.ts';

/** `warning`: a SHOULD that is not kept. */
export type Status = 'passed' | 'failed' | 'warning' | 'skipped';

/** What became of one check. */
export interface CheckResult {
  readonly check: string;
  /** The requirement that was found kept or broken; of a skipped check the one it verifies. */
  readonly requirement: RequirementId;
  readonly level: Level;
  readonly section: string;
  readonly sentence: string;
  readonly status: Status;
  /** Why; null when it passed. */
  readonly message: string | null;
  readonly durationMs: number;
}

/** Everything a run found. */
export interface Report {
  readonly url: string;
  readonly server: { readonly name: string; readonly version: string };
  /** The revision that was negotiated. */
  readonly protocolVersion: string;
  readonly durationMs: number;
  /** Whether no check failed. */
  readonly passed: boolean;
  readonly counts: Readonly<Record<Status, number>>;
  readonly results: readonly CheckResult[];
}

export interface Judgement {
  /** A SHOULD that is not kept fails. */
  readonly strict: boolean;
  /** A check that could not be done fails. */
  readonly requireAll: boolean;
}

/**
 * Turns observations into results. A check that stumbles over a requirement that is not its own is skipped
 * when the check of that requirement has seen it broken: one fault is one failure, not a dozen.
 */
export function judge(observations: readonly Observation[], how: Judgement): CheckResult[] {
  const broken = new Set(
    observations.flatMap(({ check, seen }) =>
      seen.kind === 'broken' && isOwn(seen.requirement, check.verifies) ? check.verifies : [],
    ),
  );
  return observations.map(({ check, seen, durationMs }) => {
    const result = (id: RequirementId, status: Status, message: string | null): CheckResult => {
      const { level, section, sentence } = requirementOf(id);
      const base = { check: check.id, requirement: id, level, section, sentence };
      return { ...base, status, message, durationMs };
    };
    const skipped = how.requireAll ? 'failed' : 'skipped';
    if (seen.kind === 'kept') return result(check.verifies, 'passed', null);
    if (seen.kind === 'skipped') return result(check.verifies, skipped, seen.reason);
    const id = seen.requirement ?? check.verifies;
    if (!isOwn(id, check.verifies) && broken.has(id)) {
      return result(check.verifies, skipped, `needs ${id}: ${seen.message}`);
    }
    const isWarning = requirementOf(id).level !== 'MUST' && !how.strict;
    return result(id, isWarning ? 'warning' : 'failed', seen.message);
  });
}

function isOwn(requirement: RequirementId | null, own: RequirementId): boolean {
  return requirement === null || requirement === own;
}

export function countStatuses(results: readonly CheckResult[]): Record<Status, number> {
  const counts: Record<Status, number> = { passed: 0, failed: 0, warning: 0, skipped: 0 };
  for (const { status } of results) counts[status] += 1;
  return counts;
}
