import robotsParser from 'robots-parser';
import { FetchFailure } from '../fetch-failure.ts';
import type { WebClient } from '../network/web-client.ts';

/** Its types are those of an ES module, which it is not. */
const readRobots = robotsParser as unknown as typeof robotsParser.default;

/** RFC 9309 asks for at least 500 KiB; a larger one counts as one that can not be had. */
const MAX_ROBOTS_BYTES = 512_000;

/** Longest pause between requests that a site can ask for, in milliseconds. */
const MAX_CRAWL_DELAY_MS = 60_000;

/** What a site's robots.txt says to us. */
export interface Robots {
  isAllowed(url: URL): boolean;
  /** Pause between requests it asks for; 0: none. */
  readonly crawlDelayMs: number;
  readonly sitemaps: readonly string[];
}

const EVERYTHING: Robots = { isAllowed: () => true, crawlDelayMs: 0, sitemaps: [] };

export interface RobotsRulesOptions {
  readonly client: WebClient;
  readonly userAgent: string;
  readonly signal: AbortSignal;
  /** As of WebRequest. */
  readonly before: (url: URL) => Promise<() => void>;
}

/**
 * The robots.txt of each site of one task, read once (RFC 9309): a missing one (4xx) allows everything; one that
 * can not be had allows nothing, because nobody knows what it says.
 */
export class RobotsRules {
  readonly #options: RobotsRulesOptions;
  readonly #known = new Map<string, Promise<Robots>>();

  constructor(options: RobotsRulesOptions) {
    this.#options = options;
  }

  /** @throws {FetchFailure} ROBOTS_UNREACHABLE, or why the site may not be reached at all */
  of(url: URL): Promise<Robots> {
    const known = this.#known.get(url.origin);
    if (known !== undefined) return known;
    const read = this.#read(url.origin);
    this.#known.set(url.origin, read);
    // Another page of the site may find it back.
    read.catch(() => this.#known.delete(url.origin));
    return read;
  }

  async #read(origin: string): Promise<Robots> {
    const { client, userAgent, signal, before } = this.#options;
    const url = `${origin}/robots.txt`;
    try {
      const { body } = await client.get(url, {
        signal,
        before,
        maxBytes: MAX_ROBOTS_BYTES,
        accept: 'text/plain, */*;q=0.1',
      });
      return parseRobots(url, body.toString('utf8'), userAgent);
    } catch (error) {
      if (!(error instanceof FetchFailure)) throw error;
      const { reason, status } = error;
      if (reason === 'HTTP_STATUS' && status !== null && status < 500 && status !== 429) {
        return EVERYTHING;
      }
      if (['PRIVATE_ADDRESS', 'HOST_NOT_ALLOWED', 'DNS_FAILED'].includes(reason)) throw error;
      throw new FetchFailure('ROBOTS_UNREACHABLE', `robots.txt ${error.message}`, {
        cause: error,
        retryAfterMs: error.retryAfterMs,
      });
    }
  }
}

function parseRobots(url: string, text: string, userAgent: string): Robots {
  const robots = readRobots(url, text);
  const delay = robots.getCrawlDelay(userAgent) ?? 0;
  return {
    isAllowed: (wanted) => robots.isAllowed(wanted.href, userAgent) !== false,
    crawlDelayMs: Math.min(Math.max(delay * 1_000, 0), MAX_CRAWL_DELAY_MS),
    sitemaps: robots.getSitemaps(),
  };
}
