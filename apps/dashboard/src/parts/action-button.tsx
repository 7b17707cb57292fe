import { Button, Modal, Tooltip } from '@mantine/core';
import { type ReactNode, useId, useState } from 'react';

interface ActionProps {
  readonly label: string;
  readonly run: () => void;
  /** Why it can not be done now; null: it can. */
  readonly not?: string | null;
  readonly isBusy?: boolean;
  readonly look?: 'filled' | 'default' | 'danger';
  /** What is asked before it is done: the button that does it has the same words. */
  readonly confirm?: ReactNode;
}

/** A button that stays readable when it can not be used, and says why. */
export function ActionButton({
  label,
  run,
  not = null,
  isBusy = false,
  look = 'default',
  confirm,
}: ActionProps) {
  const [isAsking, ask] = useState(false);
  const reason = useId();
  const button = (
    <Button
      size="xs"
      variant={look === 'filled' ? 'filled' : 'default'}
      c={look === 'danger' && not === null ? 'var(--bad)' : ''}
      loading={isBusy}
      {...(not === null
        ? {}
        : { 'data-disabled': true, 'aria-disabled': true, 'aria-describedby': reason })}
      onClick={(event) => {
        if (not !== null) event.preventDefault();
        else if (confirm === undefined) run();
        else ask(true);
      }}
    >
      {label}
    </Button>
  );
  if (not !== null)
    return (
      <Tooltip
        label={not}
        multiline
        maw={320}
        withArrow
        events={{ hover: true, focus: true, touch: true }}
      >
        <span>
          {button}
          <span id={reason} className="unseen">
            {not}
          </span>
        </span>
      </Tooltip>
    );
  return (
    <>
      {button}
      {confirm !== undefined && (
        <Modal
          opened={isAsking}
          onClose={() => ask(false)}
          title={label}
          centered
          closeButtonProps={{ 'aria-label': 'Close' }}
        >
          <div>{confirm}</div>
          <div className="tools" style={{ justifyContent: 'flex-end', marginTop: 16 }}>
            <Button size="xs" variant="default" data-autofocus onClick={() => ask(false)}>
              Back
            </Button>
            <Button
              size="xs"
              variant="filled"
              color={look === 'danger' ? 'red.9' : ''}
              onClick={() => {
                ask(false);
                run();
              }}
            >
              {label}
            </Button>
          </div>
        </Modal>
      )}
    </>
  );
}
