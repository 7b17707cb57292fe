import type { PrincipalLimits, ProgressToken, Session } from '@longshore/core';
import type { Caller } from '../calls/caller.ts';
import { holdCall } from '../calls/held-call.ts';
import type { ResumableDelivery } from '../edge/delivery.ts';
import type { ApiContext } from '../methods/api-context.ts';
import { legacyAbilities } from './legacy-abilities.ts';
import { logLevelOf } from './set-log-level.ts';

/** A session's client, as the methods of both eras know it. */
export function legacyCaller(
  context: ApiContext,
  session: Session,
  delivery: ResumableDelivery,
  progressToken: ProgressToken | null,
  limits: PrincipalLimits,
): Caller {
  return {
    principalId: session.principalId,
    authBindingId: session.authBindingId,
    era: 'legacy',
    sessionId: session.id,
    requestId: delivery.requestId,
    progressToken,
    abilities: legacyAbilities(session),
    logLevel: logLevelOf(session),
    holdRow: (task) =>
      holdCall(context, task, delivery, {
        limits,
        abilities: legacyAbilities(session),
        mayBecomeJob: false,
      }),
  };
}
