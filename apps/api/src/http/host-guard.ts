import { LongshoreError } from '@longshore/core';
import { validateHostHeader, validateOriginHeader } from '@modelcontextprotocol/server';
import type { Request } from 'express';

/** Hosts remembered as allowed; more than that many different ones come from somebody who tries. */
const MAX_REMEMBERED = 100;

/**
 * Refuses requests for other hosts and from foreign web pages: what keeps DNS rebinding out.
 * @see 2025-11-25 basic/transports, "Security Warning"
 */
export class HostGuard {
  readonly #hosts: string[];
  readonly #origins: string[];
  readonly #allowedHosts = new Set<string>();

  /** Host names without port, IPv6 in brackets. */
  constructor(options: { allowedHosts: readonly string[]; allowedOrigins: readonly string[] }) {
    this.#hosts = [...options.allowedHosts];
    this.#origins = [...options.allowedOrigins];
  }

  /** @throws {LongshoreError} FORBIDDEN_ORIGIN */
  check(request: Request): void {
    this.#checkHost(request.headers.host);
    const { origin } = request.headers;
    if (origin === undefined) return;
    const verdict = validateOriginHeader(origin, this.#origins);
    if (!verdict.ok) throw new LongshoreError('FORBIDDEN_ORIGIN', verdict.message);
  }

  #checkHost(host: string | undefined): void {
    if (host !== undefined && this.#allowedHosts.has(host)) return;
    const verdict = validateHostHeader(host, this.#hosts);
    if (!verdict.ok) throw new LongshoreError('FORBIDDEN_ORIGIN', verdict.message);
    if (host !== undefined && this.#allowedHosts.size < MAX_REMEMBERED)
      this.#allowedHosts.add(host);
  }
}
