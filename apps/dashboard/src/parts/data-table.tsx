import { Checkbox } from '@mantine/core';
import { type ReactNode, useRef } from 'react';

export interface Column<Row> {
  readonly header: string;
  readonly cell: (row: Row) => ReactNode;
  /** `wide`: not on a phone; `grow`: takes what is left, cut off; `right`: figures. */
  readonly look?: string;
}

interface Selection {
  readonly ids: ReadonlySet<string>;
  readonly set: (ids: ReadonlySet<string>) => void;
}

/** Rows of one kind. The first link of a row is the way to it, by mouse and by `j` and `k` (parts/shortcuts.tsx). */
export function DataTable<Row>(props: {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  idOf: (row: Row) => string;
  nameOf?: (row: Row) => string;
  selection?: Selection | undefined;
}) {
  const { caption, columns, rows, idOf, nameOf = idOf, selection } = props;
  const latest = useRef<string | null>(null);
  const all = rows.map(idOf);
  const pick = (id: string, isRange: boolean) => {
    if (selection === undefined) return;
    const next = new Set(selection.ids);
    const from = latest.current === null ? -1 : all.indexOf(latest.current);
    const to = all.indexOf(id);
    const range =
      isRange && from !== -1 ? all.slice(Math.min(from, to), Math.max(from, to) + 1) : [id];
    const isOn = !selection.ids.has(id);
    for (const one of range) isOn ? next.add(one) : next.delete(one);
    latest.current = id;
    selection.set(next);
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be scrollable by keyboard.
    <section className="table-frame" aria-label={caption} tabIndex={0}>
      <table className="table">
        <caption className="unseen">{caption}</caption>
        <thead>
          <tr>
            {selection !== undefined && (
              <th className="pick">
                <Checkbox
                  size="xs"
                  aria-label="Select all rows of this page"
                  checked={all.length > 0 && all.every((id) => selection.ids.has(id))}
                  indeterminate={
                    selection.ids.size > 0 && !all.every((id) => selection.ids.has(id))
                  }
                  onChange={({ currentTarget }) =>
                    selection.set(new Set(currentTarget.checked ? all : []))
                  }
                />
              </th>
            )}
            {columns.map(({ header, look }) => (
              <th key={header} scope="col" className={look}>
                {header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const id = idOf(row);
            return (
              <tr key={id} data-row>
                {selection !== undefined && (
                  <td className="pick">
                    <Checkbox
                      size="xs"
                      aria-label={`Select ${nameOf(row)}`}
                      checked={selection.ids.has(id)}
                      onClick={({ shiftKey }) => pick(id, shiftKey)}
                      onChange={() => undefined}
                    />
                  </td>
                )}
                {columns.map(({ header, cell, look }) => (
                  <td key={header} className={look}>
                    {cell(row)}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}
