import type { AnnouncedTool, ClientAbilities, JsonObject, ProgressToken } from '@longshore/core';
import { idempotencyKey, traceOf } from '@longshore/protocol';
import { traced } from '@longshore/tracing';
import { type CallRow, callRow, type RowCaller, startTask } from '../calls/call-row.ts';
import type { CallPlan, ToolCaller } from '../calls/caller.ts';
import { checkRetry } from '../calls/check-retry.ts';
import { holdCall } from '../calls/hold-call.ts';
import { jobAbilities } from '../calls/job-abilities.ts';
import { resultOf } from '../calls/outcome-error.ts';
import { callJobTool } from '../job-tools/call-job-tool.ts';
import type { ApiContext } from './api-context.ts';

/** Params of tools/call, as both eras have them. */
interface Params {
  readonly name: string;
  readonly arguments: JsonObject;
  readonly _meta?: Parameters<typeof idempotencyKey>[0]['_meta'] &
    Parameters<typeof traceOf>[0]['_meta'];
}

/**
 * tools/call of both eras: a committed row first, then the handle of a task, or the result, for which the request is
 * held open. Which of the two is the era's to say (`ToolCaller.planOf`).
 *
 * @returns null when nobody waits for the answer any more, or it is one of another kind
 * @throws {LongshoreError} UNKNOWN_TOOL · TOO_MANY_STREAMS · what `planOf` and `TaskSubmitter.submit` throw
 * @see 2025-11-25 server/tools · basic/utilities/tasks, "Creating Tasks"
 * @see 2026-07-28 server/tools · extension io.modelcontextprotocol/tasks, "Task Creation"
 */
export function callTool(
  context: ApiContext,
  caller: ToolCaller,
  params: Params,
): Promise<JsonObject | null> {
  const attributes = {
    'mcp.method.name': 'tools/call',
    'gen_ai.tool.name': params.name,
    'longshore.era': caller.era,
  };
  const span = { kind: 'server', attributes, parent: traceOf(params) } as const;
  return traced('tools/call', span, () => call(context, caller, params));
}

async function call(
  context: ApiContext,
  caller: ToolCaller,
  params: Params,
): Promise<JsonObject | null> {
  const job = context.jobTools.find(params.name);
  const tool = job?.announced ?? context.catalogue.tools.find(params.name);
  if (tool === null) throw context.catalogue.unknownTool(params.name);
  const plan = caller.planOf(tool);
  const limits = context.limitsOf(caller.access);
  const rowOf = (called: AnnouncedTool, answer: CallPlan['answer'], call: OwnOfRow): CallRow =>
    callRow(rowCaller(caller, answer, call), called, {
      arguments: call.arguments,
      listed: answer === 'task',
      ttlMs: plan.ttlMs ?? context.settings.defaultTtlMs,
      maxTtlMs: limits.maxTtlMs,
      problem: call.problem,
      idempotencyKey: idempotencyKey(params),
    });
  const servesJobs = context.jobTools.serves(caller);
  const asked = (isJob: boolean): ClientAbilities =>
    isJob && servesJobs ? jobAbilities(caller.abilities) : caller.abilities;
  if (job !== null) {
    const giveBack = caller.takeHeld();
    const jobCaller = {
      ...caller,
      // Of a session that several keys of its principal use: the key of this request.
      authBindingId: (caller.access.sessionIdentity ?? caller).authBindingId,
      rowOf: (called: AnnouncedTool, args: JsonObject) =>
        rowOf(called, 'task', {
          arguments: args,
          abilities: asked(true),
          progressToken: null,
          problem: null,
        }),
    };
    return callJobTool(context, job, jobCaller, params.arguments).finally(giveBack);
  }
  const mayBecomeJob = servesJobs && !plan.isAsked && tool.taskSupport !== 'forbidden';
  const row = rowOf(tool, plan.answer, {
    arguments: params.arguments,
    abilities: asked(mayBecomeJob),
    progressToken: caller.progressToken,
    problem:
      plan.problem ??
      context.validator.problem(tool, params.arguments) ??
      (await checkRetry(context, caller.access, caller.principalId, params)),
  });
  caller.delivery.log.debug(
    { taskId: row.id, tool: tool.name, answer: plan.answer },
    'call received',
  );
  if (row.outcome !== null && !plan.isAsked) return resultOf(row.id, row.outcome);
  if (plan.answer === 'task') {
    return caller.answerTask(await startTask(context, row, limits), tool);
  }
  const held = await holdCall(context, caller, row, {
    becomesTask: plan.answer === 'asks_first',
    mayBecomeJob,
    showsResult: tool.card !== null,
  });
  return 'task' in held ? caller.answerTask(held.task, tool) : held.result;
}

/** What a row has of its own call. */
interface OwnOfRow {
  readonly arguments: JsonObject;
  readonly abilities: ClientAbilities;
  readonly progressToken: ProgressToken | null;
  readonly problem: string | null;
}

/** Without a session, the logs and the progress of a task have no way to the client of the call. */
function rowCaller(caller: ToolCaller, answer: CallPlan['answer'], call: OwnOfRow): RowCaller {
  const isTold = caller.sessionId !== null;
  return {
    principalId: caller.principalId,
    authBindingId: caller.authBindingId,
    sessionId: caller.sessionId,
    era: caller.era,
    requestId: caller.requestId,
    abilities: call.abilities,
    logLevel: isTold || answer === 'held' ? caller.logLevel : null,
    progressToken: isTold || answer !== 'task' ? call.progressToken : null,
  };
}
