import { Modal } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useAction } from '../api/actions.ts';
import { hasEnded } from '../api/has-ended.ts';
import { TOOLS } from '../api/queries.ts';
import type { TaskDetail } from '../api/types.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { noWriter, useMe } from '../parts/me.tsx';
import { Loading } from '../parts/states.tsx';
import { shortId } from '../parts/task-table.tsx';

const SchemaForm = lazy(async () => ({
  default: (await import('../parts/schema-form.tsx')).SchemaForm,
}));

/** What can be done with a task as it stands. A retry is a task of its own: what was stays as it was. */
export function TaskActions({ task }: { task: TaskDetail }) {
  const me = useMe();
  const navigate = useNavigate();
  const [isEditing, edit] = useState(false);
  const call = { params: { id: task.id } };
  const cancel = useAction('POST /tasks/{id}/cancel', { done: () => 'Cancelled.' });
  const retry = useAction('POST /tasks/{id}/retry', {
    done: (answer) => `Started again as ${shortId(answer.task.id)}.`,
    after: (answer) => navigate({ to: '/tasks/$id', params: { id: answer.task.id } }),
  });
  const not = noWriter(me);
  const isOver = hasEnded(task);
  const notOver = isOver ? null : 'It has not ended.';
  return (
    <div className="tools">
      <ActionButton
        label="Retry"
        not={not ?? notOver}
        isBusy={retry.isPending}
        confirm={<p>The same call is made again, as a new task. This one stays as it is.</p>}
        run={() => retry.mutate({ ...call, body: {} })}
      />
      <ActionButton label="Edit and retry" not={not ?? notOver} run={() => edit(true)} />
      <ActionButton
        label="Cancel task"
        look="danger"
        not={not ?? (isOver ? 'It has ended.' : null)}
        isBusy={cancel.isPending}
        confirm={<p>It stops, with what it has started. What it did so far stays.</p>}
        run={() => cancel.mutate(call)}
      />
      <Modal
        opened={isEditing}
        onClose={() => edit(false)}
        title={`Retry ${task.tool} with other arguments`}
        size="lg"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <Suspense fallback={<Loading />}>
          <EditedArguments
            task={task}
            isBusy={retry.isPending}
            send={(edited) =>
              retry.mutate(
                { ...call, body: { arguments: edited } },
                { onSuccess: () => edit(false) },
              )
            }
          />
        </Suspense>
      </Modal>
    </div>
  );
}

function EditedArguments(props: {
  task: TaskDetail;
  isBusy: boolean;
  send: (value: Record<string, unknown>) => void;
}) {
  const { task, isBusy, send } = props;
  const tools = useQuery(TOOLS);
  if (tools.isPending) return <Loading />;
  const schema = tools.data?.find(({ name }) => name === task.tool)?.inputSchema ?? {};
  return (
    <SchemaForm
      schema={schema}
      first={task.arguments}
      label="Arguments"
      submit="Run as a new task"
      isBusy={isBusy}
      send={send}
    />
  );
}
