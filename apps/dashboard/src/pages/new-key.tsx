import { Button, Select, TagsInput, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useAction } from '../api/actions.ts';
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
        ...(life === '' ? {} : { expiresInMs: Number(life) }),
      },
    });
  };
  return (
    <form onSubmit={send} aria-label="New API key">
      <TextInput
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
