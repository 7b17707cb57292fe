const COLUMNS = ['SUCCESS', 'FAILURE', 'WARNING', 'SKIPPED'];
const HEAD = ['run', 'scenario', 'passed', 'failed', 'warned', 'skipped'];

/** One line for each scenario, and the sums. */
export function formatTable(results) {
  const count = (checks, status) => checks.filter((check) => check.status === status).length;
  const rows = results.map(({ run, scenario, checks }) => [
    run,
    scenario,
    ...COLUMNS.map((status) => count(checks, status)),
  ]);
  const sums = COLUMNS.map((_, index) => rows.reduce((sum, row) => sum + row[index + 2], 0));
  const table = [HEAD, ...rows, ['', `${rows.length} scenarios`, ...sums]];
  const widths = HEAD.map((_, index) => Math.max(...table.map((row) => `${row[index]}`.length)));
  return table
    .map((row) =>
      row
        .map((cell, index) =>
          index < 2 ? `${cell}`.padEnd(widths[index]) : `${cell}`.padStart(widths[index]),
        )
        .join('  '),
    )
    .join('\n');
}
