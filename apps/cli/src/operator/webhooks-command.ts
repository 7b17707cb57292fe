import { type AnswerOf, WebhookEvent } from '@longshore/operator';
import { CliError, EXIT } from '../client/cli-error.ts';
import type { ClientContext } from '../client/client-context.ts';
import { fittingTable } from '../client/table.ts';
import { OperatorApi } from './operator-api.ts';

const MS_OF: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

type Webhook = AnswerOf<'GET /webhooks'>['webhooks'][number];

/** `webhooks list`. @returns the exit code */
export async function listWebhooksCommand(context: ClientContext): Promise<number> {
  const { print, isJson, columns } = context;
  const { webhooks } = await new OperatorApi(context).call('GET /webhooks');
  if (isJson) print(JSON.stringify(webhooks, null, 2));
  else if (webhooks.length === 0) print('there are no webhooks');
  else print(tableOf(webhooks, columns));
  return 0;
}

/** `webhooks add URL`. @returns the exit code */
export async function addWebhookCommand(
  context: ClientContext,
  url: string,
  options: {
    readonly event?: readonly string[] | undefined;
    readonly all?: boolean | undefined;
    readonly failingShare?: number | undefined;
  },
): Promise<number> {
  const { print, isJson, again } = context;
  const events = options.event?.map((event) => WebhookEvent.parse(event));
  const made = await new OperatorApi(context).call('POST /webhooks', {
    body: {
      url,
      scope: options.all === true ? 'all' : 'own',
      ...(events === undefined ? {} : { events }),
      ...(options.failingShare === undefined ? {} : { failingShare: options.failingShare }),
    },
  });
  const { webhook, secret } = made;
  print(
    isJson
      ? JSON.stringify(made, null, 2)
      : [
          `webhook ${webhook.id} is told of ${webhook.events.join(', ')}`,
          `secret: ${secret}`,
          'It verifies messages, and is not shown again.',
          `A test: ${again(`webhooks test ${webhook.id}`)}`,
        ].join('\n'),
  );
  return 0;
}

/** `webhooks remove ID`. @returns the exit code */
export async function removeWebhookCommand(context: ClientContext, id: string): Promise<number> {
  await new OperatorApi(context).call('DELETE /webhooks/{id}', { params: { id } });
  context.print(context.isJson ? JSON.stringify({ removed: id }) : `webhook ${id} is removed`);
  return 0;
}

/** `webhooks test ID`. @returns the exit code: 1 when the message was not taken */
export async function testWebhookCommand(context: ClientContext, id: string): Promise<number> {
  const { print, isJson } = context;
  const answer = await new OperatorApi(context).call('POST /webhooks/{id}/test', {
    params: { id },
  });
  const { status, error, latencyMs } = answer;
  const said =
    error === null ? `taken with status ${status} after ${latencyMs} ms` : `not taken: ${error}`;
  print(isJson ? JSON.stringify(answer, null, 2) : said);
  return error === null ? 0 : EXIT.failed;
}

/** `webhooks replay ID`. @returns the exit code */
export async function replayWebhookCommand(
  context: ClientContext,
  id: string,
  {
    delivery,
    since,
  }: { readonly delivery?: string | undefined; readonly since?: string | undefined },
): Promise<number> {
  if ((delivery === undefined) === (since === undefined)) {
    throw new CliError(
      EXIT.usage,
      'webhooks replay needs --delivery ID or --since TIME, one of them',
    );
  }
  const body = delivery === undefined ? { from: timeOf(since ?? '') } : { delivery };
  const params = { id };
  const done = await new OperatorApi(context).call('POST /webhooks/{id}/replay', { params, body });
  const { print, isJson } = context;
  print(isJson ? JSON.stringify(done) : `${done.replayed} messages are sent again`);
  return 0;
}

/** @throws {CliError} it is neither an age nor a time */
function timeOf(since: string): string {
  const [, number, unit = ''] = /^(\d{1,6})([mhd])$/.exec(since) ?? [];
  const at =
    number === undefined
      ? new Date(since)
      : new Date(Date.now() - Number(number) * (MS_OF[unit] ?? 0));
  if (Number.isNaN(at.getTime())) {
    throw new CliError(
      EXIT.usage,
      `--since '${since}' is no time such as 2h, 7d or 2027-03-01T09:00`,
    );
  }
  return at.toISOString();
}

function tableOf(webhooks: readonly Webhook[], columns: number | null): string {
  return fittingTable(
    [
      ['ID', 'STATE', 'TASKS', 'FAILURES', 'URL', 'EVENTS'],
      ...webhooks.map(({ id, disabledReason, principal, failures, url, events }) => [
        id,
        disabledReason === null ? 'enabled' : `disabled (${disabledReason})`,
        principal === null ? 'all' : `of ${principal.slice(0, 8)}`,
        String(failures),
        url,
        events.join(' '),
      ]),
    ],
    columns,
  );
}
