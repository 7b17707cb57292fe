import { Command, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { WEBHOOK_EVENTS } from '@longshore/operator/words';
import type { Handlers } from './handlers.ts';
import { leaf } from './help.ts';
import { answering, running } from './options.ts';

const webhooks = () => import('../operator/webhooks-command.ts');

/** `webhooks`. */
export function webhooksCommand(handlers: Handlers) {
  const list = answering(
    leaf(
      'list',
      'your webhooks, and with ops:read those of all, newest first',
      'FAILURES are attempts in a row.',
      ['longshore webhooks list --json', 'one JSON array'],
    ),
  );
  const add = answering(
    leaf(
      'add',
      'be told of what becomes of tasks, by signed messages to a URL',
      'Of tasks made from now on: yours, or with --all, which needs ops:write, those of everybody. Prints the secret that verifies the messages, this once.',
      ['longshore webhooks add https://example.com/hooks', 'of what completed and what failed'],
    )
      .argument('<url>')
      .addOption(
        new Option(
          '--event <event...>',
          'of what; task.completed and task.failed unless said',
        ).choices(WEBHOOK_EVENTS),
      )
      .option('--all', 'of the tasks of everybody')
      .addOption(
        new Option(
          '--failing-share <share>',
          'of the items of a batch, for batch.failing; 0.1 unless said',
        ).argParser(shareOf),
      ),
  );
  const remove = answering(
    leaf('remove', 'remove a webhook, with what waits for it', '', [
      'longshore webhooks remove 5c2e…',
      'it is told nothing more',
    ]).argument('<id>'),
  );
  const test = answering(
    leaf(
      'test',
      'send a test message now, and say what was answered',
      'Exits with 1 when it was not taken.',
      ['longshore webhooks test 5c2e…', 'taken with status 204 after 31 ms'],
    ).argument('<id>'),
  );
  const replay = answering(
    leaf(
      'replay',
      'send messages again: one, or those that failed since a time',
      'Says --delivery or --since, one of them. Up to 10,000 messages.',
      ['longshore webhooks replay 5c2e… --since 2h', 'what failed while the receiver was away'],
    )
      .argument('<id>')
      .option('--delivery <id>', 'the webhook-id of a message, whatever came of it')
      .option(
        '--since <time>',
        'those that failed in the last 30m, 12h or 7d, or since 2027-03-01T09:00',
      ),
  );
  return new Command('webhooks')
    .description('tell a URL what becomes of tasks')
    .addCommand(running(handlers, list)(async () => (await webhooks()).listWebhooksCommand))
    .addCommand(running(handlers, add)(async () => (await webhooks()).addWebhookCommand))
    .addCommand(running(handlers, remove)(async () => (await webhooks()).removeWebhookCommand))
    .addCommand(running(handlers, test)(async () => (await webhooks()).testWebhookCommand))
    .addCommand(running(handlers, replay)(async () => (await webhooks()).replayWebhookCommand));
}

function shareOf(text: string): number {
  const share = Number(text);
  if (share > 0 && share <= 1) return share;
  throw new InvalidArgumentError('It is above 0 and up to 1.');
}
