import type { ServerIdentity } from '@longshore/protocol';
import type { CallContext } from '../calls/call-context.ts';
import type { Cards } from '../cards/cards.ts';
import type { Broadcasts } from '../catalogue/broadcasts.ts';
import type { RequestRates } from '../edge/limits/request-rates.ts';
import type { JobTools } from '../job-tools/job-tools.ts';
import type { SessionRegistry } from '../sessions/session-registry.ts';

/** What the methods of both eras work with, put together once in `api-process.ts`. */
export interface ApiContext extends CallContext {
  readonly server: ServerIdentity;
  readonly rates: RequestRates;
  /** Of what open cards send. */
  readonly cardRates: RequestRates;
  readonly sessions: SessionRegistry;
  readonly broadcasts: Broadcasts;
  readonly jobTools: JobTools;
  readonly cards: Cards;
}
