import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { hasEnded } from '../api/has-ended.ts';
import { childrenOf } from '../api/queries.ts';
import type { TaskSummary } from '../api/types.ts';
import { PhaseMark } from './icons.tsx';
import { useMe } from './me.tsx';
import { Progress } from './progress.tsx';
import { Shown } from './states.tsx';
import { shortId } from './task-table.tsx';
import { Span } from './times.tsx';

type Parent = Pick<TaskSummary, 'id' | 'tool' | 'phase'>;

const nameOf = ({ tool, id }: Parent): string => `${tool} ${shortId(id)}`;

/** What a task has started, the newest first. What these have started comes when one opens them, a page of a level at a time. */
export function TaskTree({ task }: { task: Parent }) {
  const isOver = hasEnded(task);
  const query = useInfiniteQuery(childrenOf(task.id, isOver));
  const { hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = query;
  useEffect(() => {
    if (isOver) void refetch({ cancelRefetch: false });
  }, [isOver, refetch]);
  return (
    <Shown query={query}>
      {({ pages }) => (
        <>
          <ul className="task-tree" aria-label={`Started by ${nameOf(task)}`}>
            {pages
              .flatMap(({ tasks }) => tasks)
              .map((child) => (
                <Branch key={child.id} task={child} />
              ))}
          </ul>
          {hasNextPage && (
            <Button
              size="compact-xs"
              variant="default"
              loading={isFetchingNextPage}
              onClick={() => void fetchNextPage()}
            >
              Older ones of {nameOf(task)}
            </Button>
          )}
        </>
      )}
    </Shown>
  );
}

function Branch({ task }: { task: TaskSummary }) {
  const { id, phase, message, progress, startedAt, finishedAt, createdAt } = task;
  const me = useMe();
  const [isOpen, open] = useState(false);
  return (
    <li>
      <div className="tools" data-row>
        <button
          type="button"
          className="plain twig"
          aria-expanded={isOpen}
          aria-label={`What ${nameOf(task)} started`}
          hidden={!task.hasChildren}
          onClick={() => open(!isOpen)}
        />
        {/* Without a handle of it, a task is no page for its owner. */}
        {me.seesAll ? (
          <Link to="/tasks/$id" params={{ id }} title={id}>
            {task.tool} <span className="mono soft">{shortId(id)}</span>
          </Link>
        ) : (
          <span title={id}>
            {task.tool} <span className="mono soft">{shortId(id)}</span>
          </span>
        )}
        <PhaseMark phase={phase} />
        {!hasEnded(task) && <Progress of={progress} />}
        {startedAt !== null && (
          <span className="soft">
            <Span from={startedAt} to={finishedAt ?? (hasEnded(task) ? createdAt : null)} />
          </span>
        )}
        {message !== null && phase === 'failed' && <span className="bad cut">{message}</span>}
      </div>
      {isOpen && <TaskTree task={task} />}
    </li>
  );
}
