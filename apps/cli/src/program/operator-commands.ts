import { Command } from '@commander-js/extra-typings';
import type { Handlers } from './handlers.ts';
import { leaf } from './help.ts';
import { answering, running } from './options.ts';

const workers = () => import('../operator/workers-command.ts');
const queues = () => import('../operator/queues-command.ts');
const pauses = () => import('../operator/pause-command.ts');

/** `workers`. */
export function workersCommand(handlers: Handlers) {
  const list = answering(
    leaf(
      'list',
      'the workers: where they run, what they serve, how busy they are',
      'Needs a key with ops:read. A worker is silent when it has not been heard of for LEASE_MS: what it ran is about to go on elsewhere.',
      ['longshore workers list --json', 'also the tools of each'],
    ),
  );
  const drain = answering(
    leaf(
      'drain',
      'tell a worker to end what it runs and to take nothing new',
      'Needs a key with ops:write. Before its machine is taken away, or to look at it in peace. It stays until it is stopped, or told to resume; a worker that is started anew takes tasks.',
      ['longshore workers drain 0198', 'the beginning of its id will do'],
    ).argument('<id>', 'see `longshore workers list`'),
  );
  const resume = answering(
    leaf(
      'resume',
      'let a worker that was told to drain take tasks again',
      'Needs a key with ops:write.',
      ['longshore workers resume 0198', 'it takes tasks at once'],
    ).argument('<id>', 'see `longshore workers list`'),
  );
  return new Command('workers')
    .description('who runs the tasks')
    .addCommand(running(handlers, list)(async () => (await workers()).listWorkersCommand))
    .addCommand(running(handlers, drain)(async () => (await workers()).drainWorkerCommand))
    .addCommand(running(handlers, resume)(async () => (await workers()).resumeWorkerCommand));
}

/** `queues`. */
export function queuesCommand(handlers: Handlers) {
  const list = answering(
    leaf(
      'list',
      'the queues: what waits and runs in each, and for how long',
      'Needs a key with ops:read. Counts are a few seconds old, and end at 10,000.',
      ['longshore queues list', 'a line per queue'],
    ),
  );
  const [pause, resume] = pausing(
    'queue',
    'queues',
    'slow',
    'It stays so until it is resumed, also when everything is started anew. New calls are accepted and wait.',
  );
  return new Command('queues')
    .description('where tasks wait')
    .addCommand(running(handlers, list)(async () => (await queues()).listQueuesCommand))
    .addCommand(running(handlers, pause)(async () => (await pauses()).pauseCommand('queue')))
    .addCommand(running(handlers, resume)(async () => (await pauses()).resumeCommand('queue')));
}

/** `tools pause` and `tools resume`. */
export function toolPauseCommands(handlers: Handlers) {
  const [pause, resume] = pausing(
    'tool',
    'tools',
    'text_count',
    'While the service behind it is away, for instance. New calls are accepted and wait.',
  );
  return [
    running(handlers, pause)(async () => (await pauses()).pauseCommand('tool')),
    running(handlers, resume)(async () => (await pauses()).resumeCommand('tool')),
  ] as const;
}

/** `top`. */
export function topProgram(handlers: Handlers) {
  const top = answering(
    leaf(
      'top',
      'the whole at a glance, while you look',
      'What is open, the oldest wait, what ended within the last minutes and how, queues, workers, and what needs attention. Drawn anew every two seconds; q or Ctrl-C leaves. Where standard output is no terminal it is printed once. Needs a key with ops:read.',
      ['longshore top', 'on a terminal'],
      ['longshore top --json', 'for programs'],
    ).option('--once', 'print it once, and end'),
  );
  return running(
    handlers,
    top,
  )(async () => (await import('../operator/top-command.ts')).topCommand);
}

function pausing(kind: 'queue' | 'tool', group: 'queues' | 'tools', name: string, more: string) {
  const what = kind === 'queue' ? 'tasks of a queue' : 'calls of a tool';
  return [
    answering(
      leaf(
        'pause',
        `start no more ${what}; what runs goes on`,
        `Needs a key with ops:write. ${more}`,
        [`longshore ${group} pause ${name}`, 'says that it is paused'],
      ).argument('<name>', `see \`longshore ${group} list\``),
    ),
    answering(
      leaf('resume', `start ${what} again`, 'Needs a key with ops:write.', [
        `longshore ${group} resume ${name}`,
        'what waits starts',
      ]).argument('<name>', `see \`longshore ${group} list\``),
    ),
  ] as const;
}
