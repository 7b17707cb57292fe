/** Longest text in a cell, in UTF-16 units. */
const MAX_CELL = 60;

/** Rows as columns of text, two spaces apart. */
export function tableOf(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows
    .map((row) => row.map((cell, column) => cell.padEnd(widths?.[column] ?? 0)).join('  '))
    .map((line) => line.trimEnd())
    .join('\n');
}

/** What others wrote, on one line and not too long of it. */
export function cellOf(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, ' ').slice(0, MAX_CELL);
}
