import { useAction } from '../api/actions.ts';
import { ActionButton } from './action-button.tsx';
import { noOperator, useMe } from './me.tsx';

/** Pauses or resumes a queue or a tool. */
export function PauseButton(props: {
  kind: 'queues' | 'tools';
  name: string;
  isPaused: boolean;
  /** What does not start meanwhile: `Tasks`. */
  what: string;
}) {
  const { kind, name, isPaused, what } = props;
  const not = noOperator(useMe());
  const pause = useAction(`POST /${kind}/{name}/pause`, {
    done: () => `${name} is paused: what runs goes on.`,
  });
  const resume = useAction(`POST /${kind}/{name}/resume`, {
    done: () => `${what} of ${name} are started again.`,
  });
  const call = { params: { name } };
  return isPaused ? (
    <ActionButton
      label="Resume"
      look="filled"
      not={not}
      isBusy={resume.isPending}
      run={() => resume.mutate(call)}
    />
  ) : (
    <ActionButton
      label="Pause"
      not={not}
      isBusy={pause.isPending}
      confirm={
        <p>
          {what} of {name} are taken on, but none is started until you resume it. What runs goes on.
        </p>
      }
      run={() => pause.mutate(call)}
    />
  );
}
