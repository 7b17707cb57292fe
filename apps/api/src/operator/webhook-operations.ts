import { randomBytes, randomUUID } from 'node:crypto';
import { LongshoreError, type Webhook, type WebhookDelivery } from '@longshore/core';
import type { AnswerOf } from '@longshore/operator';
import { requireScopes } from '../edge/auth/required-scopes.ts';
import { placePage } from '../tasks/place-page.ts';
import { type Handlers, notFound, type Operator, type OperatorContext } from './operation.ts';
import { instant } from './show-task.ts';

/** Of one principal, and of those for the tasks of all. */
const MOST_WEBHOOKS = 20;
/** As Standard Webhooks asks for: 24 to 64. */
const SECRET_BYTES = 32;

export const webhookOperations: Handlers<
  | 'GET /webhooks'
  | 'POST /webhooks'
  | 'DELETE /webhooks/{id}'
  | 'POST /webhooks/{id}/enable'
  | 'POST /webhooks/{id}/disable'
  | 'POST /webhooks/{id}/test'
  | 'GET /webhooks/{id}/deliveries'
  | 'POST /webhooks/{id}/replay'
> = {
  'GET /webhooks': async ({ webhooks }, { operator }) => ({
    webhooks: (await webhooks.store.list(operator.visible)).map(shown),
  }),

  'POST /webhooks': async ({ webhooks }, { operator, body }) => {
    const { url, events, scope, failingShare } = body;
    requireScopes(operator.access, [scope === 'all' ? 'ops:write' : 'tasks:write']);
    const id = randomUUID();
    const secret = `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
    const webhook = await webhooks.store.create(
      {
        id,
        principalId: scope === 'all' ? null : operator.principalId,
        madeBy: operator.principalId,
        url: webhooks.addresses.checked(url),
        secret,
        events: [...new Set(events)],
        failingShare,
      },
      MOST_WEBHOOKS,
    );
    if (webhook === null) {
      throw new LongshoreError('INVALID_PARAMS', `There are ${MOST_WEBHOOKS} webhooks already`);
    }
    webhooks.wake();
    operator.log.audit('webhook_made', { kind: 'webhook', id }, { scope });
    return { webhook: shown(webhook), secret };
  },

  'DELETE /webhooks/{id}': async (context, { operator, params }) => {
    const { id } = await requireWritable(context, operator, params.id);
    await context.webhooks.store.remove(id);
    operator.log.audit('webhook_removed', { kind: 'webhook', id });
    return {};
  },

  'POST /webhooks/{id}/enable': (context, { operator, params }) =>
    setEnabled(context, operator, params.id, true),
  'POST /webhooks/{id}/disable': (context, { operator, params }) =>
    setEnabled(context, operator, params.id, false),

  'POST /webhooks/{id}/test': async (context, { operator, params }) => {
    const { id } = await requireWritable(context, operator, params.id);
    const answer = await context.webhooks.test(id);
    if (answer === null) throw noWebhook();
    return answer;
  },

  'GET /webhooks/{id}/deliveries': async (context, { operator, params, query }) => {
    const { id } = await requireWebhook(context, operator, params.id);
    const { rows, next } = await placePage<WebhookDelivery>('deliveries', query, (limit, after) =>
      context.webhooks.store.deliveries(id, limit, after),
    );
    return {
      deliveries: rows.map(({ occurredAt, nextAttemptAt, createdAt, ...delivery }) => ({
        ...delivery,
        occurredAt: occurredAt.toISOString(),
        nextAttemptAt: instant(nextAttemptAt),
        createdAt: createdAt.toISOString(),
      })),
      next,
    };
  },

  'POST /webhooks/{id}/replay': async (context, { operator, params, body }) => {
    const { delivery, from, to } = body;
    if ((delivery === undefined) === (from === undefined)) {
      throw new LongshoreError('INVALID_PARAMS', 'Say delivery or from, one of them');
    }
    const { id } = await requireWritable(context, operator, params.id);
    const { store } = context.webhooks;
    let replayed: number;
    if (delivery === undefined) {
      const until = to === undefined ? new Date() : new Date(to);
      replayed = await store.replayFailed(id, new Date(from ?? 0), until);
    } else {
      replayed = (await store.replay(id, delivery)) ? 1 : 0;
      if (replayed === 0) throw notFound('delivery of this id that has ended');
    }
    context.webhooks.wake();
    operator.log.audit('webhook_replayed', { kind: 'webhook', id }, { replayed });
    return { replayed };
  },
};

async function setEnabled(
  context: OperatorContext,
  operator: Operator,
  webhookId: string,
  isEnabled: boolean,
): Promise<AnswerOf<'POST /webhooks/{id}/enable'>> {
  const { id } = await requireWritable(context, operator, webhookId);
  const { store } = context.webhooks;
  await store.setEnabled(id, isEnabled);
  context.webhooks.wake();
  operator.log.audit(isEnabled ? 'webhook_enabled' : 'webhook_disabled', { kind: 'webhook', id });
  return { webhook: shown(await requireWebhook(context, operator, id)) };
}

/** One that the caller may act on: their own, or any with `ops:write`. */
async function requireWritable(
  context: OperatorContext,
  operator: Operator,
  id: string,
): Promise<Webhook> {
  const webhook = await requireWebhook(context, operator, id);
  const isOwn = webhook.principalId === operator.principalId;
  requireScopes(operator.access, operator.operates ? [] : [isOwn ? 'tasks:write' : 'ops:write']);
  return webhook;
}

/** @throws {LongshoreError} NOT_FOUND: unknown, or somebody else's */
async function requireWebhook(
  { webhooks }: OperatorContext,
  { operates, visible }: Operator,
  id: string,
): Promise<Webhook> {
  const webhook = await webhooks.store.find(id, operates ? null : visible);
  if (webhook === null) throw noWebhook();
  return webhook;
}

const noWebhook = (): LongshoreError => notFound('webhook of this id');

function shown(webhook: Webhook): AnswerOf<'GET /webhooks'>['webhooks'][number] {
  const { principalId: principal, events, disabledReason, createdAt, ...more } = webhook;
  return {
    ...more,
    principal,
    events: [...events],
    enabled: disabledReason === null,
    disabledReason,
    createdAt: createdAt.toISOString(),
  };
}
