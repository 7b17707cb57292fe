import { useQuery } from '@tanstack/react-query';
import { isLive } from '../api/connection.ts';
import { hasEnded } from '../api/has-ended.ts';
import { taskOf } from '../api/queries.ts';
import type { TaskDetail } from '../api/types.ts';
import { LongText } from '../parts/json-view.tsx';
import { Empty } from '../parts/states.tsx';
import { Moment } from '../parts/times.tsx';
import { eventText } from '../state/event-text.ts';

const READ_AGAIN_MS = 2_000;

const GOOD = /completed|succeeded|answered/;
const BAD = /failed|lost|expired|error/;

/** What happened to a task, the newest first: of several attempts the last says most. */
export function Timeline({ task }: { task: TaskDetail }) {
  // What a tool logs changes nothing of the task, so no event tells of it.
  useQuery({
    ...taskOf(task.id),
    refetchInterval: ({ state: { data } }) =>
      isLive() && data !== undefined && !hasEnded(data) ? READ_AGAIN_MS : false,
  });
  if (task.events.length === 0) return <Empty title="Nothing has happened to it yet" />;
  return (
    <>
      <ol className="timeline" aria-label="What happened, the newest first" reversed>
        {task.events.toReversed().map(({ kind, attempt, data, at }, index) => {
          const { title, message, rest } = eventText(kind, data ?? {});
          return (
            <li
              // biome-ignore lint/suspicious/noArrayIndexKey: events of one instant differ in their order only.
              key={`${at}-${index}`}
              className={BAD.test(title) ? 'bad' : GOOD.test(title) ? 'good' : ''}
            >
              <span className="soft">
                <Moment at={at} />
              </span>
              <span>
                <strong>{title}</strong>
                {attempt !== null && <span className="soft"> attempt {attempt}</span>}
                {message !== null && (
                  <span style={{ display: 'block', overflowWrap: 'anywhere' }}>{message}</span>
                )}
                {Object.keys(rest).length > 0 && (
                  <details>
                    <summary className="soft">{Object.keys(rest).join(', ')}</summary>
                    <LongText text={JSON.stringify(rest, null, 2)} label="Details of the event" />
                  </details>
                )}
              </span>
            </li>
          );
        })}
      </ol>
      {task.events.length >= 500 && <p className="soft">The latest 500 of what happened.</p>}
    </>
  );
}
