import { Button, Modal } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { ActionButton } from './action-button.tsx';
import { CopyText } from './json-view.tsx';

/** Makes something with a secret, which is shown this once and kept nowhere in the page. */
export function MadeDialog(props: {
  /** `API key`: what it is. */
  what: string;
  /** Why it can not be made now; null: it can. */
  not: string | null;
  /** What is said above the secret. */
  hint: string;
  form: (made: (secret: string) => void) => ReactNode;
}) {
  const { what, not, hint, form } = props;
  const [isOpen, open] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const close = () => {
    open(false);
    setSecret(null);
  };
  return (
    <>
      <ActionButton label={`New ${what}`} look="filled" not={not} run={() => open(true)} />
      <Modal
        opened={isOpen}
        onClose={close}
        title={secret === null ? `New ${what}` : `The ${what} is made`}
        closeOnClickOutside={false}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {secret === null ? (
          form(setSecret)
        ) : (
          <>
            <p>{hint}</p>
            <pre className="banner" data-secret>
              {secret}
            </pre>
            <div className="tools">
              <CopyText text={secret} label="Copy the secret" />
              <Button size="xs" variant="default" onClick={close}>
                Done
              </Button>
            </div>
          </>
        )}
      </Modal>
    </>
  );
}
