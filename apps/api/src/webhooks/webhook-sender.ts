import { type DeliveryAnswer, type DueDelivery, diagnosisOf, limitedSignal } from '@longshore/core';
import {
  createGuardedAgent,
  type NetworkPolicy,
  NetworkRefusal,
  resolveByDns,
} from '@longshore/network';
import { Webhook } from 'standardwebhooks';
import type { Agent, Dispatcher } from 'undici';

/** From the connection to the last byte that is read. */
const TIMEOUT_MS = 10_000;
const MAX_TEXT_BYTES = 1_024;
const MAX_REDIRECTS = 3;
/** Those that keep method and body; others would make a GET of it. */
const REDIRECTS: ReadonlySet<number> = new Set([307, 308]);

/** Sends messages as Standard Webhooks has them, to where the policy allows. */
export class WebhookSender {
  readonly #policy: NetworkPolicy;
  readonly #agent: Agent;

  /** @param places messages at once: webhooks of one origin are not to wait for each other */
  constructor(policy: NetworkPolicy, places: number) {
    this.#policy = policy;
    this.#agent = createGuardedAgent(policy, resolveByDns, places);
  }

  /**
   * Sends a message once, through redirects that keep it as it is. Each URL and each address is checked.
   *
   * @throws the signal's reason when it fires before there is an answer
   */
  async send(delivery: DueDelivery, signal: AbortSignal): Promise<DeliveryAnswer> {
    const startedAt = performance.now();
    const limited = limitedSignal(signal, TIMEOUT_MS);
    const latencyMs = (): number => Math.round(performance.now() - startedAt);
    try {
      const { status, text } = await this.#follow(delivery, limited.signal);
      const isTaken = status >= 200 && status < 300;
      const error = isTaken ? null : `answered with status ${status}`;
      return { status, text, error, latencyMs: latencyMs() };
    } catch (error) {
      signal.throwIfAborted();
      return { status: null, text: null, error: reasonOf(error), latencyMs: latencyMs() };
    } finally {
      limited.release();
    }
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }

  async #follow(
    delivery: DueDelivery,
    signal: AbortSignal,
  ): Promise<{ readonly status: number; readonly text: string }> {
    const { event, occurredAt, data } = delivery;
    const body = JSON.stringify({ type: event, timestamp: occurredAt.toISOString(), data });
    const headers = signedHeaders(delivery, body);
    let url = this.#policy.url(delivery.url);
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      const answer = await this.#agent.request({
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        method: 'POST',
        headers,
        body,
        signal,
      });
      const location = answer.headers['location'];
      if (!REDIRECTS.has(answer.statusCode) || typeof location !== 'string') {
        return { status: answer.statusCode, text: await beginningOf(answer.body) };
      }
      answer.body.on('error', () => {}).destroy();
      const next = this.#policy.url(location, url);
      if (url.protocol === 'https:' && next.protocol !== 'https:') {
        throw new NetworkRefusal('HOST_NOT_ALLOWED', 'redirects from https to http');
      }
      url = next;
    }
    throw new NetworkRefusal('HOST_NOT_ALLOWED', `redirects more than ${MAX_REDIRECTS} times`);
  }
}

function signedHeaders({ id, secret }: DueDelivery, body: string): Record<string, string> {
  const at = new Date();
  return {
    'content-type': 'application/json',
    'user-agent': 'longshore-webhooks/1',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign(id, at, body),
  };
}

/** What is beyond it is not read: the connection ends. */
async function beginningOf(body: Dispatcher.ResponseData['body']): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of body as AsyncIterable<Buffer>) {
    parts.push(part);
    bytes += part.length;
    if (bytes >= MAX_TEXT_BYTES) break;
  }
  return Buffer.concat(parts).subarray(0, MAX_TEXT_BYTES).toString('utf8');
}

/** Messages of sockets name addresses of our own network: their codes say enough. */
function reasonOf(error: unknown): string {
  if (error instanceof NetworkRefusal) return `refused: ${error.message}`;
  if (error instanceof Error && error.name === 'TimeoutError') {
    return `no answer within ${TIMEOUT_MS / 1_000} s`;
  }
  if (typeof error === 'object' && error !== null && 'code' in error) return String(error.code);
  return diagnosisOf(error).slice(0, 200);
}
