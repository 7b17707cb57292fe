import { type JsonObject, LongshoreError, type Session } from '@longshore/core';
import {
  checkRequestMeta,
  isLegacyMethod,
  type JsonRpcRequest,
  type LegacyMethod,
  type LegacyParamsOf,
  parseLegacyParams,
  speaksTasks,
} from '@longshore/protocol';
import { type Answer, answerOf } from '../methods/answer.ts';
import type { ApiContext } from '../methods/api-context.ts';
import { callTool } from '../methods/call-tool.ts';
import { complete } from '../methods/complete.ts';
import { getPrompt } from '../methods/get-prompt.ts';
import { listPrompts } from '../methods/list-prompts.ts';
import { listResourceTemplates } from '../methods/list-resource-templates.ts';
import { listResources } from '../methods/list-resources.ts';
import { readResource } from '../methods/read-resource.ts';
import { initialize } from './initialize.ts';
import type { LegacyCall } from './legacy-call.ts';
import { legacyCaller, legacyToolCaller } from './legacy-caller.ts';
import { listTools } from './list-tools.ts';
import { setLogLevel } from './set-log-level.ts';
import { subscribeResource, unsubscribeResource } from './subscribe-resource.ts';
import { cancelTask, getTask, getTaskResult, listTasks } from './task-methods.ts';

/** A method's result; null when nobody waits for one any more. */
type Result = JsonObject | null;

/** Methods of a session: all but the one that opens it. */
type SessionMethod = Exclude<LegacyMethod, 'initialize'>;

type Run<Name extends SessionMethod> = (
  call: LegacyCall,
  session: Session,
  params: LegacyParamsOf<Name>,
) => Result | Promise<Result>;

type Methods = { readonly [Name in SessionMethod]: Run<Name> };

/** Methods of the revision that has tasks: to sessions of earlier ones they were not declared, and there are none. */
const OF_TASKS: ReadonlySet<string> = new Set<LegacyMethod>([
  'tasks/get',
  'tasks/list',
  'tasks/cancel',
  'tasks/result',
]);

/**
 * The legacy leg's dispatcher: a table from method to plain function. What is kept of a client is in its session
 * (docs/decisions/0038-legacy-leg-without-sdk-server.md).
 */
export class LegacyServer {
  readonly #context: ApiContext;
  readonly #methods: Methods;

  constructor(context: ApiContext) {
    this.#context = context;
    this.#methods = methodsOf(context);
  }

  /**
   * Answers one request; errors are answers too. Never rejects.
   * @returns null when nobody waits for the answer any more
   */
  dispatch(request: JsonRpcRequest, call: LegacyCall): Promise<Answer | null> {
    return answerOf('legacy', call.delivery, async () => {
      checkRequestMeta(request);
      const { method } = request;
      if (!isLegacyMethod(method)) throw unknownMethod(method);
      if (method === 'initialize') return this.#initialize(request, call);
      const { session } = call;
      if (session === null) {
        throw new LongshoreError(
          'SESSION_REQUIRED',
          'Send the Mcp-Session-Id of your session: initialize first',
        );
      }
      if (OF_TASKS.has(method) && !speaksTasks(session.protocolVersion)) {
        throw unknownMethod(method);
      }
      return this.#run(method, request, call, session);
    });
  }

  #run<Name extends SessionMethod>(
    name: Name,
    { params }: JsonRpcRequest,
    call: LegacyCall,
    session: Session,
  ): Result | Promise<Result> {
    const run: Run<Name> = this.#methods[name];
    return run(call, session, parseLegacyParams(name, params));
  }

  async #initialize({ params }: JsonRpcRequest, call: LegacyCall): Promise<JsonObject> {
    const { result, session } = await initialize(
      this.#context,
      parseLegacyParams('initialize', params),
      call.access,
      call.revision,
    );
    call.openedSession = session;
    call.delivery.log.info(
      { sessionId: session.id, principal: session.principalId, client: session.clientInfo },
      'session opened',
    );
    return result;
  }
}

function methodsOf(context: ApiContext): Methods {
  return {
    ping: () => ({}),
    'tools/list': (call, session, params) => listTools(context, session, call.access, params),
    'tools/call': (call, session, params) =>
      callTool(context, legacyToolCaller(context, call, session, params), params),
    'tasks/get': (_call, session, params) => getTask(context, session, params),
    'tasks/list': (_call, session, params) => listTasks(context, session, params),
    'tasks/cancel': (call, session, params) => cancelTask(context, session, params, call.delivery),
    'tasks/result': (call, session, params) =>
      getTaskResult(context, session, params, call.delivery),
    'logging/setLevel': (_call, session, params) => setLogLevel(context, session, params),
    'prompts/list': (call, _session, params) => listPrompts(context, call.access, params),
    'prompts/get': (call, session, params) =>
      getPrompt(context, legacyCaller(context, call, session, params), params),
    'resources/list': (call, _session, params) => listResources(context, call.access, params),
    'resources/templates/list': (call, _session, params) =>
      listResourceTemplates(context, call.access, params),
    'resources/read': (call, session, params) =>
      readResource(context, legacyCaller(context, call, session, params), params),
    'resources/subscribe': (_call, session, params) => subscribeResource(context, session, params),
    'resources/unsubscribe': (_call, session, params) =>
      unsubscribeResource(context, session, params),
    'completion/complete': (call, session, params) =>
      complete(context, legacyCaller(context, call, session, params), params),
  };
}

function unknownMethod(method: string): LongshoreError {
  return new LongshoreError('UNKNOWN_METHOD', `Method not found: ${method}`);
}
