import { waitFor } from '@longshore/testing';
import type { ModernClient, WireClient } from '@longshore/testing/mcp';

/** Ids of one principal that another one may have got hold of. */
export interface OwnedThings {
  /** Tasks in every state; the last one has files. */
  readonly tasks: readonly string[];
  /** JSON-RPC id of a question that waits for its answer. */
  readonly question: string;
  /** JSON-RPC id of a call that is held open. */
  readonly heldRequest: number;
  /** Event ids of a call's stream and of a stream of tasks/result. */
  readonly eventIds: readonly string[];
  /** Of a call that was answered with a question. */
  readonly requestState: string;
  /** A schedule, whose name is `mine`. */
  readonly schedule: string;
  /** What the tasks and the schedule look like to their owner. */
  look(): Promise<unknown>;
  /** Answers the question as Ada, comes back for the held call, and gives its result. */
  finishHeldCall(): Promise<unknown>;
}

/** Makes one of everything that has an id. Nothing has ended but what says so; no stream is open. */
export async function makeOwnedThings(
  legacy: WireClient,
  modern: ModernClient,
): Promise<OwnedThings> {
  const startTask = async (name: string, args: object = {}): Promise<string> => {
    const call = { name, arguments: args, task: { ttl: 600_000 } };
    const { task } = (await legacy.result('tools/call', call)) as { task: { taskId: string } };
    return task.taskId;
  };
  const running = await startTask('hang');
  const cancelled = await startTask('hang');
  await legacy.result('tasks/cancel', { taskId: cancelled });
  const completed = await startTask('echo', { text: 'mine' });
  const failed = await startTask('fail', { message: 'mine' });
  for (const taskId of [completed, failed]) await legacy.request('tasks/result', { taskId });
  const written = await startTask('report', { count: 3 });
  await legacy.request('tasks/result', { taskId: written });
  const asking = await modern.startTask('ask_name');
  const heldRequest = legacy.nextId();
  const held = await legacy.open(
    'tools/call',
    { name: 'ask_name', arguments: {}, _meta: { progressToken: 1 } },
    { id: heldRequest },
  );
  const waiting = await legacy.open('tasks/result', { taskId: running });
  const question = await waitFor(() => held.questions[0]?.id, { what: 'the call asks' });
  for (const stream of [held, waiting]) {
    await waitFor(() => stream.lastEventId !== null, { what: 'the stream has an event' });
  }
  const lastEventId = held.lastEventId ?? '';
  const eventIds = [lastEventId, waiting.lastEventId ?? ''];
  held.close();
  waiting.close();
  const askedCall = await modern
    .declaring({ elicitation: {} })
    .result('tools/call', { name: 'ask_name', arguments: {} });
  const scheduled = await legacy.result('tools/call', {
    name: 'job_schedule',
    arguments: { tool: 'hang', cron: '0 0 29 2 *', name: 'mine' },
  });
  const { schedule } = scheduled['structuredContent'] as { schedule: { schedule_id: string } };
  const tasks = [running, cancelled, completed, failed, asking, written];
  await waitFor(
    async () =>
      (await modern.result('tasks/get', { taskId: asking }))['status'] === 'input_required',
    { what: 'the task asks' },
  );
  return {
    tasks,
    question: String(question),
    heldRequest,
    eventIds,
    requestState: String(askedCall['requestState']),
    schedule: schedule.schedule_id,
    look: () =>
      Promise.all([
        modern.result('tools/call', { name: 'job_schedules', arguments: {} }),
        ...tasks.map((taskId) => modern.result('tasks/get', { taskId })),
      ]),
    finishHeldCall: async () => {
      const answer = { action: 'accept', content: { name: 'Ada' } };
      await legacy.post({ jsonrpc: '2.0', id: question, result: answer });
      const resumed = await legacy.listen({ lastEventId });
      await resumed.ended;
      return resumed.answer?.result;
    },
  };
}
