import type { Access, PrincipalId } from '@longshore/core';
import type { LimitsOf } from './limits-of.ts';
import type { RequestRates } from './request-rates.ts';

/** What cards ask of one principal within a minute: ten of them, once a second each. */
const CALLS_PER_MINUTE = 600;

/** @param requestsPerMinute of the principal; 0: as many as it likes */
export const cardCallsPerMinute = (requestsPerMinute: number): number =>
  requestsPerMinute === 0 ? CALLS_PER_MINUTE : Math.min(CALLS_PER_MINUTE, requestsPerMinute);

/**
 * Counts a message of a client. What an open card asks again and again is counted by itself, so that it does not use up what
 * its principal may send; who pretends to be a card may ask for as many states of jobs, and for nothing else.
 *
 * @param how `take` refuses one too many
 * @param message JSON-RPC, as it came
 * @throws {LongshoreError} RATE_LIMITED
 */
export function rateMessage(
  limits: {
    readonly rates: RequestRates;
    readonly cardRates: RequestRates;
    readonly limitsOf: LimitsOf;
  },
  { principalId, access }: { readonly principalId: PrincipalId; readonly access: Access },
  how: 'take' | 'count',
  { message, cost }: { readonly message: unknown; readonly cost: number | undefined },
): void {
  const { requestsPerMinute } = limits.limitsOf(access);
  if (isCardCall(message))
    limits.cardRates.take(principalId, cardCallsPerMinute(requestsPerMinute));
  else limits.rates[how](principalId, requestsPerMinute, cost);
}

function isCardCall(message: unknown): boolean {
  if (memberOf(message, 'method') !== 'tools/call') return false;
  const params = memberOf(message, 'params');
  const card = memberOf(memberOf(params, 'arguments'), 'card');
  return card !== undefined && memberOf(params, 'name') === 'job_status';
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}
