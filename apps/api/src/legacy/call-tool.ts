import {
  type Access,
  type AnnouncedTool,
  type JsonObject,
  LongshoreError,
  type PrincipalLimits,
  type Session,
} from '@longshore/core';
import {
  type CallToolParams,
  IMMEDIATE_RESPONSE_META,
  idempotencyKey,
  lackingCapabilities,
  legacyTask,
  speaksTasks,
} from '@longshore/protocol';
import { type CallRow, callRow, startTask } from '../calls/call-row.ts';
import { checkRetry } from '../calls/check-retry.ts';
import { holdCall } from '../calls/held-call.ts';
import { jobAbilities } from '../calls/job-abilities.ts';
import { resultOf } from '../calls/outcome-error.ts';
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
  const caller = {
    principalId: session.principalId,
    authBindingId: session.authBindingId,
    sessionId: session.id,
    era: 'legacy',
    requestId: delivery.requestId,
    logLevel: logLevelOf(session),
  } as const;
  const wanted = {
    ttlMs: params.task?.ttl ?? context.settings.defaultTtlMs,
    maxTtlMs: limits.maxTtlMs,
    idempotencyKey: idempotencyKey(params),
  };
  if (job !== null) {
    const abilities = servesJobs ? jobAbilities(own) : own;
    const jobCaller = {
      ...caller,
      // Of a session that several keys of its principal use: the key of this request.
      authBindingId: (access.sessionIdentity ?? session).authBindingId,
      progressToken,
      delivery,
      access,
      abilities: own,
      rowOf: (called: AnnouncedTool, args: JsonObject) =>
        callRow({ ...caller, abilities, progressToken: null }, called, {
          ...wanted,
          arguments: args,
          listed: true,
          problem: null,
        }),
    };
    return callJobTool(context, job, jobCaller, params.arguments);
  }
  // A client that can not be asked is not asked.
  const problem =
    unaskable(tool, session) ??
    context.validator.problem(tool, params.arguments) ??
    (await checkRetry(context, access, session.principalId, params));
  const mayBecomeJob = !augmented && tool.taskSupport !== 'forbidden' && servesJobs;
  const abilities = mayBecomeJob ? jobAbilities(own) : own;
  const row = callRow({ ...caller, abilities, progressToken }, tool, {
    ...wanted,
    arguments: params.arguments,
    listed: augmented,
    problem,
  });
  delivery.log.debug({ taskId: row.id, tool: tool.name, task: augmented }, 'call received');
  if (augmented) return callAsTask(context, tool, row, limits);
  if (row.outcome !== null) return resultOf(row.id, row.outcome);
  return holdCall(context, row, delivery, { limits, abilities: own, mayBecomeJob });
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

/** @see 2025-11-25 basic/utilities/tasks, "Creating Tasks" */
async function callAsTask(
  context: ApiContext,
  tool: AnnouncedTool,
  row: CallRow,
  limits: PrincipalLimits,
): Promise<JsonObject> {
  const task = await startTask(context, row, limits);
  return {
    task: legacyTask(task, context.settings),
    _meta: {
      [IMMEDIATE_RESPONSE_META]:
        tool.immediateResponse ??
        `${tool.title ?? tool.name} is running in the background as task ${task.id}. Go on with other work; its result can be fetched by this id.`,
    },
  };
}
