import { WEBHOOK_EVENTS } from '@longshore/operator/words';
import { Button, Checkbox, MultiSelect, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useAction } from '../api/actions.ts';
import { MadeDialog } from '../parts/made-dialog.tsx';
import { noWriter, useMe } from '../parts/me.tsx';

export function NewWebhook() {
  return (
    <MadeDialog
      what="webhook"
      not={noWriter(useMe())}
      hint="Copy the secret now: its receiver verifies messages with it. It is not shown again."
      form={(made) => <Form made={made} />}
    />
  );
}

function Form({ made }: { made: (secret: string) => void }) {
  const me = useMe();
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState<readonly string[]>(['task.completed', 'task.failed']);
  const [isOfAll, setOfAll] = useState(false);
  const create = useAction('POST /webhooks', {
    done: () => null,
    after: (answer) => made(answer.secret),
  });
  const send = (event: FormEvent) => {
    event.preventDefault();
    create.mutate({
      body: {
        url: url.trim(),
        events: WEBHOOK_EVENTS.filter((one) => events.includes(one)),
        scope: isOfAll ? 'all' : 'own',
      },
    });
  };
  return (
    <form onSubmit={send} aria-label="New webhook">
      <TextInput
        data-autofocus
        label="URL"
        description="https, and no private address unless the server allows its host"
        type="url"
        required
        mb="sm"
        value={url}
        onChange={({ currentTarget }) => setUrl(currentTarget.value)}
      />
      <MultiSelect
        label="Tells of"
        required
        mb="sm"
        data={[...WEBHOOK_EVENTS]}
        value={[...events]}
        onChange={setEvents}
      />
      {me.operates && (
        <Checkbox
          label="Of the tasks of everybody"
          mb="md"
          checked={isOfAll}
          onChange={({ currentTarget }) => setOfAll(currentTarget.checked)}
        />
      )}
      <Button
        type="submit"
        size="xs"
        loading={create.isPending}
        disabled={url.trim() === '' || events.length === 0}
      >
        Make the webhook
      </Button>
    </form>
  );
}
