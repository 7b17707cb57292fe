import type { TaskDetail } from '../api/types.ts';
import { LongText } from '../parts/json-view.tsx';
import { Empty } from '../parts/states.tsx';
import { Moment } from '../parts/times.tsx';

const GOOD = /completed|succeeded|answered/;
const BAD = /failed|lost|expired|error/;

/** What happened to a task, the newest first: of several attempts the last says most. */
export function Timeline({ task }: { task: TaskDetail }) {
  if (task.events.length === 0) return <Empty title="Nothing has happened to it yet" />;
  return (
    <>
      <ol className="timeline" aria-label="What happened, the newest first" reversed>
        {task.events.toReversed().map(({ kind, attempt, data, at }, index) => (
          <li
            // biome-ignore lint/suspicious/noArrayIndexKey: events of one instant differ in their order only.
            key={`${at}-${index}`}
            className={BAD.test(kind) ? 'bad' : GOOD.test(kind) ? 'good' : ''}
          >
            <span className="soft">
              <Moment at={at} />
            </span>
            <span>
              <strong>{kind.replaceAll('_', ' ')}</strong>
              {attempt !== null && <span className="soft"> attempt {attempt}</span>}
              <EventData data={data} />
            </span>
          </li>
        ))}
      </ol>
      {task.events.length >= 500 && <p className="soft">The latest 500 of what happened.</p>}
    </>
  );
}

function EventData({ data }: { data: Readonly<Record<string, unknown>> | null }) {
  if (data === null) return null;
  const message = data['message'];
  const { message: _, ...rest } = data;
  return (
    <>
      {typeof message === 'string' && (
        <span style={{ display: 'block', overflowWrap: 'anywhere' }}>{message}</span>
      )}
      {Object.keys(rest).length > 0 && (
        <details>
          <summary className="soft">{Object.keys(rest).join(', ')}</summary>
          <LongText text={JSON.stringify(rest, null, 2)} label="Details of the event" />
        </details>
      )}
    </>
  );
}
