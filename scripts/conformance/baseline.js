// What is known not to pass, each entry with its reason: scripts/conformance/baseline.json.
import { readFileSync } from 'node:fs';
import path from 'node:path';

/** The committed excuses, one for each run. */
export function readBaseline() {
  const file = path.join(import.meta.dirname, 'baseline.json');
  return JSON.parse(readFileSync(file, 'utf8')).flatMap(({ runs, ...excuse }) =>
    runs.map((run) => ({ run, ...excuse })),
  );
}

/**
 * @param results of all runs
 * @param excuses as `readBaseline` returns them
 * @returns checks that did not pass, with the reason that excuses them or without, and excuses that are not
 *   needed any more
 */
export function compareWithBaseline(results, excuses) {
  const blemishes = results.flatMap(({ run, scenario, checks }) =>
    checks
      .filter(({ status }) => status !== 'SUCCESS')
      .map((check) => ({ run, scenario, ...check })),
  );
  const same = (one, other) =>
    ['run', 'scenario', 'check', 'status'].every((field) => one[field] === other[field]);
  const excuseOf = (blemish) => excuses.find((excuse) => same(excuse, blemish));
  return {
    excused: blemishes
      .filter(excuseOf)
      .map((blemish) => ({ ...blemish, reason: excuseOf(blemish).reason })),
    unexcused: blemishes.filter((blemish) => !excuseOf(blemish)),
    stale: excuses.filter((excuse) => !blemishes.some((blemish) => same(excuse, blemish))),
  };
}
