import { parentPort, workerData } from 'node:worker_threads';
import { prepareTool } from '../requests/prepare-tool.ts';
import { toolFailure } from '../requests/tool-handler.ts';
import { portableError } from './portable-error.ts';
import { ThreadContext } from './thread-context.ts';
import type { RunEnd, RunOrder, ThreadData, ThreadNotice } from './thread-messages.ts';
import { ThreadTools } from './thread-tools.ts';

/*
 * A thread that runs isolated tools, one run at a time. It is told what to run on the parent port; all that
 * belongs to a run is said on the run's own port.
 */

const { directories, dataDir, fileLimits, network }: ThreadData = workerData;
const notify = (notice: ThreadNotice): void => parentPort?.postMessage(notice);
const tools = new ThreadTools({
  directories,
  dataDir,
  fileLimits,
  network,
  resourceUpdated: (uri) =>
    notify({ kind: 'resource-updated', uri: typeof uri === 'string' ? uri : null }),
  catalogueChanged: () => notify({ kind: 'catalogue-changed' }),
});

// Plugins leave promises behind; only what is thrown beside all promises ends the thread.
process.on('unhandledRejection', (reason) => {
  notify({ kind: 'stray', error: portableError(reason) });
});

parentPort?.on('message', (order: RunOrder) => {
  const context = new ThreadContext(order);
  void run(order, context).then((end) => context.end(end));
});

async function run(order: RunOrder, context: ThreadContext): Promise<RunEnd> {
  try {
    const tool = await tools.find(order.entry, order.tool);
    context.begin();
    const prepared = prepareTool(tool, order.arguments);
    if (prepared.kind === 'refused') return { kind: 'outcome', outcome: prepared.outcome };
    const returned = await prepared.run(context.ctx);
    return { kind: 'outcome', outcome: prepared.outcomeOf(returned) };
  } catch (thrown) {
    return { kind: 'failed', failure: toolFailure(thrown), error: portableError(thrown) };
  }
}
