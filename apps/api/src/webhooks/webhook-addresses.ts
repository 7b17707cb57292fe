import { LongshoreError } from '@longshore/core';
import { NetworkPolicy, NetworkRefusal } from '@longshore/network/policy';

/** Where webhooks may be sent: public addresses over TLS, and what the operator has named besides. */
export class WebhookAddresses {
  readonly policy: NetworkPolicy;
  readonly #privateHosts: ReadonlySet<string>;

  /** @param privateHosts name:port */
  constructor(privateHosts: readonly string[]) {
    this.policy = new NetworkPolicy({ hosts: ['*'], privateHosts });
    this.#privateHosts = new Set(privateHosts.map((host) => new URL(`http://${host}`).host));
  }

  /**
   * The URL of a new webhook, as it is kept. What its name resolves to is checked with each message.
   * @throws {LongshoreError} INVALID_PARAMS
   */
  checked(text: string): string {
    const url = this.#allowed(text);
    if (url.protocol === 'https:' || this.#privateHosts.has(url.host)) return url.href;
    throw new LongshoreError('INVALID_PARAMS', 'The URL is http:, not https:');
  }

  #allowed(text: string): URL {
    try {
      return this.policy.url(text);
    } catch (error) {
      if (!(error instanceof NetworkRefusal)) throw error;
      throw new LongshoreError('INVALID_PARAMS', `The URL: ${error.message}`, { cause: error });
    }
  }
}
