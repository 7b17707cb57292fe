import {
  type BatchStore,
  CHUNK_METHOD,
  type Claim,
  type Outcome,
  toolErrorOutcome,
} from '@longshore/core';
import type { WorkerMetrics } from '@longshore/metrics';
import type { Tool } from '@longshore/plugin';
import { resourceAddress } from '@longshore/plugin/host';
import * as z from 'zod';
import { chunkHandler } from '../batch/chunk-handler.ts';
import type { LoadedTool, Offers } from '../plugins/offers.ts';
import {
  completionHandler,
  promptHandler,
  resourceHandler,
} from '../requests/prompt-and-resource-handlers.ts';
import type { RequestHandler } from '../requests/request-handler.ts';
import type { StartWaits } from '../requests/start-waits.ts';
import { toolFailure, toolHandler } from '../requests/tool-handler.ts';
import { ThreadRunFailed } from '../threads/served-run.ts';
import type { ToolThreads } from '../threads/thread-pool.ts';

const CompletionParams = z.object({
  ref: z.object({ type: z.enum(['ref/prompt', 'ref/resource']) }),
});

/** Kinds of requests with a name space each: a prompt may be called like a tool. */
type Kind =
  | 'tools/call'
  | typeof CHUNK_METHOD
  | 'prompts/get'
  | 'resources/read'
  | 'completion of ref/prompt'
  | 'completion of ref/resource';

/** What runs of tools are made with. */
export interface RunMeans {
  /** Where isolated tools run. */
  readonly threads: ToolThreads;
  readonly batches: BatchStore;
  readonly metrics: Pick<WorkerMetrics, 'items'>;
  /** Where tools with a rate wait. */
  readonly starts: StartWaits;
}

/** Who answers what, of everything a worker offers. */
export class RequestHandlers {
  readonly #means: RunMeans;
  #handlers: ReadonlyMap<string, RequestHandler>;
  #tools: ReadonlyMap<string, LoadedTool>;

  constructor(offers: Offers, means: RunMeans) {
    this.#means = means;
    this.#handlers = handlersOf(offers, means);
    this.#tools = toolsOf(offers);
  }

  /** What is asked for from now on is answered by these; what runs goes on. */
  replace(offers: Offers): void {
    this.#handlers = handlersOf(offers, this.#means);
    this.#tools = toolsOf(offers);
  }

  /** The tool that a claim is about; null for prompts and resources, and when no plugin here has it. */
  tool({ requestMethod, toolName }: Pick<Claim, 'requestMethod' | 'toolName'>): LoadedTool | null {
    const isTool = requestMethod === 'tools/call' || requestMethod === CHUNK_METHOD;
    return isTool ? (this.#tools.get(toolName) ?? null) : null;
  }

  /** Whether `find` may find something: of completions only the claim tells. */
  has({ requestMethod, toolName }: Pick<Claim, 'requestMethod' | 'toolName'>): boolean {
    return (
      requestMethod === 'completion/complete' ||
      this.#handlers.has(handlerKey(requestMethod, toolName))
    );
  }

  /** Null when no plugin here has the tool, prompt or resource of the claim. */
  find(claim: Claim): RequestHandler | null {
    return this.#handlers.get(handlerKey(kindOf(claim), claim.toolName)) ?? null;
  }
}

function toolsOf({ tools }: Offers): ReadonlyMap<string, LoadedTool> {
  return new Map(tools.map((loaded) => [loaded.tool.name, loaded]));
}

function handlersOf(
  { tools, prompts, resources }: Offers,
  { threads, batches, starts, metrics }: RunMeans,
): ReadonlyMap<string, RequestHandler> {
  const handlers = new Map<string, RequestHandler>();
  const add = (kind: Kind, name: string, handler: RequestHandler): void => {
    handlers.set(handlerKey(kind, name), handler);
  };
  for (const { tool, entry } of tools) {
    const isolated = tool.policy.isolate === 'thread';
    const runs = isolated ? threadToolHandler(tool, entry, threads) : toolHandler(tool);
    const handler = ratedHandler(tool, runs, starts);
    add('tools/call', tool.name, handler);
    add(CHUNK_METHOD, tool.name, chunkHandler(tool, handler, batches, metrics));
  }
  for (const { prompt } of prompts) {
    add('prompts/get', prompt.name, promptHandler(prompt));
    add('completion of ref/prompt', prompt.name, completionHandler(prompt));
  }
  for (const { resource } of resources) {
    const address = resourceAddress(resource);
    add('resources/read', address, resourceHandler(resource));
    add('completion of ref/resource', address, completionHandler(resource));
  }
  return handlers;
}

function kindOf({ requestMethod, arguments: params }: Claim): Kind {
  if (requestMethod !== 'completion/complete') return requestMethod;
  const ref = CompletionParams.safeParse(params).data?.ref.type ?? 'ref/prompt';
  return `completion of ${ref}`;
}

function handlerKey(kind: Kind, name: string): string {
  return `${kind} ${name}`;
}

/**
 * Answers tools/call of a tool with `isolate: 'thread'`. Arguments are parsed and the result is checked there
 * as well: what zod makes of them need not survive the way between threads, and it may be a lot of work.
 *
 * @param entry absolute path of the module that has the tool
 */
function threadToolHandler(tool: Tool, entry: string, threads: ToolThreads): RequestHandler {
  return {
    noun: 'tool',
    backoff: tool.policy.backoff,
    promisesStructure: tool.parseOutput !== null,
    prepare: (params) => {
      const run = threads.prepare({ entry, tool: tool.name, arguments: params });
      return {
        kind: 'run',
        run: (scope) => run.start(scope),
        // Runs in threads return outcomes.
        outcomeOf: (returned) => returned as Outcome,
        kill: () => run.kill(),
      };
    },
    failureOf: (thrown) =>
      thrown instanceof ThreadRunFailed ? thrown.failure : toolFailure(thrown),
    failedOutcome: toolErrorOutcome,
  };
}

/**
 * The same handler, whose runs wait for a start of a tool that has a rate. Every run of a tool passes here: an
 * attempt, a call of another tool's, an item of a batch; for a thread it waits before it takes one.
 */
function ratedHandler(
  { name, policy: { rate = null } }: Tool,
  handler: RequestHandler,
  starts: StartWaits,
): RequestHandler {
  if (rate === null) return handler;
  return {
    ...handler,
    prepare: (params) => {
      const prepared = handler.prepare(params);
      if (prepared.kind === 'refused') return prepared;
      return {
        ...prepared,
        run: async (scope) => {
          await starts.next(name, rate, scope.ctx.signal);
          return prepared.run(scope);
        },
      };
    },
  };
}
