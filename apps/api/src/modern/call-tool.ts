import { type JsonObject, toolErrorOutcome } from '@longshore/core';
import {
  checkParamHeaders,
  createTaskResult,
  declaresTasks,
  idempotencyKey,
  lackingCapabilities,
  type ModernParamsOf,
  missingCapability,
  requireTasks,
} from '@longshore/protocol';
import { type CallRow, callRow, startTask } from '../calls/call-row.ts';
import { checkRetry } from '../calls/check-retry.ts';
import { jobAbilities } from '../calls/job-abilities.ts';
import { resultOf } from '../calls/outcome-error.ts';
import { callJobTool } from '../job-tools/call-job-tool.ts';
import type { JobCaller } from '../job-tools/job-tool.ts';
import { holdRow } from './hold-row.ts';
import type { ModernCall } from './modern-call.ts';
import type { ModernContext } from './modern-context.ts';

type Params = ModernParamsOf<'tools/call'>;

/**
 * tools/call. The server decides what it becomes: a task for a client that declares the extension, unless
 * the tool never is one; else the result, for which the connection is held open. A tool that asks before
 * anything else does so before its task is made.
 *
 * @returns the result; null when nobody waits for it any more, or the answer is another one (`call.answer`)
 * @throws {LongshoreError} UNKNOWN_TOOL · HEADER_MISMATCH · MISSING_CAPABILITY · TOO_MANY_STREAMS ·
 *   what `TaskSubmitter.submit` throws
 * @see 2026-07-28 server/tools · extension io.modelcontextprotocol/tasks, "Task Creation"
 */
export async function callTool(
  context: ModernContext,
  call: ModernCall,
  params: Params,
): Promise<JsonObject | null> {
  const { access, delivery, envelope, identity } = call;
  const { clientCapabilities, progressToken } = envelope;
  const { maxTtlMs, openStreams } = context.limitsOf(access);
  const { requestId } = delivery;
  const caller = { ...identity, sessionId: null, era: 'modern', requestId } as const;
  const wanted = {
    ttlMs: context.settings.defaultTtlMs,
    maxTtlMs,
    idempotencyKey: idempotencyKey(params),
    problem: null,
  };
  const servesJobs = context.jobTools.serves({ knowsTasks: declaresTasks(clientCapabilities) });
  const job = context.jobTools.find(params.name);
  if (job !== null) {
    const abilities = servesJobs ? jobAbilities(clientCapabilities) : clientCapabilities;
    const jobCaller: JobCaller = {
      ...identity,
      sessionId: null,
      progressToken,
      delivery,
      access,
      abilities: clientCapabilities,
      rowOf: (tool, args) =>
        callRow({ ...caller, abilities, logLevel: null, progressToken: null }, tool, {
          ...wanted,
          arguments: args,
          listed: true,
        }),
    };
    const giveBack = context.held.take(identity.principalId, openStreams);
    try {
      return await callJobTool(context, job, jobCaller, params.arguments);
    } finally {
      giveBack();
    }
  }
  const tool = context.catalogue.tools.find(params.name);
  if (tool === null) throw context.catalogue.unknownTool(params.name);
  if (access.overStdio !== true) {
    checkParamHeaders(tool.inputSchema, params.arguments, call.headers);
  }
  const lacking = lackingCapabilities(clientCapabilities, tool.requires);
  if (lacking !== null) throw missingCapability(lacking);
  if (tool.taskSupport === 'required' && !context.settings.requiredToolsInline) {
    requireTasks(clientCapabilities);
  }
  const becomesTask = tool.taskSupport !== 'forbidden' && declaresTasks(clientCapabilities);
  const mayBecomeJob = tool.taskSupport !== 'forbidden' && servesJobs;
  const abilities = mayBecomeJob ? jobAbilities(clientCapabilities) : clientCapabilities;
  const held = !becomesTask || tool.asksFirst || call.resumed !== null;
  const told = {
    // The logs and the progress of a task have no way to the client of the call.
    logLevel: becomesTask ? null : envelope.logLevel,
    progressToken: held ? progressToken : null,
  };
  const row = callRow({ ...caller, ...told, abilities }, tool, {
    ...wanted,
    arguments: params.arguments,
    listed: !held,
  });
  delivery.log.debug({ taskId: row.id, tool: tool.name, task: becomesTask }, 'call received');
  // Arguments that do not fit are the tool's failure, which a model can mend, not the protocol's.
  const problem =
    context.validator.problem(tool, params.arguments) ??
    (await checkRetry(context, access, identity.principalId, params));
  if (problem !== null) return resultOf(row.id, toolErrorOutcome(problem));
  if (!held) {
    call.answer = await createTask(context, call, row);
    return null;
  }
  return holdRow(context, call, row, {
    becomesTask,
    mayBecomeJob,
    inputResponses: params.inputResponses ?? {},
  });
}

/**
 * The row is committed before its handle goes out. Should the answer not reach the client, nobody knows the
 * task: it runs, and is deleted when its ttl is over. With an idempotency key the client gets it by calling again.
 */
async function createTask(
  context: ModernContext,
  { access }: ModernCall,
  row: CallRow,
): Promise<JsonObject> {
  const { settings, server } = context;
  const task = await startTask(context, row, context.limitsOf(access));
  return createTaskResult(task, settings.pollIntervalMs, server);
}
