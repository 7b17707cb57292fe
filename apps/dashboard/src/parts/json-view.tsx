import { Button, SegmentedControl } from '@mantine/core';
import { lazy, Suspense, useMemo, useState } from 'react';
import { say } from '../state/toasts.ts';
import { Loading } from './states.tsx';

const JsonTree = lazy(() => import('./json-tree.tsx'));

/** Of a text, in characters: more of it makes a page slow. What is copied is always all of it. */
const SHOWN = 100_000;

/** A value of a tool or its caller: as text, as a tree, and as a table when it is a list of records. */
export function JsonView({ value, label }: { value: unknown; label: string }) {
  const [way, choose] = useState<'text' | 'tree' | 'table'>('text');
  const text = useMemo(() => JSON.stringify(value, null, 2) ?? 'null', [value]);
  const records = recordsOf(value);
  return (
    <div>
      <div className="tools" style={{ marginBottom: 8 }}>
        <SegmentedControl
          size="xs"
          aria-label={`${label} as`}
          value={way}
          onChange={(next) => choose(next === 'tree' || next === 'table' ? next : 'text')}
          data={[
            { value: 'text', label: 'Text' },
            { value: 'tree', label: 'Tree' },
            ...(records === null ? [] : [{ value: 'table', label: 'Table' }]),
          ]}
        />
        <CopyText text={text} />
      </div>
      {way === 'text' && <LongText text={text} label={label} />}
      {way === 'tree' && (
        <Suspense fallback={<Loading />}>
          <JsonTree value={value} label={label} />
        </Suspense>
      )}
      {way === 'table' && records !== null && <RecordTable records={records} label={label} />}
    </div>
  );
}

export function CopyText({ text, label = 'Copy' }: { text: string; label?: string }) {
  const copy = async (): Promise<void> => {
    try {
      // Without TLS from another machine there is no clipboard at all.
      await navigator.clipboard.writeText(text);
      say('done', 'Copied.');
    } catch {
      say('failed', 'The browser does not let this page write to the clipboard.');
    }
  };
  return (
    <Button size="xs" variant="default" onClick={() => void copy()}>
      {label}
    </Button>
  );
}

/** Text from outside, as text; of a very long one its beginning, until one asks for more. */
export function LongText({ text, label }: { text: string; label: string }) {
  const [shown, show] = useState(SHOWN);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be scrollable by keyboard. */}
      <section className="json" tabIndex={0} aria-label={label}>
        <pre>{text.length > shown ? text.slice(0, shown) : text}</pre>
      </section>
      {text.length > shown && (
        <p className="soft">
          The first {shown.toLocaleString('en-GB')} of {text.length.toLocaleString('en-GB')}{' '}
          characters.{' '}
          <Button size="compact-xs" variant="default" onClick={() => show(shown + SHOWN)}>
            Show more
          </Button>
        </p>
      )}
    </>
  );
}

type JsonRecord = Readonly<Record<string, unknown>>;

/** The list of records that a value is, or has as its only list; null: there is none. */
function recordsOf(value: unknown): readonly JsonRecord[] | null {
  if (Array.isArray(value))
    return value.length > 0 &&
      value.every((one) => typeof one === 'object' && one !== null && !Array.isArray(one))
      ? (value as JsonRecord[])
      : null;
  if (typeof value !== 'object' || value === null) return null;
  const lists = Object.values(value).filter(Array.isArray);
  return lists.length === 1 ? recordsOf(lists[0]) : null;
}

const TABLE_ROWS = 200;
const TABLE_COLUMNS = 20;

function RecordTable({ records, label }: { records: readonly JsonRecord[]; label: string }) {
  const rows = records.slice(0, TABLE_ROWS);
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))].slice(0, TABLE_COLUMNS);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be scrollable by keyboard.
    <section className="table-frame json" aria-label={`${label} as a table`} tabIndex={0}>
      <table className="table">
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a row of a value has no other name than its place.
            <tr key={index}>
              {columns.map((name) => (
                <td key={name}>{cellText(row[name])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {records.length > TABLE_ROWS && (
        <p className="soft">
          The first {TABLE_ROWS} of {records.length} rows.
        </p>
      )}
    </section>
  );
}

function cellText(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
