import { LongshoreError } from '@longshore/core';
import { createRemoteJWKSet, errors, type JWTVerifyGetKey } from 'jose';
import { discoverKeys } from './issuer-metadata.ts';

export interface IssuerKeysOptions {
  readonly issuer: string;
  /** For each answer of the issuer, in milliseconds; 5 s by default. */
  readonly timeoutMs?: number;
  /**
   * Pause, in milliseconds, between two readings, whatever kid tokens name and however often it fails; 10 s by
   * default. Tokens of a key that is newer than the last reading are refused that long.
   */
  readonly cooldownMs?: number;
  /** How old keys may get, in milliseconds; ten minutes by default. A key that was taken back counts that long. */
  readonly maxAgeMs?: number;
}

/** The keys of an authorization server, read when they are needed and kept for a while. */
export class IssuerKeys {
  readonly #issuer: string;
  readonly #timeoutMs: number;
  readonly #cooldownMs: number;
  readonly #maxAgeMs: number;
  #keys: JWTVerifyGetKey | null = null;
  #discovering: Promise<void> | null = null;
  /** When the issuer did not answer for the last time; null: the last answer was good. */
  #failedAt: number | null = null;

  constructor(options: IssuerKeysOptions) {
    this.#issuer = options.issuer;
    this.#timeoutMs = options.timeoutMs ?? 5_000;
    this.#cooldownMs = options.cooldownMs ?? 10_000;
    this.#maxAgeMs = options.maxAgeMs ?? 600_000;
  }

  /**
   * The key of a token, for jose.
   * @throws {LongshoreError} ISSUER_UNAVAILABLE · JOSE errors when the issuer has no such key
   */
  readonly get: JWTVerifyGetKey = async (header, token) => {
    if (this.#keys === null || this.#failedAt !== null) await this.#discoverAgain();
    if (this.#keys === null) throw unavailable(new Error('failed a moment ago'));
    try {
      return await this.#keys(header, token);
    } catch (error) {
      if (isAboutToken(error)) throw error;
      this.#failedAt ??= performance.now();
      throw unavailable(error);
    }
  };

  /** The keys may have moved. While that can not be found out, those that were read last are good. */
  async #discoverAgain(): Promise<void> {
    const isPause =
      this.#failedAt !== null && performance.now() - this.#failedAt < this.#cooldownMs;
    if (isPause) return;
    this.#discovering ??= this.#discover().finally(() => {
      this.#discovering = null;
    });
    await this.#discovering;
  }

  async #discover(): Promise<void> {
    try {
      this.#keys = createRemoteJWKSet(await discoverKeys(this.#issuer, this.#timeoutMs), {
        timeoutDuration: this.#timeoutMs,
        cooldownDuration: this.#cooldownMs,
        cacheMaxAge: this.#maxAgeMs,
      });
      this.#failedAt = null;
    } catch (error) {
      this.#failedAt = performance.now();
      if (this.#keys === null) throw error;
    }
  }
}

function isAboutToken(error: unknown): boolean {
  return (
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys ||
    error instanceof errors.JOSENotSupported
  );
}

function unavailable(cause: unknown): LongshoreError {
  return new LongshoreError('ISSUER_UNAVAILABLE', 'The authorization server can not be asked', {
    cause,
  });
}
