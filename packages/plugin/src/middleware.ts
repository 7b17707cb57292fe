import { PluginDefinitionError } from './checks/definition-checks.ts';
import type { Tool } from './tool.ts';
import type { ToolContext } from './tool-context.ts';
import type { MaybePromise } from './values/maybe-promise.ts';

/** The run of a tool as a middleware sees it. */
export interface ToolCall<Input = unknown> {
  readonly tool: Tool;
  /** The arguments, as the tool's `input` parsed them. The tool gets these, whatever a middleware does. */
  readonly input: Input;
  readonly ctx: ToolContext;
}

/**
 * Runs what is inside: the next middleware, at last the tool. To be called once at most.
 *
 * @param ctx for what is inside, instead of the call's own: `{ ...call.ctx, log }`
 * @returns what the tool returned, not yet checked against its output schema
 */
export type Next = (ctx?: ToolContext) => Promise<unknown>;

/**
 * Runs around each run of a tool. What it returns is the tool's result and is checked against the output
 * schema; what it throws counts as thrown by the tool.
 */
export type Middleware<Input = unknown> = (
  call: ToolCall<Input>,
  next: Next,
) => MaybePromise<unknown>;

/** Middleware for all tools of a module: what `defineMiddleware` returned. */
export interface ModuleMiddleware {
  /** How a worker knows it among a module's exports, whichever copy of this package made it. */
  readonly longshoreMiddleware: 1;
  /** The outermost first. */
  readonly chain: readonly Middleware[];
}

/**
 * Makes middleware for all tools of the module that exports it. One export holds all of them: exports have no
 * order of their own.
 *
 * @param chain the outermost first
 * @throws {PluginDefinitionError} one is no function
 */
export function defineMiddleware(...chain: Middleware[]): ModuleMiddleware {
  checkMiddleware('defineMiddleware', chain);
  return { longshoreMiddleware: 1, chain };
}

/** True for what `defineMiddleware` returned, also from another copy of this package. */
export function isMiddleware(value: unknown): value is ModuleMiddleware {
  return (
    typeof value === 'object' &&
    value !== null &&
    'longshoreMiddleware' in value &&
    value.longshoreMiddleware === 1
  );
}

/**
 * @param label who has it, such as `plugin 'text'`
 * @throws {PluginDefinitionError} it is no list of functions
 */
export function checkMiddleware(label: string, chain: unknown): void {
  if (!Array.isArray(chain)) {
    throw new PluginDefinitionError(
      `${label}: middleware is no list: write middleware: [async (call, next) => next()]`,
    );
  }
  const stranger = chain.findIndex((one) => typeof one !== 'function');
  if (stranger !== -1) {
    throw new PluginDefinitionError(
      `${label}: middleware ${stranger} is no function: write async (call, next) => next()`,
    );
  }
}

/**
 * The same tool with middleware around each of its runs, outside of what it has. The outermost comes first.
 * A worker does so with the tools of a module that exports `defineMiddleware`; tests do it by hand.
 */
export function withMiddleware<Wrapped extends Tool>(
  tool: Wrapped,
  ...chain: readonly Middleware[]
): Wrapped {
  if (chain.length === 0) return tool;
  return { ...tool, run: (input, ctx) => runThrough(chain, tool, input, ctx) };
}

/** Runs a tool inside of the middleware. */
export function runThrough<Input>(
  chain: readonly Middleware<Input>[],
  tool: Tool,
  input: Input,
  ctx: ToolContext,
): MaybePromise<unknown> {
  const step = (index: number, own: ToolContext): MaybePromise<unknown> => {
    const middleware = chain[index];
    if (middleware === undefined) return tool.run(input, own);
    let isCalled = false;
    const inside = async (given: ToolContext): Promise<unknown> => {
      if (isCalled) {
        throw new Error(`middleware ${index} of tool '${tool.name}' called next() a second time`);
      }
      isCalled = true;
      return step(index + 1, given);
    };
    return middleware({ tool, input, ctx: own }, (given = own) => {
      const running = inside(given);
      // Of a middleware that does not wait: its own result stands, and the process must not end.
      running.catch(() => {});
      return running;
    });
  };
  return step(0, ctx);
}
