import { LongshoreError } from '@longshore/core';
import { validateHostHeader, validateOriginHeader } from '@modelcontextprotocol/server';
import cors from 'cors';
import type { Request, Response } from 'express';

/** Hosts remembered as allowed; more than that many different ones come from somebody who tries. */
const MAX_REMEMBERED = 100;

/** What a page of another origin may read beside the body: of sessions, errors, downloads. */
const EXPOSED_HEADERS = [
  ...['Mcp-Session-Id', 'X-Request-Id', 'WWW-Authenticate', 'Retry-After'],
  ...['Content-Disposition', 'Content-Range', 'Accept-Ranges', 'ETag'],
];

/** 2 h, the most that Chromium takes: each preflight is a round trip before a request. */
const PREFLIGHT_SECONDS = 7_200;

export interface HostGuardOptions {
  /** Host names without port, IPv6 in brackets. */
  readonly allowedHosts: readonly string[];
  /** Host names of origins, likewise. */
  readonly allowedOrigins: readonly string[];
  /** Origins whose pages may read answers, and which are allowed; null: all that are. */
  readonly corsOrigins: readonly string[] | null;
}

/**
 * Refuses requests for other hosts and from foreign web pages, which is what keeps DNS rebinding out, and lets
 * pages of the others read what they get. Credentials are headers that a page sets itself: there are no cookies.
 *
 * @see 2025-11-25 basic/transports, "Security Warning"
 */
export class HostGuard {
  readonly #hosts: string[];
  readonly #origins: string[];
  readonly #corsOrigins: ReadonlySet<string> | null;
  readonly #allowedHosts = new Set<string>();
  readonly #cors = cors({
    origin: true,
    methods: ['GET', 'HEAD', 'POST', 'DELETE'],
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: PREFLIGHT_SECONDS,
  });

  constructor(options: HostGuardOptions) {
    this.#hosts = [...options.allowedHosts];
    this.#origins = [...options.allowedOrigins];
    this.#corsOrigins = options.corsOrigins === null ? null : new Set(options.corsOrigins);
  }

  /**
   * @returns false: a browser asked beforehand, and has its answer
   * @throws {LongshoreError} FORBIDDEN_ORIGIN
   */
  admits(request: Request, response: Response): boolean {
    this.#checkHost(request.headers.host);
    const { origin } = request.headers;
    if (origin === undefined) return true;
    const isReadable = this.#corsOrigins?.has(origin) ?? true;
    if (this.#corsOrigins === null || !isReadable) this.#checkOrigin(origin);
    if (!isReadable) return true;
    let goesOn = false;
    // It calls back before it returns, unless it answers.
    this.#cors(request, response, () => {
      goesOn = true;
    });
    return goesOn;
  }

  #checkOrigin(origin: string): void {
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
