import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { useAction } from '../api/actions.ts';
import { deliveriesOf, WEBHOOKS } from '../api/queries.ts';
import type { Delivery, Webhook } from '../api/types.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { noWriter, useMe } from '../parts/me.tsx';
import { Page } from '../parts/page.tsx';
import { Pager } from '../parts/pager.tsx';
import { Empty, Shown } from '../parts/states.tsx';
import { shortId } from '../parts/task-table.tsx';
import { Age, Moment } from '../parts/times.tsx';
import { countText, durationText } from '../state/time-text.ts';
import { NewWebhook } from './new-webhook.tsx';

export function WebhooksPage() {
  const { id } = useSearch({ from: '/webhooks' });
  const query = useQuery(WEBHOOKS);
  return (
    <Page title="Webhooks" aside={<NewWebhook />}>
      <Shown query={query}>
        {(webhooks) => {
          if (webhooks.length === 0)
            return (
              <Empty title="There is no webhook">
                <p>One is told, by signed messages to a URL, what becomes of tasks.</p>
              </Empty>
            );
          const chosen = webhooks.find((webhook) => webhook.id === id);
          return (
            <>
              <DataTable
                caption="Webhooks, the newest first"
                rows={webhooks}
                idOf={(webhook) => webhook.id}
                columns={COLUMNS}
              />
              {chosen !== undefined && <Deliveries webhook={chosen} />}
            </>
          );
        }}
      </Shown>
    </Page>
  );
}

const REASONS = { asked: 'Disabled', gone: 'Gone: it answered 410' } as const;

const COLUMNS: readonly Column<Webhook>[] = [
  {
    header: 'To',
    look: 'grow',
    cell: ({ id, url }) => (
      <Link to="/webhooks" search={{ id }} title={url}>
        {url}
      </Link>
    ),
  },
  {
    header: 'State',
    cell: ({ enabled, disabledReason, failures }) =>
      enabled ? (
        failures === 0 ? (
          'Enabled'
        ) : (
          <span className="bad">{countText(failures)} failed in a row</span>
        )
      ) : (
        <span className="bad">
          {disabledReason === null ? 'Disabled' : REASONS[disabledReason]}
        </span>
      ),
  },
  { header: 'Of', look: 'wide', cell: ({ events }) => events.join(', ') },
  {
    header: 'Whose tasks',
    look: 'wide',
    cell: ({ principal }) => (principal === null ? 'everybody’s' : shortId(principal)),
  },
  { header: 'Made', look: 'right wide', cell: ({ createdAt }) => <Age at={createdAt} /> },
];

function Deliveries({ webhook }: { webhook: Webhook }) {
  const { cursor } = useSearch({ from: '/webhooks' });
  const query = useQuery(deliveriesOf(webhook.id, cursor));
  return (
    <section aria-labelledby="deliveries" style={{ marginTop: 24 }}>
      <div className="tools" style={{ marginBottom: 8 }}>
        <h2 id="deliveries" style={{ flexGrow: 1 }}>
          What it was told in seven days
        </h2>
        <WebhookActions webhook={webhook} />
      </div>
      <Shown query={query}>
        {({ deliveries, next }) =>
          deliveries.length === 0 && cursor === undefined ? (
            <Empty title="Nothing yet" />
          ) : (
            <>
              <DataTable
                caption="Deliveries, the newest first"
                rows={deliveries}
                idOf={({ id }) => id}
                columns={[
                  ...DELIVERY_COLUMNS,
                  {
                    header: 'Do',
                    look: 'right',
                    cell: ({ id }) => <ReplayButton webhook={webhook} delivery={id} />,
                  },
                ]}
              />
              <Pager cursor={cursor} next={next} />
            </>
          )
        }
      </Shown>
    </section>
  );
}

function WebhookActions({ webhook: { id, url, enabled } }: { webhook: Webhook }) {
  const not = noWriter(useMe());
  const call = { params: { id } };
  const test = useAction('POST /webhooks/{id}/test', {
    done: ({ status, error, latencyMs }) =>
      error === null
        ? `It answered ${status} after ${durationText(latencyMs)}.`
        : `The test failed: ${error}`,
  });
  const enable = useAction('POST /webhooks/{id}/enable', { done: () => 'Enabled.' });
  const disable = useAction('POST /webhooks/{id}/disable', { done: () => 'Disabled.' });
  const remove = useAction('DELETE /webhooks/{id}', { done: () => 'Removed.' });
  return (
    <>
      <ActionButton label="Test" not={not} isBusy={test.isPending} run={() => test.mutate(call)} />
      {enabled ? (
        <ActionButton
          label="Disable"
          not={not}
          isBusy={disable.isPending}
          run={() => disable.mutate(call)}
        />
      ) : (
        <ActionButton
          label="Enable"
          not={not}
          isBusy={enable.isPending}
          run={() => enable.mutate(call)}
        />
      )}
      <ActionButton
        label="Remove"
        look="danger"
        not={not}
        isBusy={remove.isPending}
        confirm={<p>{url} is told nothing more, and what it was told is forgotten.</p>}
        run={() => remove.mutate(call)}
      />
    </>
  );
}

function ReplayButton({ webhook, delivery }: { webhook: Webhook; delivery: string }) {
  const not = noWriter(useMe());
  const replay = useAction('POST /webhooks/{id}/replay', { done: () => 'It is sent again.' });
  return (
    <ActionButton
      label="Send again"
      not={not}
      isBusy={replay.isPending}
      run={() => replay.mutate({ params: { id: webhook.id }, body: { delivery } })}
    />
  );
}

const DELIVERY_COLUMNS: readonly Column<Delivery>[] = [
  { header: 'When', cell: ({ occurredAt }) => <Moment at={occurredAt} /> },
  { header: 'Event', cell: ({ event }) => event },
  {
    header: 'Task',
    look: 'wide',
    cell: ({ taskId }) =>
      taskId === null ? (
        'test'
      ) : (
        <Link to="/tasks/$id" params={{ id: taskId }}>
          {shortId(taskId)}
        </Link>
      ),
  },
  {
    header: 'State',
    cell: ({ state, attempts, nextAttemptAt }) => (
      <>
        <span className={state === 'failed' || state === 'dead' ? 'bad' : ''}>{state}</span>{' '}
        <span className="soft">
          {attempts > 1 && `${attempts} tries`}
          {state === 'failed' && nextAttemptAt !== null && (
            <>
              , next <Age at={nextAttemptAt} />
            </>
          )}
        </span>
      </>
    ),
  },
  {
    header: 'Answer',
    look: 'grow wide',
    cell: ({ answer }) =>
      answer === null ? (
        '–'
      ) : (
        <span title={answer.text ?? ''}>
          {answer.status ?? answer.error} {answer.status !== null && durationText(answer.latencyMs)}
        </span>
      ),
  },
];
