import { Button, SegmentedControl, Select } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, useState } from 'react';
import { useAction } from '../api/actions.ts';
import { API } from '../api/client.ts';
import { hasEnded } from '../api/has-ended.ts';
import { batchOf, itemsOf } from '../api/queries.ts';
import type { BatchItem, BatchMap, TaskDetail } from '../api/types.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { Icon } from '../parts/icons.tsx';
import { JsonView } from '../parts/json-view.tsx';
import { noWriter, useMe } from '../parts/me.tsx';
import { Panel } from '../parts/page.tsx';
import { Empty, Shown } from '../parts/states.tsx';
import { shortId } from '../parts/task-table.tsx';
import { rateOf, type Sample, timeLeftText, withSample } from '../state/rate.ts';
import { ITEM_STATES } from '../state/searches.ts';
import { countText, shareText } from '../state/time-text.ts';

type ItemState = (typeof ITEM_STATES)[number];

/** Where the items of a batch stand. A task may have several batches, by their keys. */
export function BatchTab({ task }: { task: TaskDetail }) {
  const search = useSearch({ from: '/tasks/$id' });
  const navigate = useNavigate();
  const keys = task.batches.map(({ key }) => key);
  const key = keys.find((one) => one === search.batch) ?? keys[0] ?? '';
  const query = useQuery(batchOf(task.id, key, !hasEnded(task)));
  const change = (part: { batch?: string; items?: ItemState }) =>
    void navigate({
      to: '/tasks/$id',
      params: { id: task.id },
      search: { ...search, tab: 'batch', ...part },
      replace: true,
      resetScroll: false,
    });
  return (
    <>
      {keys.length > 1 && (
        <Select
          label="Batch"
          size="xs"
          mb="sm"
          allowDeselect={false}
          data={keys}
          value={key}
          onChange={(next) => next !== null && change({ batch: next })}
        />
      )}
      <Shown query={query}>
        {(map) => (
          <>
            <BatchFigures task={task} map={map} readAt={query.dataUpdatedAt} />
            {map.failures.length > 0 && (
              <Failures map={map} show={() => change({ items: 'failed' })} />
            )}
            <Items
              key={key}
              task={task}
              map={map}
              status={search.items ?? 'all'}
              choose={(items) => change({ items })}
            />
          </>
        )}
      </Shown>
    </>
  );
}

function BatchFigures({ task, map, readAt }: { task: TaskDetail; map: BatchMap; readAt: number }) {
  const me = useMe();
  const navigate = useNavigate();
  const { done, failed, items, isSealed, isSettled } = map;
  const retry = useAction('POST /tasks/{id}/retry-failed', {
    done: (answer) => `The failed items run again as ${shortId(answer.task.id)}.`,
    after: (answer) => navigate({ to: '/tasks/$id', params: { id: answer.task.id } }),
  });
  const [samples, setSamples] = useState<readonly Sample[]>([]);
  useEffect(
    () => setSamples((before) => withSample(before, { at: readAt, count: done + failed })),
    [readAt, done, failed],
  );
  // What is still being made is known by its progress only, if the tool tells of it.
  const known = isSealed || task.batches.length > 1 ? null : (task.progress?.total ?? null);
  const whole = Math.max(items, known ?? 0);
  const isWhole = isSealed || known !== null;
  const left = whole - done - failed;
  const rate = rateOf(samples);
  const isRunning = !isSettled && !hasEnded(task);
  const summary = `${countText(done)} done, ${countText(failed)} failed, ${countText(left)} left of ${countText(whole)}`;
  return (
    <Panel
      title="Items"
      aside={
        <div className="tools">
          <ActionButton
            label="Retry failed"
            not={
              noWriter(me) ??
              (failed === 0
                ? 'No item has failed.'
                : hasEnded(task)
                  ? null
                  : 'The batch has not ended.')
            }
            isBusy={retry.isPending}
            confirm={
              <p>
                {countText(failed)} items run again, as a new task. What is done stays as it is.
              </p>
            }
            run={() => retry.mutate({ params: { id: task.id }, body: { key: map.key } })}
          />
          <Button
            size="xs"
            variant="default"
            component="a"
            href={`${API}/tasks/${task.id}/items/download?key=${encodeURIComponent(map.key)}&status=failed`}
            download
            disabled={failed === 0}
          >
            Download failures
          </Button>
          <Button
            size="xs"
            variant="default"
            component="a"
            href={`${API}/tasks/${task.id}/items/download?key=${encodeURIComponent(map.key)}`}
            download
          >
            Download all
          </Button>
        </div>
      }
    >
      <div className="stacked" role="img" aria-label={summary}>
        <span className="done" style={{ width: `${(100 * done) / Math.max(1, whole)}%` }} />
        <span className="failed" style={{ width: `${(100 * failed) / Math.max(1, whole)}%` }} />
      </div>
      <p style={{ margin: '8px 0' }}>
        <strong>{summary}</strong>
        {!isWhole && <span className="soft"> so far; more may come</span>}{' '}
        <span className="soft">
          {failed > 0 && `${shareText(failed, done + failed)} fail. `}
          {isRunning &&
            rate !== null &&
            `${countText(Math.round(rate))} a second${isWhole ? `, ${timeLeftText(left, samples)} left` : ''}.`}
        </span>
      </p>
      <ChunkMap map={map} />
    </Panel>
  );
}

/** A cell for each stretch of items: what is not done yet, what is, and where something failed. */
function ChunkMap({ map }: { map: BatchMap }) {
  const { cells } = map;
  const hurt = cells.filter(({ failed }) => failed > 0).length;
  const whole = cells.filter(({ open }) => !open).length;
  return (
    <>
      <div
        className="cells"
        role="img"
        aria-label={`Map of ${cells.length} stretches of items: ${whole} ended, ${hurt} with failures`}
      >
        {cells.map(({ size, done, failed, open }, index) => (
          <span
            // biome-ignore lint/suspicious/noArrayIndexKey: a cell is the stretch of items at its place.
            key={index}
            className={failed > 0 ? 'hurt' : open ? (done > 0 ? 'part' : '') : 'whole'}
            title={`${done} of ${size} done, ${failed} failed`}
          />
        ))}
      </div>
      <ul className="legend soft cells-legend" style={{ marginTop: 6 }}>
        {[
          ['', 'waits or runs'],
          ['part', 'partly done'],
          ['whole', 'done'],
          ['hurt', 'with failures'],
        ].map(([look, words]) => (
          <li key={words} className="cells key">
            <span className={look} /> {words}
          </li>
        ))}
      </ul>
    </>
  );
}

function Failures({ map, show }: { map: BatchMap; show: () => void }) {
  return (
    <Panel
      title="Failures by message"
      aside={
        <Button size="xs" variant="default" onClick={show}>
          Show failed items
        </Button>
      }
    >
      <div className="table-frame">
        <table className="table">
          <thead>
            <tr>
              <th scope="col">Message</th>
              <th scope="col" className="right">
                Items
              </th>
              <th scope="col" className="right">
                Such as
              </th>
            </tr>
          </thead>
          <tbody>
            {map.failures.map(({ message, count, sampleIndex }) => (
              <tr key={message}>
                <td style={{ overflowWrap: 'anywhere' }}>{message}</td>
                <td className="right">{countText(count)}</td>
                <td className="right">#{sampleIndex}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {map.failuresLookedAt < map.failed && (
        <p className="soft">Of the first {countText(map.failuresLookedAt)} failed items.</p>
      )}
    </Panel>
  );
}

function ItemMark({ status }: { status: BatchItem['status'] }) {
  const isDone = status === 'done';
  return (
    <span className="phase" style={{ color: isDone ? 'var(--good)' : 'var(--bad)' }}>
      <Icon name={isDone ? 'check' : 'cross'} />
      {isDone ? 'Done' : 'Failed'}
    </span>
  );
}

const ROW = 32;
/** Rows from the end of what is there at which more is read. */
const AHEAD = 40;

function Items(props: {
  task: TaskDetail;
  map: BatchMap;
  status: ItemState;
  choose: (status: ItemState) => void;
}) {
  const { task, map, status, choose } = props;
  const query = useInfiniteQuery(itemsOf(task.id, map.key, status));
  const items = query.data?.pages.flatMap((page) => page.items) ?? [];
  const [opened, open] = useState<BatchItem | null>(null);
  const frame = useRef<HTMLElement>(null);
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW,
    overscan: 10,
  });
  const rows = virtual.getVirtualItems();
  const last = rows.at(-1)?.index ?? 0;
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && last >= items.length - AHEAD) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage, last, items.length]);
  return (
    <Panel
      title="What came of them"
      aside={
        <div className="tools">
          <SegmentedControl
            size="xs"
            aria-label="Items that are shown"
            value={status}
            onChange={(next) => choose(ITEM_STATES.find((one) => one === next) ?? 'all')}
            data={[
              { value: 'all', label: 'All' },
              { value: 'done', label: 'Done' },
              { value: 'failed', label: 'Failed' },
            ]}
          />
          <Button
            size="xs"
            variant="default"
            loading={query.isRefetching}
            onClick={() => void query.refetch()}
          >
            Read again
          </Button>
        </div>
      }
    >
      <Shown query={query}>
        {() =>
          items.length === 0 ? (
            <Empty title={status === 'failed' ? 'No item has failed' : 'No item is there yet'} />
          ) : (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be scrollable by keyboard.
            <section className="items" ref={frame} tabIndex={0} aria-label="Items">
              <ol style={{ height: virtual.getTotalSize() }}>
                {rows.map(({ index, start }) => {
                  const item = items[index];
                  if (item === undefined) return null;
                  return (
                    <li key={item.index} style={{ transform: `translateY(${start}px)` }}>
                      <button type="button" className="plain mono" onClick={() => open(item)}>
                        #{item.index}
                      </button>
                      <ItemMark status={item.status} />
                      <span>
                        {item.error?.message ??
                          (item.value === null ? '–' : JSON.stringify(item.value))}
                      </span>
                    </li>
                  );
                })}
              </ol>
            </section>
          )
        }
      </Shown>
      {opened !== null && (
        <div style={{ marginTop: 12 }}>
          <h3>
            Item #{opened.index}, {opened.attempts} {opened.attempts === 1 ? 'attempt' : 'attempts'}
          </h3>
          <JsonView value={opened.error ?? opened.value} label={`Item ${opened.index}`} />
        </div>
      )}
    </Panel>
  );
}
