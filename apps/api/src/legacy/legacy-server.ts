import { type JsonObject, LongshoreError, type ProgressToken, type Session } from '@longshore/core';
import {
  errorToWire,
  type JsonRpcRequest,
  type JsonRpcResponse,
  LegacyParams,
  outcomeErrorToWire,
  retryAfterSeconds,
  speaksTasks,
} from '@longshore/protocol';
import {
  type AuthInfo,
  ProtocolError,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { Caller } from '../calls/caller.ts';
import { StoredOutcomeError } from '../calls/outcome-error.ts';
import { logFailure } from '../edge/log-failure.ts';
import type { ApiContext } from '../methods/api-context.ts';
import { complete } from '../methods/complete.ts';
import { getPrompt } from '../methods/get-prompt.ts';
import { listPrompts } from '../methods/list-prompts.ts';
import { listResourceTemplates } from '../methods/list-resource-templates.ts';
import { listResources } from '../methods/list-resources.ts';
import { readResource } from '../methods/read-resource.ts';
import { callTool } from './call-tool.ts';
import { cancelTask } from './cancel-task.ts';
import { getTask } from './get-task.ts';
import { getTaskResult } from './get-task-result.ts';
import { initialize } from './initialize.ts';
import { LegacyCall } from './legacy-call.ts';
import { legacyCaller } from './legacy-caller.ts';
import { listTasks } from './list-tasks.ts';
import { listTools } from './list-tools.ts';
import { MultiplexTransport } from './multiplex-transport.ts';
import { setLogLevel } from './set-log-level.ts';
import { subscribeResource, unsubscribeResource } from './subscribe-resource.ts';

/** A method's answer; null when nobody waits for one any more. */
type Answer = JsonObject | null;
type Method<Params> = (
  call: LegacyCall,
  session: Session,
  params: Params,
) => Answer | Promise<Answer>;

type Settled =
  | { readonly result: JsonObject }
  | {
      readonly error: { readonly code: number; readonly message: string; readonly data?: unknown };
    };

interface WithToken {
  readonly _meta?: { readonly progressToken?: ProgressToken | undefined } | undefined;
}

/**
 * The legacy leg's dispatcher: one SDK `Server` for all sessions. It knows the wire; what a method does
 * is in `methods/`, which knows nothing of the SDK.
 */
export class LegacyServer {
  readonly #transport = new MultiplexTransport();
  readonly #server: Server;

  constructor(context: ApiContext) {
    this.#server = new Server(
      { name: context.server.name, version: context.server.version },
      {
        capabilities: {
          tools: { listChanged: true },
          prompts: { listChanged: true },
          resources: { subscribe: true, listChanged: true },
          completions: {},
          logging: {},
          tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
        },
      },
    );
    this.#server.onerror = (error) => {
      context.log.debug({ err: error }, 'message the protocol layer refused');
      this.#transport.refused(error);
    };
    this.#register(context);
  }

  async connect(): Promise<void> {
    await this.#server.connect(this.#transport);
  }

  async close(): Promise<void> {
    await this.#server.close();
  }

  /**
   * Answers one request. Errors of methods are answers too.
   * @throws {LongshoreError} INVALID_PARAMS for a malformed `_meta`, which the SDK would take no notice of
   */
  async dispatch(request: JsonRpcRequest, call: LegacyCall): Promise<JsonRpcResponse> {
    if (request.params?.['_meta'] !== undefined) {
      parse(request.method, LegacyParams.meta, request.params['_meta']);
    }
    const authInfo: AuthInfo = { token: '', clientId: '', scopes: [], extra: { call } };
    const response = await this.#transport.dispatch(request, { authInfo });
    const { errorCode: code } = call;
    return response.error === undefined || code === null
      ? response
      : { ...response, error: { ...response.error, code } };
  }

  /** Answers a request that reached this server before, on a connection that broke. */
  async resume(call: LegacyCall, run: () => Promise<Answer>): Promise<JsonRpcResponse> {
    return { jsonrpc: '2.0', id: call.delivery.requestId, ...(await settle(call, run)) };
  }

  #register(context: ApiContext): void {
    const server = this.#server;
    server.setRequestHandler('initialize', { params: z.unknown() }, (raw, ctx) =>
      answer(ctx, async (call) => {
        const { result, session } = await initialize(
          context,
          parse('initialize', LegacyParams.initialize, raw),
          call.access,
          call.revision,
        );
        call.openedSession = session;
        call.delivery.log.info(
          { sessionId: session.id, principal: session.principalId, client: session.clientInfo },
          'session opened',
        );
        return result;
      }),
    );
    this.#on('ping', LegacyParams.ping, () => ({}));
    this.#on('tools/list', LegacyParams.listTools, (call, session, params) =>
      listTools(context, session, call.access, params),
    );
    this.#onTasks('tasks/get', LegacyParams.task, (_call, session, params) =>
      getTask(context, session, params),
    );
    this.#onTasks('tasks/list', LegacyParams.listTasks, (_call, session, params) =>
      listTasks(context, session, params),
    );
    this.#onTasks('tasks/cancel', LegacyParams.task, (call, session, params) =>
      cancelTask(context, session, params, call.delivery),
    );
    this.#onTasks('tasks/result', LegacyParams.task, (call, session, params) =>
      getTaskResult(context, session, params, call.delivery),
    );
    this.#on('logging/setLevel', LegacyParams.setLevel, (_call, session, params) =>
      setLogLevel(context, session, params),
    );
    this.#registerCatalogue(context);
    // A registered tools/call handler would have its task results rejected or decorated by the SDK.
    server.removeRequestHandler('tools/call');
    server.fallbackRequestHandler = (request, ctx) =>
      answer(ctx, async (call) => {
        if (request.method !== 'tools/call') {
          throw unknownMethod(request.method);
        }
        const params = parse('tools/call', LegacyParams.callTool, request.params);
        return callTool(context, sessionOf(call), params, call.delivery, call.access);
      });
  }

  /** Prompts, resources and completions: what both eras have. */
  #registerCatalogue(context: ApiContext): void {
    const caller = (call: LegacyCall, session: Session, params: WithToken): Caller =>
      legacyCaller(
        context,
        session,
        call.delivery,
        params._meta?.progressToken ?? null,
        context.limitsOf(call.access),
      );
    this.#on('prompts/list', LegacyParams.listPrompts, (call, _session, params) =>
      listPrompts(context, call.access, params),
    );
    this.#on('prompts/get', LegacyParams.getPrompt, (call, session, params) =>
      getPrompt(context, caller(call, session, params), params),
    );
    this.#on('resources/list', LegacyParams.listResources, (call, _session, params) =>
      listResources(context, call.access, params),
    );
    this.#on('resources/templates/list', LegacyParams.listResourceTemplates, (call, _s, params) =>
      listResourceTemplates(context, call.access, params),
    );
    this.#on('resources/read', LegacyParams.readResource, (call, session, params) =>
      readResource(context, caller(call, session, params), params),
    );
    this.#on('resources/subscribe', LegacyParams.subscription, (_call, session, params) =>
      subscribeResource(context, session, params),
    );
    this.#on('resources/unsubscribe', LegacyParams.subscription, (_call, session, params) =>
      unsubscribeResource(context, session, params),
    );
    this.#on('completion/complete', LegacyParams.complete, (call, session, params) =>
      complete(context, caller(call, session, params), params),
    );
  }

  /** A method of the revision that has tasks: to sessions of earlier ones it was not declared, and there is none. */
  #onTasks<Schema extends z.ZodType>(
    method: string,
    schema: Schema,
    run: Method<z.output<Schema>>,
  ): void {
    this.#on(method, schema, (call, session, params) => {
      if (!speaksTasks(session.protocolVersion)) throw unknownMethod(method);
      return run(call, session, params);
    });
  }

  #on<Schema extends z.ZodType>(
    method: string,
    schema: Schema,
    run: Method<z.output<Schema>>,
  ): void {
    this.#server.setRequestHandler(method, { params: z.unknown() }, (raw, ctx) =>
      answer(ctx, (call) => run(call, sessionOf(call), parse(method, schema, raw))),
    );
  }
}

function unknownMethod(method: string): LongshoreError {
  return new LongshoreError('UNKNOWN_METHOD', `Method not found: ${method}`);
}

async function answer(
  ctx: ServerContext,
  run: (call: LegacyCall) => Answer | Promise<Answer>,
): Promise<JsonObject> {
  const call = ctx.http?.authInfo?.extra?.['call'];
  if (!(call instanceof LegacyCall)) throw new Error('request without its call');
  const settled = await settle(call, run);
  if ('result' in settled) return settled.result;
  const { code, message, data } = settled.error;
  call.errorCode = code;
  throw new ProtocolError(code, message, data);
}

/** Runs a method and maps what it throws to the wire: the one place on this leg where that is done. */
async function settle(
  call: LegacyCall,
  run: (call: LegacyCall) => Answer | Promise<Answer>,
): Promise<Settled> {
  try {
    const result = await run(call);
    call.unanswered = result === null;
    return { result: result ?? {} };
  } catch (error) {
    if (error instanceof StoredOutcomeError) {
      const { code, message, data } = outcomeErrorToWire(error.error, 'legacy');
      return { error: { code, message, data } };
    }
    const { code, message, data, httpStatus } = errorToWire(error);
    logFailure(call.delivery.log, error);
    call.errorStatus = httpStatus;
    call.retryAfterSeconds = retryAfterSeconds(error);
    return { error: { code, message, data } };
  }
}

function sessionOf(call: LegacyCall): Session {
  if (call.session === null) {
    throw new LongshoreError(
      'SESSION_REQUIRED',
      'Send the Mcp-Session-Id of your session: initialize first',
    );
  }
  return call.session;
}

function parse<Schema extends z.ZodType>(
  method: string,
  schema: Schema,
  raw: unknown,
): z.output<Schema> {
  const parsed = schema.safeParse(raw ?? {});
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => {
    const where = issue.path.join('.');
    return where === '' || issue.message.startsWith(where)
      ? issue.message
      : `${where}: ${issue.message}`;
  });
  throw new LongshoreError(
    'INVALID_PARAMS',
    `Invalid params for ${method}: ${problems.join('; ')}`,
  );
}
