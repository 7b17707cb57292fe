import { CloseButton } from '@mantine/core';
import { useStore } from '../state/store.ts';
import { toasts, unsay } from '../state/toasts.ts';

export function Toasts() {
  const shown = useStore(toasts);
  return (
    <div className="toasts" role="status">
      {shown.map(({ id, kind, text }) => (
        <div key={id} className={`toast ${kind}`}>
          <span>
            {kind === 'failed' && <strong>Not done: </strong>}
            {text}
          </span>
          <CloseButton size="sm" aria-label="Close" onClick={() => unsay(id)} />
        </div>
      ))}
    </div>
  );
}
