import type { Tool } from '@longshore/plugin';
import type { RequestHandler } from './request-handler.ts';
import type { StartWaits } from './start-waits.ts';

/**
 * The same handler, whose runs wait for a start of a tool that has a rate. Every run of a tool passes here: an
 * attempt, a call of another tool's, an item of a batch; for a thread it waits before it takes one.
 */
export function ratedHandler(
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
