import { near } from './near.ts';
import { type CheckedOffer, countFindings, type PluginReport } from './plugin-report.ts';

/**
 * What `plugin check` says, line by line.
 *
 * @param word what the user called the plugin
 */
export function describeReport(
  report: PluginReport,
  word: string,
  currentDirectory: string,
): string[] {
  const { name, version, entry } = report;
  const title = name === null ? word : `${name} ${version}`;
  const where = entry === null ? '' : ` (${near(entry, currentDirectory)})`;
  const { errors, warnings } = countFindings(report);
  return [
    `${title}${where}`,
    ...describeProblem(report, currentDirectory),
    ...report.offers.flatMap(describeOffer),
    `${counted(errors, 'error')}, ${counted(warnings, 'warning')}`,
  ];
}

/** Why the plugin can not be loaded, and where; nothing when it can. */
export function describeProblem({ problem }: PluginReport, currentDirectory: string): string[] {
  if (problem === null) return [];
  const { message, place } = problem;
  const text = message.trim().replaceAll(/\s*\n\s*/g, ' ');
  if (place === null) return [`ERROR   ${text}`];
  const spot = `${near(place.file, currentDirectory)}:${place.line}:${place.column}`;
  return [`ERROR   ${spot}`, `        ${text}`];
}

/** What is new, other or gone in what a plugin offers, in words; as clients see it, so code alone is no change. */
export function describeChanges(
  before: readonly CheckedOffer[],
  now: readonly CheckedOffer[],
): string {
  const key = ({ kind, name }: CheckedOffer): string => `${kind} ${name}`;
  const old = new Map(before.map((offer) => [key(offer), offer]));
  const current = new Set(now.map(key));
  const changes = [
    ...now.flatMap((offer) => {
      const known = old.get(key(offer));
      if (known === undefined) return [`new ${key(offer)}`];
      return known.digest === offer.digest ? [] : [`changed ${key(offer)}`];
    }),
    ...before.filter((offer) => !current.has(key(offer))).map((offer) => `gone ${key(offer)}`),
  ];
  return changes.length === 0 ? 'the same tools with new code' : changes.join(', ');
}

function describeOffer({ kind, name, findings }: CheckedOffer): string[] {
  const isBad = findings.some(({ level }) => level === 'error');
  const mark = isBad ? 'ERROR  ' : findings.length > 0 ? 'warning' : 'ok     ';
  return [`${mark} ${kind} ${name}`, ...findings.map(({ message }) => `        ${message}`)];
}

function counted(count: number, what: string): string {
  return `${count === 0 ? 'no' : count} ${what}${count === 1 ? '' : 's'}`;
}
