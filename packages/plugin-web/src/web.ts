import { createGuardedAgent, NetworkPolicy, type Resolve } from '@longshore/network';
import type { NetworkGrant } from '@longshore/plugin';
import { HostGate } from './network/host-gate.ts';
import { WebClient } from './network/web-client.ts';
import { PoliteFetcher } from './polite-fetcher.ts';

/** What all tools of a worker share: connections, and whose turn it is at which host. */
export interface Web {
  fetcher(delayMs: number, signal: AbortSignal): PoliteFetcher;
}

/** @throws {Error} a grant that says nothing */
export function openWeb(grant: NetworkGrant, resolve?: Resolve): Web {
  const { userAgent } = grant;
  const policy = new NetworkPolicy(grant);
  const client = new WebClient({ agent: createGuardedAgent(policy, resolve), policy, userAgent });
  const gate = new HostGate();
  return {
    fetcher: (delayMs, signal) => new PoliteFetcher({ client, gate, userAgent, delayMs, signal }),
  };
}
