import { randomUUID } from 'node:crypto';
import {
  type AnnouncedTool,
  type ClientAbilities,
  type JsonObject,
  type NewTask,
  type TaskId,
  toolErrorOutcome,
} from '@longshore/core';
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
import { checkRetry } from '../calls/check-retry.ts';
import { idempotencyOf } from '../calls/idempotency.ts';
import { jobAbilities } from '../calls/job-abilities.ts';
import { resultOf } from '../calls/outcome-error.ts';
import { newHandle, withHandle } from '../calls/task-handle.ts';
import { callJobTool } from '../job-tools/call-job-tool.ts';
import type { JobCaller } from '../job-tools/job-tool.ts';
import { holdRow } from './hold-row.ts';
import type { ModernCall } from './modern-call.ts';
import type { ModernContext } from './modern-context.ts';

type Params = ModernParamsOf<'tools/call'>;
type Row = Omit<NewTask, 'enqueue'>;

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
  const { clientCapabilities } = call.envelope;
  const job = context.jobTools.find(params.name);
  if (job !== null) {
    const { access, delivery, envelope, identity } = call;
    const { progressToken } = envelope;
    const rowOf = (tool: AnnouncedTool, args: JsonObject): Row => {
      const serves = context.jobTools.serves({ knowsTasks: declaresTasks(clientCapabilities) });
      const abilities = serves ? jobAbilities(clientCapabilities) : clientCapabilities;
      const again = { ...params, name: tool.name, arguments: args };
      return newRow(context, call, tool, again, { listed: true, logs: false, abilities });
    };
    const caller: JobCaller = {
      ...identity,
      sessionId: null,
      progressToken,
      delivery,
      access,
      abilities: clientCapabilities,
      rowOf,
    };
    const { openStreams } = context.limitsOf(access);
    const giveBack = context.held.take(identity.principalId, openStreams);
    try {
      return await callJobTool(context, job, caller, params.arguments);
    } finally {
      giveBack();
    }
  }
  const tool = context.catalogue.tools.find(params.name);
  if (tool === null) throw context.catalogue.unknownTool(params.name);
  if (call.access.overStdio !== true) {
    checkParamHeaders(tool.inputSchema, params.arguments, call.headers);
  }
  const lacking = lackingCapabilities(clientCapabilities, tool.requires);
  if (lacking !== null) throw missingCapability(lacking);
  if (tool.taskSupport === 'required' && !context.settings.requiredToolsInline) {
    requireTasks(clientCapabilities);
  }
  const becomesTask = tool.taskSupport !== 'forbidden' && declaresTasks(clientCapabilities);
  const mayBecomeJob =
    tool.taskSupport !== 'forbidden' &&
    context.jobTools.serves({ knowsTasks: declaresTasks(clientCapabilities) });
  const abilities = mayBecomeJob ? jobAbilities(clientCapabilities) : clientCapabilities;
  const held = !becomesTask || tool.asksFirst || call.resumed !== null;
  const row = newRow(context, call, tool, params, {
    listed: !held,
    logs: !becomesTask,
    abilities,
  });
  const { id: taskId, toolName } = row;
  call.delivery.log.debug({ taskId, tool: toolName, task: becomesTask }, 'call received');
  // Arguments that do not fit are the tool's failure, which a model can mend, not the protocol's.
  const problem =
    context.validator.problem(tool, params.arguments) ??
    (await checkRetry(context, call.access, call.identity.principalId, params));
  if (problem !== null) return resultOf(taskId, toolErrorOutcome(problem));
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
async function createTask(context: ModernContext, call: ModernCall, row: Row): Promise<JsonObject> {
  const { settings, server } = context;
  const acceptance = await context.submitter.submit(row, context.limitsOf(call.access));
  const handle =
    acceptance.kind === 'known'
      ? await withHandle(context, acceptance.task, row.principalId)
      : newHandle(row, acceptance.createdAt);
  return createTaskResult(handle, settings.pollIntervalMs, server);
}

function newRow(
  context: ModernContext,
  { access, identity, delivery, envelope }: ModernCall,
  tool: AnnouncedTool,
  params: Params,
  { listed, logs, abilities }: { listed: boolean; logs: boolean; abilities: ClientAbilities },
): Row {
  return {
    id: randomUUID() as string as TaskId,
    principalId: identity.principalId,
    authBindingId: identity.authBindingId,
    sessionId: null,
    era: 'modern',
    requestMethod: 'tools/call',
    requestId: delivery.requestId,
    abilities,
    // The logs of a task have no way to the client.
    logLevel: logs ? envelope.logLevel : null,
    listed,
    toolName: tool.name,
    toolFingerprint: tool.fingerprint,
    arguments: params.arguments,
    progressToken: listed ? null : envelope.progressToken,
    queue: tool.policy.queue,
    toolLimit: tool.policy.concurrency,
    maxAttempts: tool.policy.maxAttempts,
    timeoutMs: tool.policy.timeoutMs,
    deadlineMs: tool.policy.deadlineMs,
    ttlMs: Math.min(context.settings.defaultTtlMs, context.limitsOf(access).maxTtlMs),
    outcome: null,
    idempotency: idempotencyOf(idempotencyKey(params), params.arguments),
  };
}
