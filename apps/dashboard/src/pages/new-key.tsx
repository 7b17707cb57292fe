import { LIMIT_RANGES } from '@longshore/operator/words';
import { Button, Select, TagsInput, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useAction } from '../api/actions.ts';
import type { ApiKey } from '../api/types.ts';
import { MadeDialog } from '../parts/made-dialog.tsx';
import { noOperator, useMe } from '../parts/me.tsx';

const DAY_MS = 86_400_000;
const SCOPES = ['tools:*', 'tasks:read', 'tasks:write', 'ops:read', 'ops:write'];
const LIVES = [
  { value: '', label: 'Never' },
  ...[1, 7, 30, 90, 365].map((days) => ({
    value: String(days * DAY_MS),
    label: `In ${days} ${days === 1 ? 'day' : 'days'}`,
  })),
];

type LimitName = keyof ApiKey['limits'];

const LIMIT_WORDS: Readonly<Record<LimitName, string>> = {
  requestsPerMinute: 'Requests a minute',
  concurrentTasks: 'Tasks at once',
  queuedTasks: 'Tasks that wait',
  argumentBytes: 'Bytes of a call’s arguments',
  maxTtlMs: 'Longest ttl, in ms',
  openStreams: 'Open streams',
  sessions: 'Sessions',
  schedules: 'Schedules',
};
const LIMIT_NAMES = Object.keys(LIMIT_WORDS) as LimitName[];

export function NewKey() {
  return (
    <MadeDialog
      what="key"
      not={noOperator(useMe())}
      hint="Copy it now: the server keeps a hash of it, and nobody can show it again."
      form={(made) => <Form made={made} />}
    />
  );
}

function Form({ made }: { made: (secret: string) => void }) {
  const [name, setName] = useState('');
  const [principal, setPrincipal] = useState('');
  const [scopes, setScopes] = useState<string[]>([]);
  const [life, setLife] = useState('');
  const [limits, setLimits] = useState<Readonly<Partial<Record<LimitName, string>>>>({});
  const create = useAction('POST /keys', {
    done: () => null,
    after: (answer) => made(answer.secret),
  });
  const send = (event: FormEvent) => {
    event.preventDefault();
    create.mutate({
      body: {
        name,
        scopes,
        ...(principal.trim() === '' ? {} : { principal: principal.trim() }),
        limits: Object.fromEntries(
          Object.entries(limits)
            .filter(([, text]) => text !== '')
            .map(([limit, text]) => [limit, Number(text)]),
        ),
        ...(life === '' ? {} : { expiresInMs: Number(life) }),
      },
    });
  };
  return (
    <form onSubmit={send} aria-label="New API key">
      <TextInput
        data-autofocus
        label="Name"
        description="Who or what uses it"
        required
        maxLength={128}
        mb="sm"
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      <TagsInput
        label="Scopes"
        description="What it may: tools:* or tools:NAME, tasks:read, tasks:write, ops:read, ops:write"
        required
        data={SCOPES}
        mb="sm"
        value={scopes}
        onChange={setScopes}
      />
      <TextInput
        label="Principal"
        description="Keys of one principal share their tasks; empty: it is one of its own"
        maxLength={128}
        mb="sm"
        value={principal}
        onChange={({ currentTarget }) => setPrincipal(currentTarget.value)}
      />
      <Select
        label="Ends"
        data={LIVES}
        mb="md"
        allowDeselect={false}
        value={life}
        onChange={(next) => setLife(next ?? '')}
      />
      <details style={{ marginBottom: 16 }}>
        <summary>Limits of its own</summary>
        <p className="soft">Empty: as the server is configured. 0: no limit, where it may be 0.</p>
        <div className="two">
          {LIMIT_NAMES.map((limit) => (
            <TextInput
              key={limit}
              type="number"
              size="xs"
              label={LIMIT_WORDS[limit]}
              {...LIMIT_RANGES[limit]}
              value={limits[limit] ?? ''}
              onChange={({ currentTarget }) =>
                setLimits({ ...limits, [limit]: currentTarget.value })
              }
            />
          ))}
        </div>
      </details>
      <Button
        type="submit"
        size="xs"
        loading={create.isPending}
        disabled={name.trim() === '' || scopes.length === 0}
      >
        Make the key
      </Button>
    </form>
  );
}
