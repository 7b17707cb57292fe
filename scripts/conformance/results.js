// What a run of the suite left: one folder per scenario, with a checks.json in it.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const FOLDER = /^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/;

/**
 * @param run its name
 * @param folder where it wrote
 * @returns for each scenario its checks, without those that only inform. A scenario that left none, and a run
 *   that did not end as its results say, have failed.
 */
export function readResults(run, folder, { code, output }) {
  const announced = Number(/\((\d+) scenarios\)/.exec(output)?.[1] ?? 1);
  const folders = existsSync(folder) ? readdirSync(folder).sort() : [];
  const results = folders.flatMap((name) => {
    const scenario = FOLDER.exec(name)?.[1];
    return scenario === undefined ? [] : [{ run, scenario, checks: checksIn(folder, name) }];
  });
  const hasFailure = results.some(({ checks }) =>
    checks.some(({ status }) => status === 'FAILURE'),
  );
  if (results.length !== announced || (code !== 0 && !hasFailure)) {
    const problem = `${results.length} of ${announced} scenarios ran, exit code ${code}`;
    results.push({
      run,
      scenario: path.basename(folder),
      checks: [failure(`${problem}\n${output.slice(-2_000)}`)],
    });
  }
  return results;
}

const failure = (message) => ({ check: 'run', status: 'FAILURE', message });

function checksIn(folder, name) {
  const file = path.join(folder, name, 'checks.json');
  if (!existsSync(file)) return [failure('the scenario broke off')];
  return JSON.parse(readFileSync(file, 'utf8'))
    .filter(({ status }) => status !== 'INFO')
    .map(({ id, status, errorMessage, description }) => ({
      check: id,
      status,
      message: errorMessage ?? description,
    }));
}
