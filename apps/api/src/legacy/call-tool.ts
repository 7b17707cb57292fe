import { randomUUID } from 'node:crypto';
import {
  type Access,
  type AnnouncedTool,
  type ClientAbilities,
  type JsonObject,
  LongshoreError,
  type NewTask,
  type PrincipalLimits,
  type Session,
  type TaskId,
  toolErrorOutcome,
} from '@longshore/core';
import {
  type CallToolParams,
  IMMEDIATE_RESPONSE_META,
  idempotencyKey,
  lackingCapabilities,
  legacyTask,
  speaksTasks,
} from '@longshore/protocol';
import { checkRetry } from '../calls/check-retry.ts';
import { holdCall } from '../calls/held-call.ts';
import { idempotencyOf } from '../calls/idempotency.ts';
import { jobAbilities } from '../calls/job-abilities.ts';
import { resultOf } from '../calls/outcome-error.ts';
import { newHandle, withHandle } from '../calls/task-handle.ts';
import type { ResumableDelivery } from '../edge/delivery.ts';
import { callJobTool } from '../job-tools/call-job-tool.ts';
import type { ApiContext } from '../methods/api-context.ts';
import { knowsTasks } from './knows-tasks.ts';
import { legacyAbilities } from './legacy-abilities.ts';
import { logLevelOf } from './set-log-level.ts';

/**
 * tools/call, as a task when the client asks for one, else held open until the tool is done. Both are a
 * committed row first.
 *
 * @returns null when nobody waits for the answer any more
 * @see 2025-11-25 server/tools · basic/utilities/tasks, "Creating Tasks"
 */
export async function callTool(
  context: ApiContext,
  session: Session,
  params: CallToolParams,
  delivery: ResumableDelivery,
  access: Access,
): Promise<JsonObject | null> {
  const limits = context.limitsOf(access);
  const progressToken = params._meta?.progressToken ?? null;
  const job = context.jobTools.find(params.name);
  const tool = job?.announced ?? context.catalogue.tools.find(params.name);
  if (tool === null) throw context.catalogue.unknownTool(params.name);
  // A revision without tasks does not know `params.task`: it is an unknown member then.
  const augmented = speaksTasks(session.protocolVersion) && params.task !== undefined;
  const insists = speaksTasks(session.protocolVersion) && !context.settings.requiredToolsInline;
  checkSupport(tool, augmented, insists);
  const own = legacyAbilities(session);
  const servesJobs = context.jobTools.serves({ knowsTasks: knowsTasks(session) });
  if (job !== null) {
    const { principalId, id: sessionId } = session;
    // Of a session that several keys of its principal use: the key of this request.
    const { authBindingId } = access.sessionIdentity ?? session;
    const rowOf = (called: AnnouncedTool, args: JsonObject): Omit<NewTask, 'enqueue'> => {
      const abilities = servesJobs ? jobAbilities(own) : own;
      const call = { ...params, name: called.name, arguments: args };
      const how = { listed: true, progressToken: null, problem: null, abilities };
      return newTask(context, session, called, call, delivery, limits, how);
    };
    const caller = {
      principalId,
      authBindingId,
      sessionId,
      progressToken,
      delivery,
      access,
      abilities: own,
      rowOf,
    };
    return callJobTool(context, job, caller, params.arguments);
  }
  const problem =
    unaskable(tool, session) ??
    context.validator.problem(tool, params.arguments) ??
    (await checkRetry(context, access, session.principalId, params));
  const mayBecomeJob = !augmented && tool.taskSupport !== 'forbidden' && servesJobs;
  const abilities = mayBecomeJob ? jobAbilities(own) : own;
  const how = { listed: augmented, progressToken, problem, abilities };
  const task = newTask(context, session, tool, params, delivery, limits, how);
  const { id: taskId, toolName, listed } = task;
  delivery.log.debug({ taskId, tool: toolName, task: listed }, 'call received');
  if (augmented) return callAsTask(context, tool, task, limits);
  if (task.outcome !== null) return resultOf(task.id, task.outcome);
  return holdCall(context, task, delivery, { limits, abilities: own, mayBecomeJob });
}

/** @param insists whether a tool that runs only as a task is refused to run otherwise */
function checkSupport(tool: AnnouncedTool, augmented: boolean, insists: boolean): void {
  if (augmented && tool.taskSupport === 'forbidden') {
    throw new LongshoreError(
      'TASK_FORBIDDEN',
      `Tool ${tool.name} does not run as a task: leave out params.task`,
    );
  }
  if (!augmented && tool.taskSupport === 'required' && insists) {
    throw new LongshoreError(
      'TASK_REQUIRED',
      `Tool ${tool.name} runs only as a task: send params.task`,
    );
  }
}

/** @returns a sentence for the model when the tool asks what the client can not be asked, else null */
function unaskable(tool: AnnouncedTool, session: Session): string | null {
  const lacking = lackingCapabilities(legacyAbilities(session), tool.requires);
  if (lacking === null) return null;
  const names = Object.keys(lacking);
  return `Tool ${tool.name} asks its client, and needs one that declares the ${names.length === 1 ? 'capability' : 'capabilities'} ${names.join(', ')}.`;
}

function newTask(
  context: ApiContext,
  session: Session,
  tool: AnnouncedTool,
  params: CallToolParams,
  delivery: ResumableDelivery,
  limits: PrincipalLimits,
  {
    listed,
    progressToken,
    problem,
    abilities,
  }: Pick<NewTask, 'listed' | 'progressToken'> & {
    problem: string | null;
    abilities: ClientAbilities;
  },
): Omit<NewTask, 'enqueue'> {
  const ttlMs = params.task?.ttl ?? context.settings.defaultTtlMs;
  return {
    id: randomUUID() as string as TaskId,
    principalId: session.principalId,
    authBindingId: session.authBindingId,
    sessionId: session.id,
    era: 'legacy',
    requestMethod: 'tools/call',
    requestId: delivery.requestId,
    abilities,
    logLevel: logLevelOf(session),
    listed,
    toolName: tool.name,
    toolFingerprint: tool.fingerprint,
    arguments: params.arguments,
    progressToken,
    queue: tool.policy.queue,
    toolLimit: tool.policy.concurrency,
    maxAttempts: tool.policy.maxAttempts,
    timeoutMs: tool.policy.timeoutMs,
    deadlineMs: tool.policy.deadlineMs,
    ttlMs: Math.min(ttlMs, limits.maxTtlMs),
    // Arguments that do not fit are the tool's failure, which a model can mend, not the protocol's; and a
    // client that can not be asked is not asked.
    outcome: problem === null ? null : toolErrorOutcome(problem),
    idempotency: idempotencyOf(idempotencyKey(params), params.arguments),
  };
}

/**
 * A task always starts as working, also one that has failed by the time the client asks. That of a call which
 * was sent before is as it is by now.
 */
async function callAsTask(
  context: ApiContext,
  tool: AnnouncedTool,
  task: Omit<NewTask, 'enqueue'>,
  limits: PrincipalLimits,
): Promise<JsonObject> {
  const acceptance = await context.submitter.submit(task, limits);
  const handle =
    acceptance.kind === 'known'
      ? await withHandle(context, acceptance.task, task.principalId)
      : newHandle(task, acceptance.createdAt);
  return {
    task: legacyTask(handle, context.settings),
    _meta: {
      [IMMEDIATE_RESPONSE_META]:
        tool.immediateResponse ??
        `${tool.title ?? tool.name} is running in the background as task ${handle.id}. Go on with other work; its result can be fetched by this id.`,
    },
  };
}
