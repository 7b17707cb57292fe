import { Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { API } from '../api/client.ts';
import { outcomeOf } from '../api/queries.ts';
import type { TaskDetail, TaskOutcome } from '../api/types.ts';
import { CopyText, JsonView, LongText } from '../parts/json-view.tsx';
import { Shown } from '../parts/states.tsx';
import { isRecord, type Json } from '../state/json.ts';
import { bytesText } from '../state/time-text.ts';

/** Pictures that are shown; what else calls itself one is data. */
const IMAGES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif']);

export function OutcomeTab({ task }: { task: TaskDetail }) {
  const query = useQuery(outcomeOf(task.id));
  return <Shown query={query}>{(outcome) => <Outcome id={task.id} outcome={outcome} />}</Shown>;
}

function Outcome({ id, outcome }: { id: string; outcome: TaskOutcome }) {
  const { kind, payload, wholeBytes } = outcome;
  const content = Array.isArray(payload['content']) ? payload['content'].filter(isRecord) : [];
  const structured = payload['structuredContent'];
  const shows = [
    ...(content.length > 0 ? ['content'] : []),
    ...(structured === undefined ? [] : ['data']),
    'json',
  ];
  return (
    <>
      {kind === 'tool_error' && <p className="bad">The tool says that it failed.</p>}
      {kind === 'error' && <p className="bad">The call ended with an error of the protocol.</p>}
      {wholeBytes !== null && (
        <p className="banner calm">
          This is a part of it: the whole has {bytesText(wholeBytes)}.{' '}
          <a href={`${API}/tasks/${id}/result/download`} download>
            Download the result
          </a>
        </p>
      )}
      <Tabs defaultValue={shows[0] ?? 'json'} keepMounted={false} variant="pills">
        <Tabs.List mb="sm" aria-label="Result as">
          {shows.includes('content') && <Tabs.Tab value="content">Content</Tabs.Tab>}
          {shows.includes('data') && <Tabs.Tab value="data">Structured</Tabs.Tab>}
          <Tabs.Tab value="json">JSON</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="content">
          {content.map((part, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a result do not change.
            <Part key={index} part={part} />
          ))}
        </Tabs.Panel>
        <Tabs.Panel value="data">
          <JsonView value={structured} label="Structured result" />
        </Tabs.Panel>
        <Tabs.Panel value="json">
          <JsonView value={payload} label="Result" />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

function Part({ part }: { part: Json }) {
  const { type, text, data, mimeType, uri, name } = part;
  if (type === 'text' && typeof text === 'string')
    return (
      <div className="panel">
        <div className="tools" style={{ marginBottom: 8 }}>
          <CopyText text={text} />
        </div>
        <LongText text={text} label="Text of the result" />
      </div>
    );
  if (
    type === 'image' &&
    typeof data === 'string' &&
    typeof mimeType === 'string' &&
    IMAGES.has(mimeType)
  )
    return (
      <p>
        <img
          src={`data:${mimeType};base64,${data}`}
          alt="Of the result"
          style={{ maxWidth: '100%' }}
        />
      </p>
    );
  if (type === 'resource_link' && typeof uri === 'string')
    return (
      <p>
        Resource <strong>{typeof name === 'string' ? name : ''}</strong> <code>{uri}</code>
      </p>
    );
  return <JsonView value={part} label={`Part of the result, ${String(type)}`} />;
}
