import type { TaskNameHeader } from '@longshore/protocol';
import type { ApiContext } from '../methods/api-context.ts';
import type { RequestStateCodec } from './request-state.ts';

/** What the methods of the modern era work with. */
export interface ModernContext extends ApiContext {
  readonly taskNameHeader: TaskNameHeader;
  readonly requestStates: RequestStateCodec;
}
