/** The comma first: it wins a tie. */
const DELIMITERS = [',', ';', '\t', '|'] as const;

/**
 * The delimiter of a CSV file, from its first line.
 *
 * DuckDB's own detection looks for a reading without errors, and finds one for every broken file: all of
 * it as one column, or only the rows behind the broken one. With the delimiter fixed, a broken row is
 * an error that names its line.
 *
 * @param head the beginning of the file
 * @param skip lines to pass over first
 */
export function detectDelimiter(head: string, skip: number): string {
  const unquoted = firstLine(head, skip);
  let best: string = DELIMITERS[0];
  let most = 0;
  for (const delimiter of DELIMITERS) {
    const count = unquoted.split(delimiter).length - 1;
    if (count > most) [best, most] = [delimiter, count];
  }
  return best;
}

/** How many fields the first line has. */
export function countFields(head: string, skip: number, delimiter: string): number {
  return firstLine(head, skip).split(delimiter).length;
}

/** Without what is in quotes. */
function firstLine(head: string, skip: number): string {
  return (head.split(/\r?\n/)[skip] ?? '').replaceAll(/"(?:[^"]|"")*"/g, '');
}
