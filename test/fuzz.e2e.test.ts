import { Agent, type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WireClient } from '@longshore/testing/mcp';
import fc from 'fast-check';
import { type Answered, expectDueForm } from './support/due-form.ts';
import { chooseSeed } from './support/seeded-random.ts';
import { type Stack, startStack } from './support/stack.ts';

/**
 * Cases over HTTP against a real server; `fuzz-edge.e2e.test.ts` sends as many that are no good HTTP, and
 * `packages/protocol` fuzzes the pure part with more.
 */
const CASES = 10_000;
/** Sent at once, so that the run takes seconds. */
const PARALLEL = 8;
/** Runs of that many after which a request that is good must be served. */
const HEALTHY_EVERY = 25;
/** Nothing that is sent here takes long, so an answer that does not begin is a hang. */
const HANG_MS = 20_000;

interface Posted {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const PROTOCOL_META = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES_META = 'io.modelcontextprotocol/clientCapabilities';

const METHODS = [
  'initialize',
  'ping',
  'server/discover',
  'tools/list',
  'tools/call',
  'tasks/get',
  'tasks/list',
  'tasks/result',
  'tasks/update',
  'tasks/cancel',
  'subscriptions/listen',
  'prompts/list',
  'prompts/get',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'resources/subscribe',
  'completion/complete',
  'logging/setLevel',
  'notifications/cancelled',
  'notifications/initialized',
  'no/such/method',
];

/** What a client would send, taken apart: each member may be replaced by anything. */
function messages(sessionId: string): fc.Arbitrary<Posted> {
  const id = fc.oneof(fc.integer(), fc.string(), fc.constantFrom(null, true, 1.5, {}, []));
  const anything = fc.anything({ maxDepth: 2, withNullPrototype: false });
  const version = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom('2026-07-28', '2025-11-25', '2025-06-18') },
    { weight: 1, arbitrary: fc.oneof(fc.string(), anything) },
  );
  const capabilities = fc.oneof(
    fc.constantFrom(
      {},
      { extensions: { 'io.modelcontextprotocol/tasks': {} } },
      { elicitation: {} },
    ),
    anything,
  );
  const meta = fc.oneof(
    fc.record(
      { [PROTOCOL_META]: version, [CAPABILITIES_META]: capabilities },
      { requiredKeys: [] },
    ),
    fc.record({ progressToken: anything }),
    anything,
  );
  const name = fc.oneof(fc.constantFrom('echo', 'fail', 'no_such_tool'), fc.string());
  const params = fc.record(
    {
      _meta: meta,
      name,
      arguments: fc.oneof(fc.record({ text: fc.string() }), anything),
      task: fc.oneof(fc.record({ ttl: fc.oneof(fc.integer(), anything) }), anything),
      taskId: fc.oneof(fc.uuid(), fc.string(), anything),
      cursor: fc.oneof(fc.string(), anything),
      uri: fc.oneof(fc.webUrl(), anything),
      ref: fc.oneof(fc.record({ type: fc.constant('ref/prompt'), name }), anything),
      argument: fc.oneof(fc.record({ name: fc.string(), value: fc.string() }), anything),
      level: fc.oneof(fc.constantFrom('info', 'debug'), anything),
      notifications: fc.oneof(fc.record({ taskIds: fc.array(fc.uuid()) }), anything),
      inputResponses: anything,
      requestState: fc.oneof(fc.string(), fc.base64String(), anything),
      protocolVersion: version,
      capabilities,
      clientInfo: fc.oneof(fc.record({ name: fc.string(), version: fc.string() }), anything),
      requestId: id,
    },
    { requiredKeys: [] },
  );
  const message = fc.record(
    {
      jsonrpc: fc.oneof(
        { weight: 9, arbitrary: fc.constant('2.0') },
        { weight: 1, arbitrary: anything },
      ),
      id,
      method: fc.oneof(
        { weight: 9, arbitrary: fc.constantFrom(...METHODS) },
        { weight: 1, arbitrary: fc.string() },
      ),
      params: fc.oneof({ weight: 9, arbitrary: params }, { weight: 1, arbitrary: anything }),
      result: anything,
      error: anything,
    },
    { requiredKeys: ['jsonrpc'] },
  );
  const body = fc.oneof(
    { weight: 12, arbitrary: message.map((value) => JSON.stringify(value) ?? '') },
    { weight: 1, arbitrary: fc.json() },
    { weight: 1, arbitrary: fc.string() },
  );
  const headerText = fc.string({ unit: fc.constantFrom(...'abcXYZ019-_=?/. ~%'), maxLength: 40 });
  const headers = fc.record(
    {
      'mcp-session-id': fc.oneof({ weight: 5, arbitrary: fc.constant(sessionId) }, headerText),
      'mcp-protocol-version': fc.oneof(
        { weight: 5, arbitrary: fc.constantFrom('2026-07-28', '2025-11-25') },
        headerText,
      ),
      'mcp-method': fc.oneof(fc.constantFrom(...METHODS), headerText),
      'mcp-name': fc.oneof(
        fc.constantFrom('echo', '=?base64?ZWNobw==?=', '=?base64?%%?='),
        headerText,
      ),
      'last-event-id': headerText,
      accept: fc.constantFrom('application/json, text/event-stream', 'application/json', '*/*', ''),
      'content-type': fc.constantFrom(
        'application/json',
        'application/json; charset=utf-8',
        'text/x',
      ),
    },
    { requiredKeys: ['accept', 'content-type'] },
  );
  // Half of the modern ones get the headers their body asks for, or none would pass the first checks.
  return fc.tuple(headers, body, fc.boolean()).map(([given, text, mirror]) => ({
    headers: mirror ? { ...given, ...mirrored(text) } : given,
    body: text,
  }));
}

function mirrored(text: string): Record<string, string> {
  try {
    const { method, params } = JSON.parse(text);
    const version = params?._meta?.[PROTOCOL_META];
    const name = params?.name ?? params?.taskId ?? params?.uri;
    const isHeader = (value: unknown): value is string =>
      typeof value === 'string' && /^[\x21-\x7e]+$/.test(value);
    return {
      'content-type': 'application/json',
      ...(isHeader(version) ? { 'mcp-protocol-version': version } : {}),
      ...(isHeader(method) ? { 'mcp-method': method } : {}),
      ...(isHeader(name) ? { 'mcp-name': name } : {}),
    };
  } catch {
    return {};
  }
}

describe('whatever is posted', () => {
  const seed = chooseSeed('fuzz over HTTP');
  const agent = new Agent({ keepAlive: true, maxSockets: PARALLEL });
  let stack: Stack;
  let client: WireClient;

  beforeAll(async () => {
    stack = await startStack({ mode: 'postgres', environment: { LOG_LEVEL: 'info' } });
    client = new WireClient(...stack.urls);
    await client.initialize();
  });
  afterAll(async () => {
    agent.destroy();
    await stack.stop();
  });

  const expectHealthy = async (): Promise<void> => {
    const text = 'alive';
    const echoed = await client.result('tools/call', { name: 'echo', arguments: { text } });
    expect(echoed['structuredContent']).toEqual({ text });
  };

  it('is answered in due form, never with a 5xx, and the server goes on', async () => {
    const url = new URL(stack.urls[0] ?? '');
    const seen = new Map<number, number>();
    let runs = 0;
    const cases = fc.array(messages(client.sessionId), {
      minLength: PARALLEL,
      maxLength: PARALLEL,
    });
    await fc.assert(
      fc.asyncProperty(cases, async (batch) => {
        const answers = await Promise.all(batch.map((posted) => post(url, agent, posted)));
        for (const [index, answer] of answers.entries()) {
          expectDueForm(answer, JSON.stringify(batch[index]));
          seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1);
        }
        runs += 1;
        if (runs % HEALTHY_EVERY === 0) await expectHealthy();
      }),
      { numRuns: CASES / PARALLEL, endOnFailure: true, seed },
    );
    // The generator reaches past the first checks, or it would prove little.
    for (const status of [200, 202, 400, 404, 415])
      expect(seen.get(status) ?? 0).toBeGreaterThan(0);
    await expectHealthy();
    expect(stack.apis[0]?.logs()).not.toMatch(/request failed/);
  }, 240_000);
});

/** Resolves with the answer; of an event stream its beginning is enough, and then it is left. */
function post(url: URL, agent: Agent, { headers, body }: Posted): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      { method: 'POST', agent, headers, timeout: HANG_MS },
      (incoming: IncomingMessage) => {
        const contentType = incoming.headers['content-type'] ?? '';
        const parts: Buffer[] = [];
        const finish = (): void => {
          const text = Buffer.concat(parts).toString('utf8');
          resolve({ status: incoming.statusCode ?? 0, contentType, text });
        };
        incoming.on('data', (part: Buffer) => parts.push(part));
        incoming.once('end', finish);
        incoming.once('error', finish);
        if (contentType.startsWith('text/event-stream')) {
          finish();
          outgoing.destroy();
        }
      },
    );
    outgoing.once('timeout', () => outgoing.destroy(new Error(`no answer to ${body}`)));
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}
