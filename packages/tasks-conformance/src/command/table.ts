import { ALL_CHECKS } from '../checks/all-checks.ts';
import type { Requirement } from '../manifest/requirement.ts';
import { REQUIREMENTS } from '../manifest/requirements.ts';
import type { CheckResult, Report, Status } from '../run/report.ts';

const WORDS: Readonly<Record<Status, string>> = {
  passed: 'pass',
  failed: 'FAIL',
  warning: 'WARN',
  skipped: 'skip',
};

/** A line for each check; of those that did not pass, also why. */
export function reportTable(report: Report): string {
  const { server, counts } = report;
  const width = Math.max(0, ...report.results.map(({ check }) => check.length));
  const lines = report.results.flatMap((result) => {
    const line = `${WORDS[result.status]}  ${result.level.padEnd(6)}  ${result.check.padEnd(width)}`;
    if (result.status === 'passed') return [line.trimEnd()];
    if (result.status === 'skipped') return [`${line}  ${result.message}`];
    return [line.trimEnd(), ...explain(result)];
  });
  return [
    `${server.name} ${server.version} at ${report.url}, revision ${report.protocolVersion}`,
    '',
    ...lines,
    '',
    `${counts.passed} passed, ${counts.failed} failed, ${counts.warning} warnings, ${counts.skipped} skipped in ${(report.durationMs / 1_000).toFixed(1)} s`,
    '',
  ].join('\n');
}

function explain(result: CheckResult): string[] {
  const { section, sentence, requirement, message } = result;
  return [`        ${message}`, `        ${requirement} (2025-11-25 ${section}): ${sentence}`];
}

/** A requirement and how it is checked. */
export interface ListedRequirement extends Requirement {
  readonly checks: readonly string[];
}

export function listRequirements(): ListedRequirement[] {
  return REQUIREMENTS.map((requirement) => ({
    ...requirement,
    checks: ALL_CHECKS.filter(({ verifies }) => verifies === requirement.id).map(({ id }) => id),
  }));
}

export function requirementTable(): string {
  const listed = listRequirements();
  const lines = listed.flatMap(({ id, level, section, sentence, checks, reason }) => [
    `${level.padEnd(6)}  ${id}  (${section})`,
    `        ${sentence}`,
    reason === undefined
      ? `        checks: ${checks.join(', ')}`
      : `        not checked: ${reason}`,
  ]);
  const checked = listed.filter(({ checkable }) => checkable).length;
  return [
    ...lines,
    '',
    `${listed.length} requirements, ${checked} of them checked by ${ALL_CHECKS.length} checks`,
    '',
  ].join('\n');
}
