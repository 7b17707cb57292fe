/** Longest text in a cell where no terminal says how wide it is, in UTF-16 units. */
const MAX_CELL = 200;

/** Below this a column says nothing. */
const MIN_WIDTH = 8;

const GAP = 2;

/** Rows as columns of text, two spaces apart. */
export function tableOf(rows: readonly (readonly string[])[]): string {
  return fittingTable(rows, null);
}

/**
 * The same in so many columns of a terminal: the last columns of the table are cut, then left out, as far as that takes.
 * Those before them, such as ids, are whole.
 *
 * @param columns null: as wide as it gets
 */
export function fittingTable(rows: readonly (readonly string[])[], columns: number | null): string {
  const cells = rows.map((row) => row.map((cell) => cellOf(cell, columns ?? MAX_CELL)));
  const widths = (cells[0] ?? []).map((_, column) =>
    Math.max(...cells.map((row) => row[column]?.length ?? 0)),
  );
  const shown = columns === null ? widths : fitted(widths, columns);
  return cells
    .map((row) =>
      row
        .slice(0, shown.length)
        .map((cell, column) => cut(cell, shown[column] ?? 0).padEnd(shown[column] ?? 0))
        .join(' '.repeat(GAP))
        .trimEnd(),
    )
    .join('\n');
}

function fitted(widths: readonly number[], columns: number): readonly number[] {
  const shown = [...widths];
  const sum = (): number => shown.reduce((all, width) => all + width + GAP, -GAP);
  while (sum() > columns && shown.length > 1) {
    const last = shown.at(-1) ?? 0;
    const room = last - (sum() - columns);
    if (room >= Math.min(MIN_WIDTH, last)) shown[shown.length - 1] = room;
    else shown.pop();
  }
  return shown;
}

function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 1)}…`;
}

/** What others wrote, on one line and not too long of it. */
export function cellOf(text: string, limit: number): string {
  return cut(text.replaceAll(/\p{Cc}+/gu, ' '), limit);
}
