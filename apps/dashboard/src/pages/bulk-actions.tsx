import { Button, Modal, Progress, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useAction } from '../api/actions.ts';
import { client, messageOf } from '../api/client.ts';
import { bulkOf, readAgain, taskFilterOf } from '../api/queries.ts';
import type { BulkAction } from '../api/types.ts';
import { noWriter, useMe } from '../parts/me.tsx';
import type { TaskSearch } from '../state/searches.ts';
import { countText } from '../state/time-text.ts';

type Verb = BulkAction['verb'];

const WORDS = {
  cancel: { button: 'Cancel all…', does: 'are cancelled, with what they have started' },
  retry: { button: 'Retry all…', does: 'are run again, each as a new task' },
} as const;

/** What says that everything is meant. */
const EVERYTHING = 'everything';
const MOST = 100_000;

/** Acts on all tasks that the filters match, on this page and on others; the server goes on with it by itself. */
export function BulkActions({ search, hasFilter }: { search: TaskSearch; hasFilter: boolean }) {
  const [verb, choose] = useState<Verb | null>(null);
  if (noWriter(useMe()) !== null) return null;
  return (
    <>
      {(['cancel', 'retry'] as const).map((one) => (
        <Button key={one} size="compact-xs" variant="default" onClick={() => choose(one)}>
          {WORDS[one].button}
        </Button>
      ))}
      <Modal
        opened={verb !== null}
        onClose={() => choose(null)}
        title={verb === 'retry' ? 'Retry all that match' : 'Cancel all that match'}
        centered
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {verb !== null && <Ask verb={verb} search={search} hasFilter={hasFilter} />}
      </Modal>
    </>
  );
}

function Ask({ verb, search, hasFilter }: { verb: Verb; search: TaskSearch; hasFilter: boolean }) {
  const [word, setWord] = useState('');
  const [begun, setBegun] = useState<BulkAction | null>(null);
  const call = {
    verb,
    filter: taskFilterOf(search),
    ...(hasFilter ? {} : { confirm: EVERYTHING }),
  };
  const counted = useQuery({
    queryKey: ['bulk count', call],
    queryFn: () => client('POST /bulk', { body: { ...call, dryRun: true } }),
    staleTime: 0,
    gcTime: 0,
  });
  const begin = useAction('POST /bulk', {
    done: () => null,
    after: ({ action }) => setBegun(action),
  });
  if (begun !== null) return <Running id={begun.id} expected={counted.data?.count ?? 0} />;
  if (counted.error !== null) return <p className="bad">{messageOf(counted.error)}</p>;
  const { count, isCapped } = counted.data ?? { count: 0, isCapped: false };
  const isMeant = hasFilter || word === EVERYTHING;
  return (
    <>
      <p role="status">
        {counted.isPending
          ? 'Counting…'
          : `${countText(count)}${isCapped ? ' or more' : ''} tasks ${WORDS[verb].does}.`}{' '}
        {verb === 'retry' && search.phase === undefined && 'Only those that failed.'}
      </p>
      <p className="soft">
        There may be more or fewer by the time it comes to them. It goes on when you leave this
        page.
      </p>
      {!hasFilter && (
        <TextInput
          label={`No filter is set. Write “${EVERYTHING}” if you mean that.`}
          value={word}
          onChange={({ currentTarget }) => setWord(currentTarget.value)}
        />
      )}
      <div className="tools" style={{ justifyContent: 'flex-end', marginTop: 16 }}>
        <Button
          size="xs"
          color={verb === 'cancel' ? 'red.9' : ''}
          disabled={count === 0 || !isMeant}
          loading={begin.isPending}
          onClick={() => begin.mutate({ body: { ...call, most: MOST } })}
        >
          {verb === 'cancel' ? 'Cancel' : 'Retry'} {countText(count)}
          {isCapped && '+'} tasks
        </Button>
      </div>
    </>
  );
}

/** How far it is; it can be stopped. */
function Running({ id, expected }: { id: string; expected: number }) {
  const { data } = useQuery(bulkOf(id));
  const stop = useAction('POST /bulk/{id}/stop', { done: () => 'Stopped.' });
  const isOver = data !== undefined && data.state !== 'running';
  useEffect(() => {
    if (isOver) void readAgain(['tasks']);
  }, [isOver]);
  if (data === undefined) return <p role="status">It begins…</p>;
  const { done, failed, state, failures } = data;
  const share = isOver ? 100 : Math.min(99, (100 * (done + failed)) / Math.max(1, expected));
  return (
    <>
      <Progress value={share} aria-label="How far it is" />
      <p role="status">
        {countText(done)} done{failed > 0 && `, ${countText(failed)} could not be`}
        {isOver && (state === 'stopped' ? '. Stopped.' : '. That is all.')}
      </p>
      {failures.length > 0 && (
        <ul>
          {failures.slice(0, 5).map((failure) => (
            <li key={failure.id} className="bad">
              {failure.message}
            </li>
          ))}
        </ul>
      )}
      {!isOver && (
        <Button
          size="xs"
          variant="default"
          loading={stop.isPending}
          onClick={() => stop.mutate({ params: { id } })}
        >
          Stop
        </Button>
      )}
    </>
  );
}
