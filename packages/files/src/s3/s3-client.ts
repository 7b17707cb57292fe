import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type LimitedSignal, limitedSignal } from '@longshore/core';
import { AwsClient } from 'aws4fetch';
import { isPassing, S3Refusal, storeUnavailable } from './s3-refusal.ts';

export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of temporary credentials. */
  readonly sessionToken: string | null;
}

export interface S3ClientOptions {
  /** Without the bucket, such as `https://s3.eu-central-1.amazonaws.com`. */
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly credentials: S3Credentials;
  /** Milliseconds until an answer must have begun; a minute by default. */
  readonly timeoutMs?: number;
}

export interface S3Request {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** Of the object; `[A-Za-z0-9-]`. */
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array<ArrayBuffer>;
  readonly signal: AbortSignal;
}

export interface S3Answer {
  readonly headers: Headers;
  /** XML, or nothing. */
  readonly text: string;
}

const TRIES = 3;
const FIRST_PAUSE_MS = 100;

/**
 * Requests to one bucket, by path-style addresses, which all servers of the protocol know. Each is signed with
 * the hash of its body, so the server refuses bytes that changed on the way. Sent again when the server
 * asks for that or does not answer. All methods throw LongshoreError FILE_STORE_UNAVAILABLE, or the
 * signal's reason.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
export class S3Client {
  readonly #signer: AwsClient;
  readonly #base: string;
  readonly #timeoutMs: number;

  constructor(options: S3ClientOptions) {
    const { accessKeyId, secretAccessKey, sessionToken } = options.credentials;
    this.#signer = new AwsClient({
      accessKeyId,
      secretAccessKey,
      ...(sessionToken === null ? {} : { sessionToken }),
      service: 's3',
      region: options.region,
    });
    this.#base = `${options.endpoint.replace(/\/+$/, '')}/${options.bucket}`;
    this.#timeoutMs = options.timeoutMs ?? 60_000;
  }

  /** A request whose answer is short. The end of something that is not there has come already. */
  send(request: S3Request): Promise<S3Answer> {
    return this.#persist(request, async (limit) => {
      try {
        const response = await this.#fetch(request, limit.signal);
        const text = await response.text();
        const isGone = response.status === 404 && request.method === 'DELETE';
        // An upload that can not be put together is refused after the headers were sent.
        if (isGone || (response.ok && !text.includes('<Error>'))) {
          return { headers: response.headers, text };
        }
        throw new S3Refusal(response.ok ? 500 : response.status, text);
      } finally {
        limit.release();
      }
    });
  }

  /** The body of an object, as it comes. Leaving the loop early closes the connection. */
  async *read(request: S3Request): AsyncGenerator<Uint8Array> {
    const { body, limit } = await this.#persist(request, async (clock) => {
      try {
        const response = await this.#fetch(request, clock.signal);
        if (!response.ok) throw new S3Refusal(response.status, await response.text());
        clock.stopClock();
        return { body: response.body, limit: clock };
      } catch (error) {
        clock.release();
        throw error;
      }
    });
    try {
      if (body !== null) yield* body;
    } catch (error) {
      request.signal.throwIfAborted();
      throw storeUnavailable(request.method, error);
    } finally {
      limit.release();
    }
  }

  async #persist<T>(request: S3Request, run: (limit: LimitedSignal) => Promise<T>): Promise<T> {
    const { signal } = request;
    for (let tries = 1; ; tries += 1) {
      signal.throwIfAborted();
      try {
        return await run(limitedSignal(signal, this.#timeoutMs));
      } catch (error) {
        signal.throwIfAborted();
        if (tries >= TRIES || !isPassing(error)) throw storeUnavailable(request.method, error);
      }
      const pauseMs = FIRST_PAUSE_MS * 2 ** (tries - 1) * (0.5 + Math.random());
      await delay(pauseMs, undefined, { signal }).catch(() => {});
    }
  }

  async #fetch(request: S3Request, signal: AbortSignal): Promise<Response> {
    const { method, key, query = {}, headers = {}, body } = request;
    const search = new URLSearchParams(query).toString();
    const address = `${this.#base}/${key}${search === '' ? '' : `?${search}`}`;
    const hash = createHash('sha256')
      .update(body ?? '')
      .digest('hex');
    const signed = await this.#signer.sign(address, {
      method,
      headers: { ...headers, 'x-amz-content-sha256': hash },
      ...(body === undefined ? {} : { body }),
      // A signed request goes nowhere else.
      redirect: 'manual',
    });
    return fetch(signed, { signal });
  }
}
