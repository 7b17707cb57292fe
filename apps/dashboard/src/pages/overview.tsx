import { mergeHistograms, percentileOf } from '@longshore/operator/histogram';
import { PHASES, RANGES } from '@longshore/operator/words';
import { SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense } from 'react';
import { OVERVIEW, QUEUES, statsOf } from '../api/queries.ts';
import type { Overview, Phase, Range, Stats } from '../api/types.ts';
import { DataTable } from '../parts/data-table.tsx';
import { Icon } from '../parts/icons.tsx';
import { useMe } from '../parts/me.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { Empty, Loading, Shown } from '../parts/states.tsx';
import { PHASE_LOOKS } from '../state/looks.ts';
import { countText, durationText, shareText } from '../state/time-text.ts';

const Chart = lazy(() => import('../parts/chart.tsx'));

export function OverviewPage() {
  const me = useMe();
  // Figures of the whole are for operators; everyone else begins with their own tasks.
  return me.seesAll ? <Figures /> : <OwnStart />;
}

function OwnStart() {
  return (
    <Page title="Longshore">
      <p>
        You see <Link to="/tasks">your own tasks</Link> and <Link to="/tools">the tools</Link>.
        Figures of the whole, workers and queues need the scope ops:read.
      </p>
    </Page>
  );
}

function Figures() {
  const search = useSearch({ from: '/' });
  const navigate = useNavigate();
  const range = search.range ?? '1h';
  return (
    <Page
      title="Overview"
      aside={
        <SegmentedControl
          size="xs"
          aria-label="Of the last"
          value={range}
          data={[...RANGES]}
          onChange={(next) =>
            void navigate({
              to: '/',
              search: { range: RANGES.find((one) => one === next) },
              resetScroll: false,
            })
          }
        />
      }
    >
      <Now />
      <Ended range={range} />
    </Page>
  );
}

const OPEN = [
  ['waiting', 'waiting'],
  ['ready', 'ready'],
  ['retrying', 'retrying'],
  ['running', 'running'],
  ['input_required', 'inputRequired'],
] as const satisfies readonly (readonly [Phase, keyof Overview['open']])[];

function Now() {
  const query = useQuery(OVERVIEW);
  return (
    <Shown query={query}>
      {({ open, attention, oldestWaitMs, workers }) => (
        <>
          <div role="status">
            {attention.map(({ kind, message, tool, queue }) => (
              <div className="banner" key={`${kind} ${tool} ${queue}`}>
                <span>{message}</span>
                {(tool !== null || queue !== null) && (
                  <Link
                    to="/tasks"
                    search={{
                      ...(tool === null ? {} : { tool: [tool] }),
                      ...(queue === null ? {} : { queue: [queue] }),
                      ...(kind === 'failing'
                        ? { phase: ['failed'] as const }
                        : { phase: PHASES.slice(0, 3) }),
                    }}
                  >
                    Show its tasks
                  </Link>
                )}
              </div>
            ))}
          </div>
          <div className="tiles">
            {OPEN.map(([phase, name]) => (
              <Link key={phase} className="tile" to="/tasks" search={{ phase: [phase] }}>
                <span className="phase" style={{ color: PHASE_LOOKS[phase].color }}>
                  <Icon name={PHASE_LOOKS[phase].icon} />
                  {PHASE_LOOKS[phase].word}
                </span>
                <strong>{countText(open[name])}</strong>
              </Link>
            ))}
            <Link className="tile" to="/tasks" search={{ phase: PHASES.slice(0, 2) }}>
              <span className="soft">Oldest waiting</span>
              <strong>{oldestWaitMs === null ? '–' : durationText(oldestWaitMs)}</strong>
            </Link>
            <Link className="tile" to="/workers">
              <span className="soft">
                Seats of {workers.live} {workers.live === 1 ? 'worker' : 'workers'}
                {workers.draining > 0 && `, ${workers.draining} draining`}
              </span>
              <strong>
                {countText(open.running)}/{countText(workers.seats)}
              </strong>
            </Link>
          </div>
        </>
      )}
    </Shown>
  );
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

/** About: percentiles of histograms. */
const aboutText = (histogram: readonly number[], share: number): string => {
  const ms = percentileOf(histogram, share);
  return ms === null ? '–' : `≈ ${durationText(ms)}`;
};

function Ended({ range }: { range: Range }) {
  const query = useQuery(statsOf({ range }));
  return (
    <Shown query={query}>
      {(stats) => {
        const waits = mergeHistograms(stats.ended.map(({ waitHistogram }) => waitHistogram));
        const runs = mergeHistograms(stats.ended.map(({ runHistogram }) => runHistogram));
        const [completed, failed, cancelled] = (['completed', 'failed', 'cancelled'] as const).map(
          (outcome) => sum(stats.ended.map((bucket) => bucket[outcome])),
        ) as [number, number, number];
        const within = { within: range };
        return (
          <>
            <div className="tiles">
              {(
                [
                  ['completed', completed],
                  ['failed', failed],
                  ['cancelled', cancelled],
                ] as const
              ).map(([phase, count]) => (
                <Link
                  key={phase}
                  className="tile"
                  to="/tasks"
                  search={{ ...within, phase: [phase] }}
                >
                  <span className="phase" style={{ color: PHASE_LOOKS[phase].color }}>
                    <Icon name={PHASE_LOOKS[phase].icon} />
                    {PHASE_LOOKS[phase].word}
                  </span>
                  <strong>{countText(count)}</strong>
                </Link>
              ))}
              <Figure name="Failure share" value={shareText(failed, completed + failed)} />
              <Figure name="Waited" value={<HalfAndMost of={waits} />} />
              <Figure name="Ran" value={<HalfAndMost of={runs} />} />
            </div>
            <div className="two">
              <Panel title="Ended, by outcome">
                <Throughput stats={stats} />
              </Panel>
              <Panel title="Waiting time">
                <Waits stats={stats} />
              </Panel>
              <Panel title="Failures by tool">
                <FailingTools stats={stats} range={range} />
              </Panel>
              <Panel title="Queues">
                <QueueRows />
              </Panel>
            </div>
          </>
        );
      }}
    </Shown>
  );
}

/** About: half of all were below the first, nineteen of twenty below the second. */
function HalfAndMost({ of }: { of: readonly number[] }) {
  return (
    <span className="half">
      <span>
        <span className="soft">half</span> {aboutText(of, 0.5)}
      </span>
      <span>
        <span className="soft">95 %</span> {aboutText(of, 0.95)}
      </span>
    </span>
  );
}

function Figure({ name, value }: { name: string; value: ReactNode }) {
  return (
    <div className="tile">
      <span className="soft">{name}</span>
      <strong>{value}</strong>
    </div>
  );
}

/** Every instant of a range, so that idle ones are seen as such. */
function instantsOf({ from, to, stepMs }: Stats): number[] {
  const first = Math.ceil(Date.parse(from) / stepMs) * stepMs;
  const count = Math.max(0, Math.floor((Date.parse(to) - first) / stepMs) + 1);
  return Array.from({ length: Math.min(count, 2_000) }, (_, index) => first + index * stepMs);
}

function Throughput({ stats }: { stats: Stats }) {
  if (stats.ended.length === 0) return <Empty title="Nothing ended in this time" />;
  const at = instantsOf(stats);
  const byInstant = new Map(stats.ended.map((bucket) => [bucketOf(bucket.at, stats), bucket]));
  const line = (outcome: 'completed' | 'failed' | 'cancelled') =>
    at.map((instant) => byInstant.get(instant)?.[outcome] ?? 0);
  return (
    <Suspense fallback={<Loading />}>
      <Chart
        label="Tasks that ended, by outcome"
        unit={`per ${durationText(stats.stepMs)}`}
        at={at}
        lines={[
          { name: 'Completed', color: '--good', values: line('completed'), isFilled: true },
          { name: 'Failed', color: '--bad', values: line('failed'), dash: [6, 4] },
          { name: 'Cancelled', color: '--quiet', values: line('cancelled'), dash: [2, 3] },
        ]}
        text={countText}
      />
    </Suspense>
  );
}

const bucketOf = (at: string, { stepMs }: Stats): number =>
  Math.floor(Date.parse(at) / stepMs) * stepMs;

function Waits({ stats }: { stats: Stats }) {
  if (stats.ended.length === 0 && stats.gauges.length === 0)
    return <Empty title="Nothing waited in this time" />;
  const at = instantsOf(stats);
  const ended = new Map(stats.ended.map((bucket) => [bucketOf(bucket.at, stats), bucket]));
  const gauges = new Map(stats.gauges.map((gauge) => [bucketOf(gauge.at, stats), gauge]));
  const wait = (share: number) =>
    at.map((instant) => percentileOf(ended.get(instant)?.waitHistogram ?? [], share));
  return (
    <Suspense fallback={<Loading />}>
      <Chart
        label="Waiting time"
        unit="of tasks that ended, and of the oldest that waits"
        at={at}
        lines={[
          { name: 'Half', color: '--working', values: wait(0.5) },
          { name: '95 %', color: '--question', values: wait(0.95), dash: [6, 4] },
          {
            name: 'Oldest waiting',
            color: '--bad',
            values: at.map((instant) => gauges.get(instant)?.oldestWaitMs ?? null),
            dash: [2, 3],
          },
        ]}
        text={durationText}
      />
    </Suspense>
  );
}

function FailingTools({ stats, range }: { stats: Stats; range: Range }) {
  const failing = stats.tools
    .filter(({ failed }) => failed > 0)
    .sort((a, b) => b.failed - a.failed)
    .slice(0, 8);
  if (failing.length === 0) return <Empty title="No tool has failed" />;
  return (
    <DataTable
      caption="Tools with failures"
      rows={failing}
      idOf={({ tool }) => tool}
      columns={[
        {
          header: 'Tool',
          cell: ({ tool }) => (
            <Link to="/tasks" search={{ tool: [tool], phase: ['failed'], within: range }}>
              {tool}
            </Link>
          ),
        },
        { header: 'Failed', look: 'right', cell: ({ failed }) => countText(failed) },
        {
          header: 'Share',
          look: 'right',
          cell: ({ failed, completed }) => shareText(failed, failed + completed),
        },
        {
          header: 'Run, 95 %',
          look: 'right',
          cell: ({ runHistogram }) => aboutText(runHistogram, 0.95),
        },
      ]}
    />
  );
}

function QueueRows() {
  const query = useQuery(QUEUES);
  return (
    <Shown query={query}>
      {(queues) => (
        <DataTable
          caption="Queues"
          rows={queues.slice(0, 8)}
          idOf={({ name }) => name}
          columns={[
            {
              header: 'Queue',
              cell: ({ name, isPaused }) => (
                <>
                  <Link to="/tasks" search={{ queue: [name] }}>
                    {name}
                  </Link>
                  {isPaused && <span className="bad"> paused</span>}
                </>
              ),
            },
            {
              header: 'Waiting',
              look: 'right',
              cell: ({ waiting, ready }) => countText(waiting + ready),
            },
            {
              header: 'Running',
              look: 'right',
              cell: ({ running, seats }) => `${running}/${seats}`,
            },
            {
              header: 'Oldest',
              look: 'right',
              cell: ({ oldestWaitMs }) =>
                oldestWaitMs === null ? '–' : durationText(oldestWaitMs),
            },
          ]}
        />
      )}
    </Shown>
  );
}
