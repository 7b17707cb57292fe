import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@longshore/core';
import type { OperatorEvent, TaskFilter, TaskSummary } from '@longshore/operator';
import { OperatorApiError, type OperatorClient, operatorClient } from '@longshore/operator/client';
import { PHASES } from '@longshore/operator/words';
import type { EngineAddress } from '../engine/engine-address.ts';
import { readMessages } from '../wire/event-messages.ts';
import { members } from '../wire/message-kinds.ts';
import { CHANNEL_INSTRUCTIONS } from './channel-messages.ts';
import { ChannelOutbox } from './channel-outbox.ts';

/** Of Claude Code: a preview there. */
const CAPABILITY = 'claude/channel';
const METHOD = 'notifications/claude/channel';

const RECONNECT_MS = 1_000;
const PAGE = 100;
/** Pages that one look reads of what is open, and of what is new: jobs beyond are not told of. */
const MOST_PAGES = 10;
/** Ids of ended jobs that were told. */
const MOST_TOLD = 10_000;
/** A running batch is looked at so often, and fails when so many and such a share of its items have. */
const BATCH_GAP_MS = 3_000;
const FEWEST_FAILED = 10;
const FAILING_SHARE = 0.1;

type Ended = 'completed' | 'failed' | 'cancelled';
const endOf = ({ phase }: Pick<TaskSummary, 'phase'>): Ended | null =>
  phase === 'completed' || phase === 'failed' || phase === 'cancelled' ? phase : null;
const OPEN = PHASES.filter((phase) => endOf({ phase }) === null);

type Changes = Extract<OperatorEvent, { kind: 'tasks' }>['changed'];

interface OpenJob {
  readonly job: TaskSummary;
  readonly isAsking: boolean;
  isFailing: boolean;
  /** When its batch was looked at, in milliseconds of `performance.now()`. */
  lookedAt: number;
}

const newJob = (job: TaskSummary): OpenJob => ({
  job,
  isAsking: job.phase === 'input_required',
  isFailing: false,
  lookedAt: Number.NEGATIVE_INFINITY,
});

export interface ChannelOptions {
  /** The engine as it is by now. */
  readonly find: (signal: AbortSignal) => Promise<EngineAddress>;
  readonly deliver: (message: unknown) => Promise<void>;
  readonly log: Logger;
}

/**
 * Tells a host that shows channels when a job of its principal has ended, asks, or fails in many of its items. The engine says that
 * something has changed; what there is to tell is read from it, so a connection that breaks loses nothing and doubles nothing.
 */
export class Channel {
  readonly #options: ChannelOptions;
  readonly #stopping = new AbortController();
  readonly #outbox: ChannelOutbox;
  /** Jobs that had not ended at the last look. */
  readonly #open = new Map<string, OpenJob>();
  readonly #told = new Set<string>();
  /** When the newest job of the last look was made; null: there was no look yet. What the first one finds is no news. */
  #newest: string | null = null;
  #isStarted = false;

  constructor(options: ChannelOptions) {
    this.#options = options;
    this.#outbox = new ChannelOutbox((params) =>
      options.deliver({ jsonrpc: '2.0', method: METHOD, params }),
    );
  }

  /** @param answer to `initialize` or `server/discover`; what is no result stays as it is */
  declareIn(answer: unknown): void {
    const { result } = members(answer);
    const { capabilities } = members(result);
    if (typeof result !== 'object' || result === null) return;
    const { experimental } = members(capabilities);
    const { instructions } = members(result);
    Object.assign(result, {
      capabilities: {
        ...members(capabilities),
        experimental: { ...members(experimental), [CAPABILITY]: {} },
      },
      instructions: [
        ...(typeof instructions === 'string' ? [instructions] : []),
        CHANNEL_INSTRUCTIONS,
      ].join('\n\n'),
    });
  }

  /** The host is ready to hear. */
  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    void this.#run();
  }

  stop(): void {
    this.#stopping.abort();
    this.#outbox.stop();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        await this.#follow(signal);
      } catch (err) {
        if (!signal.aborted) this.#options.log.debug({ err }, 'the channel looks again');
      }
      await sleep(RECONNECT_MS, undefined, { signal }).catch(() => {});
    }
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { url, token } = await this.#options.find(signal);
    const base = new URL('/api/v1', url).href;
    const headers = { Authorization: `Bearer ${token}` };
    const client = operatorClient({ base, headers });
    const { principal } = await client('GET /me');
    const events = await fetch(`${base}/events`, { headers, signal });
    if (!events.ok) throw new Error(`the events answer ${events.status}`);
    await this.#look(client, principal.id);
    this.#options.log.info({ url }, 'the channel listens');
    for await (const { message } of readMessages(events)) {
      const event = message as OperatorEvent;
      if (isNews(event)) await this.#look(client, principal.id);
      if (event.kind === 'tasks') await this.#lookAtBatches(client, event.changed);
    }
  }

  async #look(client: OperatorClient, principal: string): Promise<void> {
    const open = await pages(client, { principal, phase: [...OPEN] }, '');
    const created = await pages(client, { principal }, this.#newest);
    const isFirst = this.#newest === null;
    this.#newest = created[0]?.createdAt ?? this.#newest ?? '';
    if (isFirst) {
      for (const job of created) if (endOf(job) !== null) this.#remember(job.id);
      for (const job of open) this.#open.set(job.id, newJob(job));
      return;
    }
    const here = new Set(open.map(({ id }) => id));
    const gone = [...this.#open.keys()].filter((id) => !here.has(id));
    const ended = new Map(created.map((job) => [job.id, job]));
    for (const id of gone) {
      const job =
        ended.get(id) ?? (await unlessGone(client('GET /tasks/{id}', { params: { id } })));
      if (job === null || endOf(job) !== null) this.#open.delete(id);
      if (job !== null) ended.set(id, job);
    }
    for (const job of ended.values()) this.#tellEnd(job);
    for (const job of open) {
      const before = this.#open.get(job.id);
      const now = { ...(before ?? newJob(job)), job, isAsking: job.phase === 'input_required' };
      this.#open.set(job.id, now);
      if (now.isAsking && before?.isAsking !== true) this.#outbox.say(job, 'input_required');
    }
  }

  /** Of what runs and has items; a look at a batch reads its chunks. */
  async #lookAtBatches(client: OperatorClient, changed: Changes): Promise<void> {
    for (const { id, phase, progress } of changed) {
      const known = this.#open.get(id);
      if (known === undefined || known.isFailing || phase !== 'running') continue;
      const isMany = (progress?.done ?? 0) >= FEWEST_FAILED;
      if (!isMany || performance.now() - known.lookedAt < BATCH_GAP_MS) continue;
      known.lookedAt = performance.now();
      const batch = await unlessGone(client('GET /tasks/{id}/batch', { params: { id } }));
      if (batch === null || batch.failed < FEWEST_FAILED) continue;
      if (batch.failed < FAILING_SHARE * (batch.done + batch.failed)) continue;
      known.isFailing = true;
      this.#outbox.say(known.job, 'failing');
    }
  }

  #tellEnd(job: TaskSummary): void {
    const end = endOf(job);
    if (end === null || this.#told.has(job.id)) return;
    this.#remember(job.id);
    this.#outbox.say(job, end);
  }

  #remember(id: string): void {
    this.#told.add(id);
    const [oldest] = this.#told;
    if (this.#told.size > MOST_TOLD && oldest !== undefined) this.#told.delete(oldest);
  }
}

/** What only goes on is no news. */
function isNews(event: OperatorEvent): boolean {
  if (event.kind !== 'tasks') return event.kind === 'resync';
  return (
    event.created > 0 ||
    event.changed.some((job) => endOf(job) !== null || job.phase === 'input_required')
  );
}

/** @param since RFC 3339, as the API has it: older ones are left out; null: the first page */
async function pages(
  client: OperatorClient,
  filter: TaskFilter,
  since: string | null,
): Promise<TaskSummary[]> {
  const found: TaskSummary[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < (since === null ? 1 : MOST_PAGES); page += 1) {
    const query = { ...filter, limit: PAGE, ...(cursor === undefined ? {} : { cursor }) };
    const { tasks, next } = await client('GET /tasks', { query });
    found.push(...tasks.filter(({ createdAt }) => since === null || createdAt >= since));
    const last = tasks.at(-1);
    if (next === null || last === undefined || (since !== null && last.createdAt < since)) break;
    cursor = next;
  }
  return found;
}

/** @returns null for what is there no more */
async function unlessGone<Answer>(answer: Promise<Answer>): Promise<Answer | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof OperatorApiError && error.status === 404) return null;
    throw error;
  }
}
