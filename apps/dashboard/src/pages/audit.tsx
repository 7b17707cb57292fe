import { AUDIT_ACTIONS } from '@longshore/operator/words';
import { Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { API } from '../api/client.ts';
import { auditOf } from '../api/queries.ts';
import type { AuditEntry } from '../api/types.ts';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { Page } from '../parts/page.tsx';
import { Pager } from '../parts/pager.tsx';
import { Empty, Shown } from '../parts/states.tsx';
import { shortId } from '../parts/task-table.tsx';
import { Moment } from '../parts/times.tsx';
import type { AuditSearch } from '../state/searches.ts';

export function AuditPage() {
  const search = useSearch({ from: '/audit' });
  const navigate = useNavigate({ from: '/audit' });
  const query = useQuery(auditOf(search));
  const show = (change: AuditSearch) =>
    void navigate({ search: { ...search, cursor: undefined, ...change }, state: { trail: [] } });
  const { cursor: _, ...filter } = search;
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const words = new URLSearchParams(
    Object.entries(filter).filter((pair): pair is [string, string] => pair[1] !== undefined),
  ).toString();
  return (
    <Page
      title="Audit"
      aside={
        <a href={`${API}/audit/export${words === '' ? '' : `?${words}`}`} download>
          Download as NDJSON
        </a>
      }
    >
      <div className="tools" style={{ marginBottom: 8 }}>
        <Select
          size="xs"
          aria-label="Action"
          placeholder="Action"
          clearable
          searchable
          data={AUDIT_ACTIONS.map((value) => ({ value, label: wordsOf(value) }))}
          value={search.action ?? null}
          clearButtonProps={{ 'aria-label': 'Clear the action' }}
          onChange={(action) => show({ action: oneOf(action) })}
        />
        <TextInput
          key={search.target ?? ''}
          size="xs"
          aria-label="Target"
          placeholder="Id or name, then Enter"
          defaultValue={search.target ?? ''}
          style={{ flexGrow: 1, maxWidth: 420 }}
          onKeyDown={({ key, currentTarget }) => {
            if (key === 'Enter') show({ target: currentTarget.value.trim() || undefined });
          }}
        />
      </div>
      <Shown query={query}>
        {({ entries, next }) =>
          entries.length === 0 && search.cursor === undefined ? (
            <Empty title={isFiltered ? 'No entry matches' : 'Nothing is on record yet'}>
              {isFiltered && <Link to="/audit">Clear all filters</Link>}
            </Empty>
          ) : (
            <>
              <DataTable
                caption="Who did what, the newest first"
                rows={entries}
                idOf={({ id }) => id}
                columns={COLUMNS}
              />
              <Pager cursor={search.cursor} next={next} />
            </>
          )
        }
      </Shown>
    </Page>
  );
}

const oneOf = (action: string | null): AuditSearch['action'] =>
  AUDIT_ACTIONS.find((known) => known === action);

const wordsOf = (action: string): string => action.replaceAll('_', ' ');

const COLUMNS: readonly Column<AuditEntry>[] = [
  { header: 'When', look: 'when', cell: ({ at }) => <Moment at={at} /> },
  { header: 'What', cell: ({ action }) => <strong>{wordsOf(action)}</strong> },
  { header: 'Of what', cell: ({ target }) => <Target target={target} /> },
  {
    header: 'Who',
    cell: ({ principalId }) =>
      principalId === null ? (
        'nobody known'
      ) : (
        <Link to="/audit" search={{ principal: principalId }}>
          {shortId(principalId)}
        </Link>
      ),
  },
  { header: 'From', look: 'wide', cell: ({ address }) => address ?? '–' },
  {
    header: 'More',
    look: 'grow wide',
    cell: ({ details }) =>
      Object.entries(details ?? {})
        .map(([name, value]) => `${name} ${value}`)
        .join(', '),
  },
  { header: 'Request', look: 'wide', cell: ({ requestId }) => <code>{requestId ?? '–'}</code> },
];

function Target({ target }: { target: AuditEntry['target'] }) {
  if (target === null) return '–';
  if (target.kind !== 'task') return `${target.kind} ${target.id}`;
  return (
    <Link to="/tasks/$id" params={{ id: target.id }}>
      task {shortId(target.id)}
    </Link>
  );
}
