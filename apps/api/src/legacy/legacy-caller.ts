import {
  type AnnouncedTool,
  type JsonObject,
  LongshoreError,
  type ProgressToken,
  type Session,
  type Task,
} from '@longshore/core';
import {
  type CallToolParams,
  IMMEDIATE_RESPONSE_META,
  lackingCapabilities,
  legacyTask,
  speaksTasks,
} from '@longshore/protocol';
import type { Caller, CallPlan, ToolCaller } from '../calls/caller.ts';
import type { ApiContext } from '../methods/api-context.ts';
import { waitForCall } from './held-call.ts';
import { knowsTasks, legacyAbilities } from './legacy-abilities.ts';
import type { LegacyCall } from './legacy-call.ts';
import { logLevelOf } from './set-log-level.ts';

/** A session's client, as the methods of both eras know it. */
export function legacyCaller(
  context: ApiContext,
  { access, delivery }: LegacyCall,
  session: Session,
  params: { readonly _meta?: { readonly progressToken?: ProgressToken | undefined } | undefined },
): Caller {
  const { principalId, authBindingId, id: sessionId } = session;
  const abilities = legacyAbilities(session);
  return {
    principalId,
    authBindingId,
    era: 'legacy',
    sessionId,
    requestId: delivery.requestId,
    progressToken: params._meta?.progressToken ?? null,
    abilities,
    logLevel: logLevelOf(session),
    access,
    delivery,
    resumed: null,
    // Each request of a session is counted from its start (LegacyEndpoint).
    takeHeld: () => () => {},
    wait: (row) => waitForCall(context, { principalId, sessionId, abilities }, delivery, row),
  };
}

/** One that calls a tool: as a task when it asks for one, else held open until the tool is done. */
export function legacyToolCaller(
  context: ApiContext,
  call: LegacyCall,
  session: Session,
  params: CallToolParams,
): ToolCaller {
  const knows = speaksTasks(session.protocolVersion);
  // A revision without tasks does not know `params.task`: it is an unknown member then.
  const task = knows ? params.task : undefined;
  const insists = knows && !context.settings.requiredToolsInline;
  return {
    knowsTasks: knowsTasks(session),
    planOf: (tool): CallPlan => {
      checkSupport(tool, task !== undefined, insists);
      return {
        answer: task === undefined ? 'held' : 'task',
        isAsked: task !== undefined,
        ttlMs: task?.ttl ?? null,
        problem: unaskable(tool, session),
      };
    },
    answerTask: (created, tool) => createdTask(context, created, tool),
    ...legacyCaller(context, call, session, params),
  };
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
function createdTask({ settings }: ApiContext, task: Task, tool: AnnouncedTool): JsonObject {
  return {
    task: legacyTask(task, settings),
    _meta: {
      [IMMEDIATE_RESPONSE_META]:
        tool.immediateResponse ??
        `${tool.title ?? tool.name} is running in the background as task ${task.id}. Go on with other work; its result can be fetched by this id.`,
    },
  };
}
