import type { TaskNameHeader } from '@longshore/protocol';
import type { StreamLimit } from '../http/stream-limit.ts';
import type { ApiContext } from '../methods/api-context.ts';
import type { RequestStateCodec } from './request-state.ts';

/** What the methods of the modern era work with. */
export interface ModernContext extends ApiContext {
  readonly taskNameHeader: TaskNameHeader;
  readonly requestStates: RequestStateCodec;
  /** Requests a principal holds open at this process: calls that run, and streams. */
  readonly held: StreamLimit;
}
