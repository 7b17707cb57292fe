import { FetchFailure } from './fetch-failure.ts';
import type { HostGate } from './network/host-gate.ts';
import { pause } from './network/pause.ts';
import type { WebClient, WebResponse } from './network/web-client.ts';
import { type Robots, RobotsRules } from './robots/robots-rules.ts';

export interface PoliteFetcherOptions {
  readonly client: WebClient;
  readonly gate: HostGate;
  readonly userAgent: string;
  /** Least pause between two requests to one host. */
  readonly delayMs: number;
  readonly signal: AbortSignal;
}

/** Fetches for one task: with pauses, and only what robots.txt allows, redirects included. */
export class PoliteFetcher {
  readonly #options: PoliteFetcherOptions;
  readonly #robots: RobotsRules;

  constructor(options: PoliteFetcherOptions) {
    this.#options = options;
    const { client, userAgent, signal } = options;
    const before = (url: URL) => this.#enter(url, 0);
    this.#robots = new RobotsRules({ client, userAgent, signal, before });
  }

  /** @throws {FetchFailure} as RobotsRules does */
  robots(url: URL): Promise<Robots> {
    return this.#robots.of(url);
  }

  /**
   * Gets a resource. What may be better a moment later is tried a second time.
   *
   * @throws {FetchFailure}
   * @throws the signal's reason when it fires
   */
  async get(
    url: string,
    request: { readonly maxBytes: number; readonly accept: string },
  ): Promise<WebResponse> {
    const { client, signal, delayMs } = this.#options;
    const wanted = { ...request, signal, before: (hop: URL) => this.#before(hop) };
    try {
      return await client.get(url, wanted);
    } catch (error) {
      if (!(error instanceof FetchFailure) || !error.isTransient) throw error;
      await pause(error.retryAfterMs ?? delayMs, signal);
      return client.get(url, wanted);
    }
  }

  async #before(url: URL): Promise<() => void> {
    const robots = await this.#robots.of(url);
    if (!robots.isAllowed(url)) {
      throw new FetchFailure('ROBOTS_DENIED', `robots.txt of ${url.host} does not allow it`);
    }
    return this.#enter(url, robots.crawlDelayMs);
  }

  #enter(url: URL, crawlDelayMs: number): Promise<() => void> {
    const { gate, delayMs, signal } = this.#options;
    return gate.enter(url.hostname, Math.max(delayMs, crawlDelayMs), signal);
  }
}
