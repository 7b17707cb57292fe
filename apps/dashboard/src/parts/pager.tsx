import { Button } from '@mantine/core';
import { useNavigate, useRouterState } from '@tanstack/react-router';

/** Pages of a list by cursors: on to older rows, and back the way one came. */
export function Pager({ cursor, next }: { cursor: string | undefined; next: string | null }) {
  const navigate = useNavigate();
  const trail = useRouterState({ select: ({ location }) => location.state.trail }) ?? [];
  const go = (to: string | undefined, newTrail: readonly (string | undefined)[]) =>
    void navigate({
      to: '.',
      search: (before: object) => ({ ...before, cursor: to }),
      state: { trail: newTrail },
    });
  if (cursor === undefined && next === null) return null;
  const isFirst = cursor === undefined;
  return (
    <nav className="pager" aria-label="Pages of this list">
      <Button size="xs" variant="default" disabled={isFirst} onClick={() => go(undefined, [])}>
        Newest
      </Button>
      <Button
        size="xs"
        variant="default"
        data-newer
        disabled={isFirst}
        onClick={() => go(trail.at(-1), trail.slice(0, -1))}
      >
        Newer
      </Button>
      <Button
        size="xs"
        variant="default"
        data-older
        disabled={next === null}
        onClick={() => next !== null && go(next, [...trail, cursor])}
      >
        Older
      </Button>
    </nav>
  );
}
