import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import {
  type Access,
  type ApiKeyStore,
  type AuthBindingId,
  CREDENTIALS_TOPIC,
  type EventBus,
  type Service,
  type Subscription,
} from '@longshore/core';
import { LRUCache } from 'lru-cache';
import type { Authenticator } from './authenticator.ts';
import { bearerToken, unauthenticated } from './bearer-token.ts';

/** How long a look-up is trusted, should the message that the key was revoked be lost. */
const TRUST_MS = 5_000;
const MAX_CACHED = 10_000;

/** What `longshore keys create` makes: 256 random bits in base64url. */
const KEY = /^ls_[A-Za-z0-9_-]{43}$/;

/**
 * AUTH=api-key. Keys are looked up by their hash, so comparing takes no longer the more of a guess is right,
 * and what is cached here is no secret. Unknown keys are cached as well, apart, so that a client with a dead
 * key costs little and one that makes up keys displaces nobody.
 */
export class ApiKeyAuthenticator implements Authenticator, Service {
  readonly #store: ApiKeyStore;
  readonly #bus: EventBus;
  readonly #valid = new LRUCache<string, Access>({ max: MAX_CACHED, ttl: TRUST_MS });
  readonly #invalid = new LRUCache<string, true>({ max: MAX_CACHED, ttl: TRUST_MS });
  /** Look-ups under way: concurrent requests share one, as long as nothing was revoked meanwhile. */
  readonly #reading = new Map<string, Promise<Access | null>>();
  /** Grows with each revocation. */
  #generation = 0;
  #subscription: Subscription | null = null;

  constructor(options: { store: ApiKeyStore; bus: EventBus }) {
    this.#store = options.store;
    this.#bus = options.bus;
  }

  async start(): Promise<void> {
    this.#subscription ??= await this.#bus.subscribe(CREDENTIALS_TOPIC, (event) => {
      if (event.kind === 'credential-revoked') this.#forget(event.authBindingId);
      else if (event.kind === 'resync') this.#forget(null);
    });
  }

  async stop(): Promise<void> {
    await this.#subscription?.close();
    this.#subscription = null;
  }

  authenticate(headers: IncomingHttpHeaders): Access | Promise<Access> {
    const key = bearerToken(headers);
    if (!KEY.test(key)) throw unauthenticated('invalid');
    const hash = createHash('sha256').update(key).digest();
    return this.#valid.get(hash.toString('base64')) ?? this.#find(hash);
  }

  async #find(hash: Buffer): Promise<Access> {
    const name = hash.toString('base64');
    if (this.#invalid.has(name)) throw unauthenticated('invalid');
    let reading = this.#reading.get(name);
    if (reading === undefined) {
      reading = this.#read(hash).finally(() => {
        if (this.#reading.get(name) === reading) this.#reading.delete(name);
      });
      this.#reading.set(name, reading);
    }
    const access = await reading;
    if (access === null) throw unauthenticated('invalid');
    return access;
  }

  async #read(hash: Buffer): Promise<Access | null> {
    const name = hash.toString('base64');
    const generation = this.#generation;
    const found = await this.#store.findValid(hash);
    if (found === null) {
      this.#invalid.set(name, true);
      return null;
    }
    const { principalId, authBindingId, scopes, limits, expiresInMs } = found;
    const identity = { principalId, authBindingId };
    const access = { identity, sessionIdentity: identity, scopes, limits };
    // What was read before something was revoked is for those who asked before.
    if (generation === this.#generation && (expiresInMs === null || expiresInMs >= 1)) {
      this.#valid.set(name, access, { ttl: Math.min(TRUST_MS, expiresInMs ?? TRUST_MS) });
    }
    return access;
  }

  /** @param revoked null: any may have been */
  #forget(revoked: AuthBindingId | null): void {
    this.#generation += 1;
    this.#reading.clear();
    for (const [name, { identity }] of [...this.#valid.entries()]) {
      if (revoked === null || identity.authBindingId === revoked) this.#valid.delete(name);
    }
  }
}
