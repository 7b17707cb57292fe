import { Button, Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import { isProblem, isUnreachable, messageOf } from '../api/client.ts';

export function Loading() {
  return (
    <div aria-busy="true">
      <span className="unseen">Loading</span>
      {[0, 1, 2, 3].map((line) => (
        <Skeleton key={line} height={20} my={10} />
      ))}
    </div>
  );
}

/** Nothing to show, and what to do about it. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="state">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** What could not be read, in the words of the server, and what helps. */
export function Failure({ error, again }: { error: unknown; again?: () => void }) {
  return (
    <div className="state" role="alert">
      <h2>{titleOf(error)}</h2>
      <p>
        {isUnreachable(error)
          ? 'It is tried again by itself once the server is back.'
          : messageOf(error)}
      </p>
      {again !== undefined && (
        <Button variant="default" size="xs" onClick={again}>
          Try again
        </Button>
      )}
    </div>
  );
}

function titleOf(error: unknown): string {
  if (isUnreachable(error)) return 'The server does not answer';
  if (isProblem(error, 403)) return 'You may not see this';
  if (isProblem(error, 404)) return 'There is no such thing';
  if (isProblem(error, 503)) return 'The server is too busy for this';
  return 'This could not be read';
}

/** One of the four states of what is read: it comes, it failed, there is none, or here it is. What is there stays while it is read again. */
export function Shown<Value>(props: {
  query: { data: Value | undefined; error: unknown; refetch: () => unknown };
  children: (value: Value) => ReactNode;
}) {
  const { data, error, refetch } = props.query;
  if (data !== undefined) return <>{props.children(data)}</>;
  return error === null ? <Loading /> : <Failure error={error} again={() => void refetch()} />;
}
