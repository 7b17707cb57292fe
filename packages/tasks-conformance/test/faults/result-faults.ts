import type { JsonRpcMessage } from '../../src/wire/json-rpc.ts';
import type { Fault } from './fault.ts';
import { errorOf, resultOf, without } from './rewrite.ts';

/** tasks/result, tasks/cancel and notifications/cancelled. */
export const RESULT_FAULTS: readonly Fault[] = [
  {
    name: 'gives a result once',
    breaks: 'tasks-result-terminal',
    found: ['tasks-result-terminal'],
    switches: ['results are given once'],
  },
  {
    name: 'does not wait in tasks/result',
    breaks: 'tasks-result-blocks',
    found: ['tasks-result-blocks/working'],
    skips: ['cancellation-no-response'],
    switches: ['tasks/result does not wait'],
  },
  {
    name: 'leaves those waiting whose task is cancelled',
    breaks: 'tasks-result-blocks',
    found: ['tasks-result-blocks/cancelled'],
    hangs: true,
    switches: ['waits outlive cancellation'],
  },
  {
    name: 'ends tasks/result when input is required',
    breaks: 'tasks-result-blocks',
    found: ['tasks-result-blocks/input-required'],
    switches: ['input_required ends the wait'],
  },
  {
    name: 'adds a member to results',
    breaks: 'tasks-result-exact',
    found: ['tasks-result-exact/one'],
    answer: resultOf('tasks/result', (result, { task }) =>
      task?.toolName === 'conformance_slow' ? { ...result, isError: false } : result,
    ),
  },
  {
    name: 'mixes up the results of tasks at once',
    breaks: 'tasks-result-exact',
    found: ['tasks-result-exact/many'],
    switches: ['results of the latest call'],
  },
  {
    name: 'answers -32000 for results with isError',
    breaks: 'tasks-result-tool-error',
    found: ['tasks-result-tool-error'],
    answer: ({ id = 0, ...answer }, { task }): JsonRpcMessage =>
      answer.result?.['isError'] === true && task?.toolName === 'conformance_fail'
        ? { id, error: { code: -32000, message: 'The tool failed' } }
        : { id, ...answer },
  },
  {
    name: 'answers -32603 for every JSON-RPC error of a tool',
    breaks: 'tasks-result-protocol-error',
    found: ['tasks-result-protocol-error'],
    answer: errorOf('tasks/result', (answer) =>
      answer.error?.code === -32050
        ? { ...answer, error: { ...answer.error, code: -32603 } }
        : answer,
    ),
  },
  {
    name: 'drops the data of JSON-RPC errors',
    breaks: 'tasks-result-protocol-error',
    found: ['tasks-result-protocol-error'],
    answer: errorOf('tasks/result', (answer) =>
      answer.error?.code === -32050
        ? { ...answer, error: { code: -32050, message: answer.error.message } }
        : answer,
    ),
  },
  {
    name: 'sends results without related-task metadata',
    breaks: 'tasks-result-related-task',
    found: ['tasks-result-related-task'],
    answer: resultOf('tasks/result', (result) => without(result, '_meta')),
  },
  {
    name: 'names the request in related-task metadata',
    breaks: 'tasks-result-related-task',
    found: ['tasks-result-related-task'],
    answer: resultOf('tasks/result', (result) => ({
      ...result,
      _meta: { 'io.modelcontextprotocol/related-task': { taskId: 'x' } },
    })),
  },
  {
    name: 'is busy while tasks/result waits',
    breaks: 'tasks-result-parallel-get',
    found: ['tasks-result-parallel-get'],
    switches: ['busy while waited for'],
  },
  {
    name: 'cancels the task when the connection is lost',
    breaks: 'tasks-result-disconnect',
    found: ['tasks-result-disconnect'],
    switches: ['a disconnect cancels'],
  },
  {
    name: 'invents a result for cancelled tasks',
    breaks: 'tasks-result-cancelled',
    found: ['tasks-result-cancelled'],
    answer: (answer, { method, task }) =>
      method === 'tasks/result' && task?.status === 'cancelled'
        ? { id: answer.id ?? 0, result: { content: [] } }
        : answer,
  },
  {
    name: 'answers tasks/cancel with working',
    breaks: 'tasks-cancel-first',
    found: ['tasks-cancel-first'],
    answer: resultOf('tasks/cancel', (task) => ({ ...task, status: 'working' })),
  },
  {
    name: 'shows a cancelled task as working at first',
    breaks: 'tasks-cancel-first',
    found: ['tasks-cancel-first'],
    answer: resultOf('tasks/get', (result, { task }) =>
      task?.status === 'cancelled' && task.looks === 1 && Number(task.args['ms']) > 1_000
        ? { ...result, status: 'working' }
        : result,
    ),
  },
  ...(['completed', 'failed', 'cancelled'] as const).map(
    (status): Fault => ({
      name: `cancels tasks that are ${status}`,
      breaks: 'tasks-cancel-terminal',
      found: [`tasks-cancel-terminal/${status}`],
      switches: [`cancels ${status} tasks`],
    }),
  ),
  {
    name: 'completes cancelled tasks when their work is done',
    breaks: 'tasks-cancel-sticks',
    found: ['tasks-cancel-sticks'],
    switches: ['cancelled tasks complete'],
  },
  {
    name: 'cancels the task when tasks/result is withdrawn',
    breaks: 'cancellation-not-for-tasks',
    found: ['cancellation-not-for-tasks/result'],
    switches: ['a withdrawal cancels the task'],
  },
  {
    name: 'cancels the task when the call that made it is withdrawn',
    breaks: 'cancellation-not-for-tasks',
    found: ['cancellation-not-for-tasks/call'],
    switches: ['withdrawing the call cancels the task'],
  },
  {
    name: 'answers withdrawn requests',
    breaks: 'cancellation-no-response',
    found: ['cancellation-no-response'],
    switches: ['withdrawn requests are answered'],
  },
  {
    name: 'ends the session for a malformed notifications/cancelled',
    breaks: 'cancellation-invalid-ignored',
    found: ['cancellation-invalid-ignored'],
    switches: ['malformed withdrawals end the session'],
  },
];
