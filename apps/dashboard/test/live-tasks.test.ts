import { afterEach, describe, expect, it } from '@jest/globals';
import { QueryObserver } from '@tanstack/react-query';
import { patchTasks } from '../src/api/live-tasks.ts';
import { queryClient } from '../src/api/queries.ts';

const ID = '01a2081f-c10e-72d1-a727-c72b91ea517b';

describe('an event of a task', () => {
  afterEach(() => queryClient.clear());

  it('has it read again also when it comes while the task is read for the first time', async () => {
    const answers: ((phase: string) => void)[] = [];
    const page = new QueryObserver(queryClient, {
      queryKey: ['task', ID],
      queryFn: async () => ({
        id: ID,
        phase: await new Promise<string>((answer) => answers.push(answer)),
      }),
    });
    const leave = page.subscribe(() => {});
    patchTasks([{ id: ID, phase: 'completed', progress: null }]);
    answers.shift()?.('running');
    // What a read takes is promises only, which have been kept before a timer fires.
    await new Promise((resolve) => setTimeout(resolve));
    answers.shift()?.('completed');
    await new Promise((resolve) => setTimeout(resolve));
    expect(queryClient.getQueryData(['task', ID])).toEqual({ id: ID, phase: 'completed' });
    leave();
  });
});
