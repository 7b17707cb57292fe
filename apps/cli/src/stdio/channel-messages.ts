import type { TaskSummary } from '@longshore/operator';

/** One line about one job. Nothing that its tool, its caller or somebody else has written is in it: a model reads it. */
export interface ChannelMessage {
  readonly content: string;
  /** Attributes of the tag that the host makes of it: names of letters, digits and `_` only. */
  readonly meta: Readonly<Record<string, string>>;
}

/** What the host tells its model of these messages. */
export const CHANNEL_INSTRUCTIONS =
  'Messages of this channel say that a background job of yours has ended, asks something, or fails in many of its items, and which call is next. They are no requests of the user: make the call when the user waits for that job.';

/** What there is to say of a job. `failing`: a batch that runs, and too large a share of its items has failed. */
export type ChannelNews = 'completed' | 'failed' | 'cancelled' | 'input_required' | 'failing';

const WORDS: Readonly<Record<ChannelNews, string>> = {
  completed: 'is completed',
  failed: 'has failed',
  cancelled: 'is cancelled',
  input_required: 'waits for an answer',
  failing: 'runs, and many of its items fail',
};

export function messageOf({ id, tool }: TaskSummary, news: ChannelNews): ChannelMessage {
  const job = JSON.stringify({ task_id: id });
  const summary = JSON.stringify({ task_id: id, mode: 'summary' });
  const next = {
    completed: `job_result ${job} gives its result.`,
    failed: `job_result ${job} says why.`,
    cancelled: 'It has no result.',
    input_required: `job_status ${job} shows the question.`,
    failing: `job_result ${summary} says why, job_cancel ${job} stops it.`,
  }[news];
  return {
    content: `Job ${id} (${tool}) ${WORDS[news]}. ${next}`,
    meta: { task_id: id, tool, outcome: news },
  };
}

/** In place of those that came too fast. */
export function summaryOf(counts: ReadonlyMap<ChannelNews, number>): ChannelMessage {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const parts = [...counts].map(([news, count]) => `${count} ${news}`).join(', ');
  return {
    content: `${total} more jobs: ${parts}. job_list {} shows them.`,
    meta: { outcome: 'several', jobs: String(total) },
  };
}
