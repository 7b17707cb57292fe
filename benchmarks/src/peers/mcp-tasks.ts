import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { ModernClient, WireClient } from '@longshore/testing/mcp';
import { CALL, type Call, legacyCall } from '../accept/noop-call.ts';
import { ROUND_TRIP_TIMEOUT_MS, type RoundTrip } from './engine.ts';

/** How FastMCP's own client asks where the server suggests nothing: soon at first, then half as often each time. */
const FIRST_POLL_MS = 20;
const LAST_POLL_MS = 500;

interface Answer {
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly message: string };
}

/** A client of 2025-11-25, which waits with `tasks/result`. */
export async function legacyTasks(url: string): Promise<RoundTrip> {
  const { sessionId } = await WireClient.initialized(url);
  const { headers, body } = legacyCall(sessionId);
  const post = poster(url);
  let lastId = 1;
  return async () => {
    const { task } = resultOf(await post({ headers, body: { ...body, id: ++lastId } }));
    const params = { taskId: Object(task).taskId };
    const wait = { jsonrpc: '2.0', id: ++lastId, method: 'tasks/result', params };
    check(resultOf(await post({ headers, body: wait })));
  };
}

/** A client of 2026-07-28, which asks with `tasks/get` until the result is there; it asks again after an error. */
export function modernTasks(url: string): RoundTrip {
  const client = new ModernClient([url]).withTasks();
  const post = poster(url);
  return async (onError) => {
    const giveUpAt = Date.now() + ROUND_TRIP_TIMEOUT_MS;
    const { taskId } = resultOf(await post(client.build('tools/call', CALL)));
    for (let pollMs = FIRST_POLL_MS; ; pollMs = Math.min(pollMs * 2, LAST_POLL_MS)) {
      await delay(pollMs);
      const { result, error } = await post(client.build('tasks/get', { taskId }));
      if (result === undefined) onError(error);
      else if (result['status'] !== 'working') return check(result['result']);
      if (Date.now() > giveUpAt) throw new Error(`${String(taskId)} has no result`);
    }
  };
}

function resultOf({ result, error }: Answer): Readonly<Record<string, unknown>> {
  if (result === undefined) throw new Error(error?.message ?? 'an answer without a result');
  return result;
}

function check(result: unknown): void {
  const text = JSON.stringify(result) ?? '';
  if (!text.includes('"done"')) throw new Error(`not what the tool said: ${text}`);
}

/** POSTs over kept connections. By hand: `fetch` costs this process more than an answer costs the server. */
function poster(url: string): (call: Call) => Promise<Answer> {
  const agent = new Agent({ keepAlive: true });
  return ({ headers, body }) =>
    new Promise((resolve, reject) => {
      const text = JSON.stringify(body);
      const sent = request(url, {
        agent,
        method: 'POST',
        headers: {
          ...headers,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(text),
        },
        signal: AbortSignal.timeout(ROUND_TRIP_TIMEOUT_MS),
      });
      sent.on('error', reject);
      sent.on('response', (response) => {
        let answer = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          answer += chunk;
        });
        response.on('error', reject);
        response.on('end', () => {
          try {
            resolve(JSON.parse(lastEvent(answer)));
          } catch {
            reject(new Error(`HTTP ${response.statusCode}: ${answer.slice(0, 200)}`));
          }
        });
      });
      sent.end(text);
    });
}

/** What JSON an answer is or, as a stream of events, ends with. */
function lastEvent(answer: string): string {
  if (answer.startsWith('{')) return answer;
  const lines = answer.split('\n').filter((line) => line.startsWith('data: {'));
  return lines.at(-1)?.slice('data: '.length) ?? '';
}
