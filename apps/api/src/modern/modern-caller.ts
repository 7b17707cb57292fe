import { type AnnouncedTool, type JsonValue, NO_ABILITIES, type Task } from '@longshore/core';
import {
  checkParamHeaders,
  createTaskResult,
  declaresTasks,
  lackingCapabilities,
  type ModernParamsOf,
  missingCapability,
  requireTasks,
} from '@longshore/protocol';
import type { Caller, CallPlan, ToolCaller } from '../calls/caller.ts';
import { HeldRequest } from './held-request.ts';
import type { ModernCall } from './modern-call.ts';
import type { ModernContext } from './modern-context.ts';

/**
 * The client of one modern request, as the methods of both eras know it.
 *
 * @param inputResponses answers of the client; null where a method may not be answered with questions
 *   (2026-07-28 basic/patterns/mrtr): then nothing is asked
 */
export function modernCaller(
  context: ModernContext,
  call: ModernCall,
  inputResponses: Readonly<Record<string, JsonValue>> | null,
): Caller {
  const { envelope, identity, delivery, access, resumed } = call;
  return {
    principalId: identity.principalId,
    authBindingId: identity.authBindingId,
    era: 'modern',
    sessionId: null,
    requestId: delivery.requestId,
    progressToken: envelope.progressToken,
    abilities: inputResponses === null ? NO_ABILITIES : envelope.clientCapabilities,
    logLevel: envelope.logLevel,
    access,
    delivery,
    resumed: resumed?.taskId ?? null,
    takeHeld: () => context.held.take(identity.principalId, context.limitsOf(access).openStreams),
    wait: (row) =>
      new HeldRequest({ context, call, row, inputResponses: inputResponses ?? {} }).wait(),
  };
}

/**
 * One that calls a tool. The server decides what that becomes: a task for a client that declares the extension, unless
 * the tool never is one, or the client shows jobs; else the result. A tool that asks before anything else does so before its task is made.
 */
export function modernToolCaller(
  context: ModernContext,
  call: ModernCall,
  params: ModernParamsOf<'tools/call'>,
): ToolCaller {
  const { access, envelope, headers, resumed } = call;
  const { clientCapabilities: abilities } = envelope;
  const knowsTasks = declaresTasks(abilities);
  const servesJobs = context.jobTools.serves({ knowsTasks, abilities });
  return {
    knowsTasks,
    planOf: (tool): CallPlan => {
      if (access.overStdio !== true) {
        checkParamHeaders(tool.inputSchema, params.arguments, headers);
      }
      const lacking = lackingCapabilities(envelope.clientCapabilities, tool.requires);
      if (lacking !== null) throw missingCapability(lacking);
      if (tool.taskSupport === 'required' && !context.settings.requiredToolsInline) {
        requireTasks(envelope.clientCapabilities);
      }
      return { answer: answerOf(tool), isAsked: false, ttlMs: null, problem: null };
    },
    answerTask: (task) => answerTask(context, call, task),
    ...modernCaller(context, call, params.inputResponses ?? {}),
  };

  function answerOf(tool: AnnouncedTool): CallPlan['answer'] {
    if (!knowsTasks || tool.taskSupport === 'forbidden') return 'held';
    // Hosts have no way to show a task: the result names a job, which the card can follow.
    if (abilities.ui && tool.taskSupport === 'optional' && servesJobs) return 'held';
    return tool.asksFirst || resumed !== null ? 'asks_first' : 'task';
  }
}

/**
 * The row is committed before its handle goes out. Should the answer not reach the client, nobody knows the
 * task: it runs, and is deleted when its ttl is over. With an idempotency key the client gets it by calling again.
 */
function answerTask({ settings, server }: ModernContext, call: ModernCall, task: Task): null {
  call.answer = createTaskResult(task, settings.pollIntervalMs, server);
  return null;
}
