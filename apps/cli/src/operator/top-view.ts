import type { AnswerOf } from '@longshore/operator';
import { localTime } from '../client/local-time.ts';
import { cellOf } from '../client/table.ts';
import { type Queue, queuesTable } from './queues-command.ts';
import { durationOf, type RecentPast } from './recent-past.ts';
import { type Worker, workersTable } from './workers-command.ts';

/** What `top` shows, and prints with `--json`. */
export interface Fleet {
  readonly overview: AnswerOf<'GET /overview'>;
  readonly recent: RecentPast;
  readonly queues: readonly Queue[];
  readonly workers: readonly Worker[];
}

const MOST_ATTENTION = 8;

/**
 * The view as lines.
 * @param columns null: as wide as it gets
 */
export function viewOf(url: string, fleet: Fleet, columns: number | null): string[] {
  const { overview, recent, queues, workers } = fleet;
  const { open, oldestWaitMs, attention } = overview;
  const all = Object.values(open).reduce((sum, count) => sum + count, 0);
  const taken = workers.reduce((sum, { running }) => sum + running, 0);
  const draining = overview.workers.draining > 0 ? `, ${overview.workers.draining} draining` : '';
  const facts = [
    `${url} at ${localTime(overview.now)}`,
    `open      ${all}: ${open.waiting} waiting, ${open.ready} ready, ${open.retrying} retrying, ${open.running} running, ${open.inputRequired} asking`,
    `oldest    ${oldestWaitMs === null ? 'nothing waits' : `waits for ${durationOf(oldestWaitMs)}`}`,
    `ended     ${endedText(recent)}`,
    ...(recent.waitMs === null ? [] : [`took      ${tookText(recent)}`]),
    `workers   ${overview.workers.live} live${draining}; ${taken} of ${overview.workers.seats} seats taken`,
    '',
    attention.length === 0 ? 'Nothing needs attention.' : 'NEEDS ATTENTION',
    ...attention.slice(0, MOST_ATTENTION).map(({ message }) => `- ${message}`),
    ...(attention.length > MOST_ATTENTION
      ? [`- and ${attention.length - MOST_ATTENTION} more`]
      : []),
  ];
  const limit = columns ?? Number.MAX_SAFE_INTEGER;
  return [
    ...facts.map((fact) => cellOf(fact, limit)),
    ...(queues.length === 0 ? [] : ['', ...queuesTable(queues, columns).split('\n')]),
    ...(workers.length === 0 ? [] : ['', ...workersTable(workers, columns).split('\n')]),
  ];
}

function endedText({ ended, spanMs, perMinute, failedShare }: RecentPast): string {
  const rate = perMinute < 10 ? perMinute.toFixed(1) : String(Math.round(perMinute));
  const failed = failedShare === null ? '' : `, ${(failedShare * 100).toFixed(1)} % failed`;
  return `${ended} in ${durationOf(spanMs)}, ${rate} a minute${failed}`;
}

function tookText({ waitMs, runMs }: RecentPast): string {
  const half = (name: string, of: RecentPast['waitMs']): string =>
    of === null ? '' : `${name} ${durationOf(of.p50)}, 95 % below ${durationOf(of.p95)}`;
  return [half('to start', waitMs), half('to run', runMs)].filter((text) => text !== '').join('; ');
}
