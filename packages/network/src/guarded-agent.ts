import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { hostOf, type NetworkPolicy } from './network-policy.ts';

/** Finds all addresses of a name. */
export type Resolve = (
  hostname: string,
) => Promise<readonly { readonly address: string; readonly family: number }[]>;

const CONNECT_TIMEOUT_MS = 10_000;

/** Of the response, beyond which it is no page of ours. */
const MAX_HEADER_BYTES = 32_768;

export const resolveByDns: Resolve = (hostname) => lookup(hostname, { all: true });

/**
 * Connections that reach only what the policy allows. A name is resolved once, by the socket itself, and the
 * addresses that were checked are the ones it connects to: there is no moment at which DNS could answer
 * differently, and no way around it by a redirect, a kept connection or an address written as a number.
 *
 * @param connections to one origin at once; what is more waits for one that is free
 */
export function createGuardedAgent(
  policy: NetworkPolicy,
  resolve: Resolve = resolveByDns,
  connections = 4,
): Agent {
  return new Agent({
    connect: (options, callback) => {
      const { hostname, port, protocol } = options;
      const wanted = port === '' ? (protocol === 'https:' ? '443' : '80') : String(port);
      try {
        const literal = hostOf(hostname);
        // For these no look-up happens.
        if (isIP(literal) !== 0) policy.assertAddress(literal, hostname, wanted);
      } catch (error) {
        callback(error as Error, null);
        return;
      }
      const connect = buildConnector({
        timeout: CONNECT_TIMEOUT_MS,
        lookup: guardedLookup(resolve, (address) =>
          policy.assertAddress(address, hostname, wanted),
        ),
        // A session of another connection is not worth keeping for so few requests.
        maxCachedSessions: 0,
      });
      connect(options, callback);
    },
    connections,
    pipelining: 1,
    maxHeaderSize: MAX_HEADER_BYTES,
    keepAliveTimeout: 5_000,
    keepAliveMaxTimeout: 10_000,
  });
}

/** One bad address spoils the name: whoever mixes public and private ones wants to see which we take. */
function guardedLookup(resolve: Resolve, check: (address: string) => void): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname)
      .then((found) => {
        for (const { address } of found) check(address);
        const [first] = found;
        if (first === undefined)
          throw Object.assign(new Error('no address'), { code: 'ENOTFOUND' });
        // Beside the promise, which would take what the callback throws for an error of the look-up.
        process.nextTick(() => {
          if (options.all === true) callback(null, [...found]);
          else callback(null, first.address, first.family);
        });
      })
      .catch((error: unknown) => {
        process.nextTick(() => callback(error as NodeJS.ErrnoException, ''));
      });
  };
}
