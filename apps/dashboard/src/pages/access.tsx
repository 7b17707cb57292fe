import { Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useAction } from '../api/actions.ts';
import { KEYS, principalsOf } from '../api/queries.ts';
import type { ApiKey, Principal } from '../api/types.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { noOperator, useMe } from '../parts/me.tsx';
import { Page } from '../parts/page.tsx';
import { Pager } from '../parts/pager.tsx';
import { Empty, Shown } from '../parts/states.tsx';
import { Age, Moment } from '../parts/times.tsx';
import { ACCESS_TABS } from '../state/searches.ts';
import { countText } from '../state/time-text.ts';
import { NewKey } from './new-key.tsx';

export function AccessPage() {
  const { tab = 'keys' } = useSearch({ from: '/access' });
  const navigate = useNavigate();
  return (
    <Page title="Keys and principals" aside={<NewKey />}>
      <Tabs
        value={tab}
        keepMounted={false}
        onChange={(next) =>
          void navigate({ to: '/access', search: { tab: ACCESS_TABS.find((one) => one === next) } })
        }
      >
        <Tabs.List mb="sm" aria-label="Keys and principals">
          <Tabs.Tab value="keys">API keys</Tabs.Tab>
          <Tabs.Tab value="principals">Principals</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="keys">
          <Keys />
        </Tabs.Panel>
        <Tabs.Panel value="principals">
          <Principals />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}

function Keys() {
  const query = useQuery(KEYS);
  return (
    <Shown query={query}>
      {(keys) =>
        keys.length === 0 ? (
          <Empty title="There is no API key">
            <p>
              Callers show one as “Authorization: Bearer …” when the server runs with AUTH=api-key.
            </p>
          </Empty>
        ) : (
          <DataTable caption="API keys" rows={keys} idOf={({ id }) => id} columns={KEY_COLUMNS} />
        )
      }
    </Shown>
  );
}

const stateOf = ({ revokedAt, expiresAt }: ApiKey): 'revoked' | 'expired' | 'valid' =>
  revokedAt !== null
    ? 'revoked'
    : expiresAt !== null && Date.parse(expiresAt) < Date.now()
      ? 'expired'
      : 'valid';

const KEY_COLUMNS: readonly Column<ApiKey>[] = [
  {
    header: 'Key',
    cell: ({ name, prefix }) => (
      <>
        <strong>{name}</strong> <span className="mono soft">{prefix}…</span>
      </>
    ),
  },
  {
    header: 'State',
    cell: (key) => <span className={stateOf(key) === 'valid' ? '' : 'bad'}>{stateOf(key)}</span>,
  },
  { header: 'Principal', look: 'wide', cell: ({ principal }) => principal },
  {
    header: 'Scopes',
    look: 'grow wide',
    cell: ({ scopes }) => <span title={scopes.join('\n')}>{scopes.join(', ')}</span>,
  },
  {
    header: 'Limits',
    look: 'wide',
    cell: ({ limits }) => {
      const set = Object.entries(limits);
      return set.length === 0 ? (
        '–'
      ) : (
        <span title={set.map((one) => one.join(': ')).join('\n')}>{set.length} of its own</span>
      );
    },
  },
  { header: 'Made', look: 'right wide', cell: ({ createdAt }) => <Age at={createdAt} /> },
  {
    header: 'Used',
    look: 'right wide',
    cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : <Age at={lastUsedAt} />),
  },
  {
    header: 'Ends',
    look: 'right wide',
    cell: ({ expiresAt }) => (expiresAt === null ? 'never' : <Age at={expiresAt} />),
  },
  { header: 'Do', look: 'right', cell: (key) => <RevokeButton apiKey={key} /> },
];

function RevokeButton({ apiKey }: { apiKey: ApiKey }) {
  const me = useMe();
  const revoke = useAction('POST /keys/{id}/revoke', {
    done: () => `The key ${apiKey.name} is revoked.`,
  });
  return (
    <ActionButton
      label="Revoke"
      look="danger"
      not={noOperator(me) ?? (apiKey.revokedAt === null ? null : 'It is revoked.')}
      isBusy={revoke.isPending}
      confirm={
        <p>
          Whoever uses {apiKey.name} is refused at once, and their open streams end. This can not be
          undone.
        </p>
      }
      run={() => revoke.mutate({ params: { id: apiKey.id } })}
    />
  );
}

function Principals() {
  const { cursor } = useSearch({ from: '/access' });
  const query = useQuery(principalsOf(cursor));
  return (
    <Shown query={query}>
      {({ principals, next }) => (
        <>
          <DataTable
            caption="Principals, the newest first"
            rows={principals}
            idOf={({ id }) => id}
            columns={PRINCIPAL_COLUMNS}
          />
          <Pager cursor={cursor} next={next} />
        </>
      )}
    </Shown>
  );
}

const PRINCIPAL_COLUMNS: readonly Column<Principal>[] = [
  {
    header: 'Principal',
    cell: ({ id, subject }) => (
      <Link to="/tasks" search={{ principal: id }}>
        {subject}
      </Link>
    ),
  },
  { header: 'Kind', cell: ({ kind }) => kind },
  {
    header: 'Open tasks',
    look: 'right',
    cell: ({ openTasks }) => `${countText(openTasks)}${openTasks >= 1_000 ? '+' : ''}`,
  },
  { header: 'First seen', look: 'right wide', cell: ({ createdAt }) => <Moment at={createdAt} /> },
];
