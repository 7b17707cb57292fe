import { lazy, Suspense } from 'react';
import { useAction } from '../api/actions.ts';
import type { Question, TaskDetail } from '../api/types.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { JsonView } from '../parts/json-view.tsx';
import { noWriter, useMe } from '../parts/me.tsx';
import { Panel } from '../parts/page.tsx';
import { Loading } from '../parts/states.tsx';

const SchemaForm = lazy(async () => ({
  default: (await import('../parts/schema-form.tsx')).SchemaForm,
}));

/** What the tool wants to know before it goes on. */
export function Questions({ task }: { task: TaskDetail }) {
  return task.questions.map((question) => (
    <Ask key={question.key} id={task.id} question={question} />
  ));
}

function Ask({ id, question }: { id: string; question: Question }) {
  const not = noWriter(useMe());
  const { mutate, isPending } = useAction('POST /tasks/{id}/answer', {
    done: () => 'Answered: the task goes on.',
  });
  const { key, method, params } = question;
  const answer = (action: 'accept' | 'decline' | 'cancel', content?: Record<string, unknown>) =>
    mutate({
      params: { id },
      body: { key, action, ...(content === undefined ? {} : { content }) },
    });
  const { message, requestedSchema: schema, url } = params;
  if (method !== 'elicitation/create')
    return (
      <Panel title={`It asks its client: ${method}`}>
        <p>Only the client that made this task can answer this.</p>
        <JsonView value={params} label="Question" />
      </Panel>
    );
  return (
    <Panel title="The tool asks">
      <p style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {typeof message === 'string' ? message : ''}
      </p>
      {typeof url === 'string' && (
        <p>
          It names an address to open by hand: <code>{url}</code>
        </p>
      )}
      {typeof url === 'string' ? (
        <ActionButton
          label="Agree"
          look="filled"
          not={not}
          isBusy={isPending}
          run={() => answer('accept')}
        />
      ) : (
        <Suspense fallback={<Loading />}>
          <SchemaForm
            schema={typeof schema === 'object' && schema !== null ? { ...schema } : {}}
            label="Answer"
            submit="Answer"
            not={not}
            isBusy={isPending}
            send={(content) => answer('accept', content)}
          />
        </Suspense>
      )}
      <div className="tools" style={{ marginTop: 8 }}>
        <ActionButton label="Decline" not={not} isBusy={isPending} run={() => answer('decline')} />
        <ActionButton label="Dismiss" not={not} isBusy={isPending} run={() => answer('cancel')} />
      </div>
    </Panel>
  );
}
