import type { TaskSummary } from '../api/types.ts';
import { countText } from '../state/time-text.ts';

/** How far a task is: a bar with a share when its end is known, else what was done. */
export function Progress({ of }: { of: TaskSummary['progress'] }) {
  if (of === null) return null;
  const { done, total, message } = of;
  if (total === null || total <= 0) return <span title={message ?? ''}>{countText(done)}</span>;
  const share = Math.min(100, Math.floor((100 * done) / total));
  return (
    <span title={message ?? ''} style={{ whiteSpace: 'nowrap' }}>
      <span className="meter" aria-hidden="true">
        <span style={{ width: `${share}%` }} />
      </span>
      {share} %
    </span>
  );
}
