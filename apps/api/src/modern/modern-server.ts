import type { AnnouncedTool, JsonObject } from '@longshore/core';
import {
  type CacheHint,
  cacheable,
  completeResult,
  declaresTasks,
  discoverResult,
  type ModernMethod,
  type ModernParamsOf,
  modernTool,
  parseModernParams,
} from '@longshore/protocol';
import { toolFilter } from '../edge/auth/visible-entries.ts';
import { callTool } from '../methods/call-tool.ts';
import { complete } from '../methods/complete.ts';
import { getPrompt } from '../methods/get-prompt.ts';
import { listPage } from '../methods/list-page.ts';
import { listPrompts } from '../methods/list-prompts.ts';
import { listResourceTemplates } from '../methods/list-resource-templates.ts';
import { listResources } from '../methods/list-resources.ts';
import { readResource } from '../methods/read-resource.ts';
import { listen } from './listen.ts';
import type { ModernCall } from './modern-call.ts';
import { modernCaller, modernToolCaller } from './modern-caller.ts';
import type { ModernContext } from './modern-context.ts';
import { cancelTask, getTask, updateTask } from './task-methods.ts';

/** A method's answer; null when nobody waits for one, or `call.answer` is set. */
type Answer = JsonObject | null;

interface Method<Name extends ModernMethod> {
  readonly run: (call: ModernCall, params: ModernParamsOf<Name>) => Answer | Promise<Answer>;
  /** How long clients may keep the result; absent where the revision has no caching for it. */
  readonly cache?: CacheHint;
}

type Methods = { readonly [Name in ModernMethod]: Method<Name> };

const SERVER_FEATURES = {
  listChanged: true,
  prompts: true,
  resources: true,
  resourceSubscriptions: true,
  completions: true,
  logging: true,
} as const;

/** Changes only with a new version of the server. */
const DISCOVER_CACHE: CacheHint = { ttlMs: 60_000, cacheScope: 'public' };
/** As long as it takes at most until this server itself hears of a change. */
const LIST_CACHE: CacheHint = { ttlMs: 5_000, cacheScope: 'public' };
/** What a client is shown depends on what it declares. */
const TOOLS_CACHE: CacheHint = { ...LIST_CACHE, cacheScope: 'private' };
/** What a worker reads may be another thing the next moment, or for the next caller. */
const READ_CACHE: CacheHint = { ttlMs: 0, cacheScope: 'private' };

/**
 * The modern leg's dispatcher: a table from method to plain function. Nothing is kept between two requests
 * (docs/decisions/0010-modern-leg-without-sdk-server.md).
 */
export class ModernServer {
  readonly #context: ModernContext;
  readonly #methods: Methods;

  constructor(context: ModernContext) {
    this.#context = context;
    this.#methods = methodsOf(context);
  }

  /**
   * @returns the result as it goes out; null when nobody waits for it any more
   * @throws whatever the method throws
   */
  dispatch(call: ModernCall): Promise<Answer> {
    return this.#run(call.method, call);
  }

  async #run<Name extends ModernMethod>(name: Name, call: ModernCall): Promise<Answer> {
    const method: Method<Name> = this.#methods[name];
    const body = await method.run(call, parseModernParams(name, call.params));
    if (call.answer !== null) return call.answer;
    if (body === null) return null;
    const result = completeResult(body, this.#context.server);
    if (method.cache === undefined) return result;
    // What a credential filters is for whoever has it.
    const isFiltered = call.access.scopes !== null && method.cache === LIST_CACHE;
    return cacheable(result, isFiltered ? { ...LIST_CACHE, cacheScope: 'private' } : method.cache);
  }
}

function methodsOf(context: ModernContext): Methods {
  const { server, catalogue, cards } = context;
  return {
    'server/discover': { run: () => discoverResult(server, SERVER_FEATURES, DISCOVER_CACHE) },
    'tools/list': {
      run: (call, params) => {
        const abilities = call.envelope.clientCapabilities;
        const client = { knowsTasks: declaresTasks(abilities), abilities };
        const tools = context.jobTools.among(catalogue.tools, call.access, client);
        const wire = (tool: AnnouncedTool) => modernTool(tool, cards.of(tool));
        return listPage('tools', tools, params, wire, toolFilter(call.access));
      },
      cache: TOOLS_CACHE,
    },
    'tools/call': {
      run: (call, params) => callTool(context, modernToolCaller(context, call, params), params),
    },
    'prompts/list': {
      run: (call, params) => listPrompts(context, call.access, params),
      cache: LIST_CACHE,
    },
    'prompts/get': {
      run: (call, params) =>
        getPrompt(context, modernCaller(context, call, params.inputResponses ?? {}), params),
    },
    'resources/list': {
      run: (call, params) => listResources(context, call.access, params),
      cache: LIST_CACHE,
    },
    'resources/templates/list': {
      run: (call, params) => listResourceTemplates(context, call.access, params),
      cache: LIST_CACHE,
    },
    'resources/read': {
      run: (call, params) =>
        readResource(context, modernCaller(context, call, params.inputResponses ?? {}), params),
      cache: READ_CACHE,
    },
    'completion/complete': {
      run: (call, params) => complete(context, modernCaller(context, call, null), params),
    },
    'tasks/get': { run: (call, params) => getTask(context, call, params) },
    'tasks/update': { run: (call, params) => updateTask(context, call, params) },
    'tasks/cancel': { run: (call, params) => cancelTask(context, call, params) },
    'subscriptions/listen': { run: (call, params) => listen(context, call, params) },
  };
}
