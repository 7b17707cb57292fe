import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@longshore/testing';
import { ModernClient, SseClient, WireClient } from '@longshore/testing/mcp';
import { type PostgresTap, startPostgresTap } from '@longshore/testing/network';
import fc from 'fast-check';
import { type CreatedKey, createKey } from './support/api-keys.ts';
import { MODERN_TOOLS } from './support/modern-stack.ts';
import { makeOwnedThings, type OwnedThings } from './support/owned-things.ts';
import { FIXTURE_TOOLS, RESULT_TOOLS, type Stack, startStack } from './support/stack.ts';

/*
 * Traffic of strangers with ids of somebody else: every request there is, and then at random. Each is sent twice, once with an id that
 * somebody has and once with one that nobody has: the answers must be the same to the letter, and so must
 * the statements that were run for them. Afterwards nothing of the owner's has changed.
 */

const RUNS = 30;
const LEGACY_METHODS = [
  ...[
    'ping',
    'tools/list',
    'tools/call',
    'tasks/get',
    'tasks/list',
    'tasks/result',
    'tasks/cancel',
  ],
  ...['tasks/update', 'prompts/list', 'prompts/get', 'resources/list', 'resources/templates/list'],
  ...['resources/read', 'resources/subscribe', 'resources/unsubscribe', 'completion/complete'],
  ...['logging/setLevel', 'subscriptions/listen', 'no/such/method'],
];
const MODERN_METHODS = [
  ...['server/discover', 'tools/list', 'tools/call', 'tasks/get', 'tasks/update', 'tasks/cancel'],
  ...['tasks/list', 'tasks/result', 'subscriptions/listen', 'prompts/list', 'prompts/get'],
  ...['resources/list', 'resources/templates/list', 'resources/read', 'completion/complete'],
];

const DATABASE = path.join(import.meta.dirname, '../packages/database/src');

/**
 * Ours, by their names in the sources, and those of Prisma's client; without those of loops and timers, and of what is
 * looked up and counted for all alike.
 */
const STATEMENTS = new Set(
  ['statements', 'stores']
    .flatMap((folder) => readdirSync(path.join(DATABASE, folder)).map((file) => [folder, file]))
    .flatMap(([folder = '', file = '']) => [
      ...readFileSync(path.join(DATABASE, folder, file), 'utf8').matchAll(/name: '([a-z-]+)'/g),
    ])
    .map(([, name = '']) => name)
    .filter((name) => !/^(admit|readmit|unadmit|delete|forget|pick|prune|load|touch)-/.test(name))
    .filter((name) => !/^(lock-admission|read-queue-load|cancel-orphans)$/.test(name))
    .filter((name) => !/^(fold-ended|sample-queues|read-pauses|read-settled-until)$/.test(name))
    .filter((name) => !/^has-(enabled-webhooks|waiting-bulk-actions)$/.test(name))
    .filter((name) => name !== 'find-waking-schedules' && !/-(worker|workers)$/.test(name))
    .filter(
      (name) => !/^(find-valid|find-backlogged|find-cancelled|fail-overdue|count)-/.test(name),
    ),
);

const OTHERS = [
  ...(['answer', 'stolen answer', 'withdrawal', 'resumption'] as const),
  ...(['stream', 'end', 'state'] as const),
  ...(['result', 'file', 'download', 'file download', 'stolen download'] as const),
  ...(['items', 'items download', 'job result', 'job retry', 'sse message'] as const),
  ...(['schedules', 'unscheduling', 'unscheduling by name'] as const),
];

/** Of the owner's last task. */
const FILE = 'files/gr%C3%B6%C3%9Fe.txt';

type Request =
  | { readonly kind: 'legacy' | 'stolen session' | 'modern'; readonly method: string }
  | { readonly kind: (typeof OTHERS)[number] };

interface Attempt {
  readonly request: Request;
  readonly stranger: number;
  /** Picks one of the owner's things. */
  readonly pick: number;
}

const EVERY_REQUEST: readonly Request[] = [
  ...LEGACY_METHODS.map((method): Request => ({ kind: 'legacy', method })),
  ...LEGACY_METHODS.map((method): Request => ({ kind: 'stolen session', method })),
  ...MODERN_METHODS.map((method): Request => ({ kind: 'modern', method })),
  ...OTHERS.map((kind): Request => ({ kind })),
];
const MAX_PICK = 5;

const attempts: fc.Arbitrary<Attempt[]> = fc.array(
  fc.record({
    request: fc.constantFrom(...EVERY_REQUEST),
    stranger: fc.nat({ max: 1 }),
    pick: fc.nat({ max: MAX_PICK }),
  }),
  { minLength: 1, maxLength: 12 },
);

interface Seen {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

describe('a stranger with the ids of somebody else', () => {
  let dataDir: string;
  let tap: PostgresTap;
  let stack: Stack;
  let owner: { key: CreatedKey; legacy: WireClient; sse: SseClient; things: OwnedThings };
  let strangers: { legacy: WireClient; modern: ModernClient; authorization: string }[];

  beforeAll(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'longshore-strangers-'));
    stack = await startStack({
      mode: 'postgres',
      environment: {
        AUTH: 'api-key',
        PLUGINS: `${FIXTURE_TOOLS},${MODERN_TOOLS},${RESULT_TOOLS}`,
        DATA_DIR: dataDir,
        SSE_TRANSPORT: 'true',
      },
      apiDatabase: async (url) => {
        tap = await startPostgresTap(url);
        return tap.url;
      },
    });
    const enter = async () => {
      const key = await createKey(stack);
      const authorization = `Bearer ${key.key}`;
      const legacy = new WireClient(...stack.urls).withAuthorization(authorization);
      await legacy.initialize('2025-11-25', { elicitation: {} });
      const modern = new ModernClient(stack.urls)
        .withTasks({ elicitation: {} })
        .withAuthorization(authorization);
      return { key, authorization, legacy, modern };
    };
    const { key, legacy, modern } = await enter();
    await waitFor(
      async () => JSON.stringify(await modern.result('prompts/list')).includes('ask_'),
      { what: 'the catalogue is there' },
    );
    const sse = await SseClient.open(stack.urls[0] ?? '', { authorization: `Bearer ${key.key}` });
    await sse.initialize();
    owner = { key, legacy, sse, things: await makeOwnedThings(legacy, modern) };
    strangers = [await enter(), await enter()];
    await waitFor(() => tap.statements.includes('unlease-inputs'), {
      what: 'the stream of the held call is gone',
    });
  });
  afterAll(async () => {
    owner.sse.close();
    await stack.stop();
    await tap.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  const paramsOf = (method: string, taskId: string): Record<string, unknown> => ({
    taskId,
    ...(method === 'tasks/update'
      ? { inputResponses: { user_name: { action: 'accept', content: { name: 'Eve' } } } }
      : {}),
    ...(method === 'subscriptions/listen' ? { notifications: { taskIds: [taskId] } } : {}),
    ...(method === 'tools/call' || method === 'prompts/get' ? { name: taskId } : {}),
    ...(method.startsWith('resources/') ? { uri: `longshore://tasks/${taskId}` } : {}),
    ...(method === 'completion/complete'
      ? { ref: { type: 'ref/prompt', name: taskId }, argument: { name: 'x', value: '' } }
      : {}),
    ...(method === 'logging/setLevel' ? { level: 'error' } : {}),
  });

  /** Sends the request of an attempt with the ids of the owner, or with ids of nothing. */
  function send({ request, stranger, pick }: Attempt, foreign: boolean): Promise<Response> {
    const who = strangers[stranger];
    if (who === undefined) throw new Error('no such stranger');
    const { things } = owner;
    const unknown = randomUUID();
    const taskId = foreign ? (things.tasks[pick % things.tasks.length] ?? '') : unknown;
    const thief = owner.legacy.impostor(who.authorization, foreign ? null : unknown);
    const rpc = (method: string) => ({
      jsonrpc: '2.0',
      id: 1,
      method,
      params: paramsOf(method, taskId),
    });
    const jobTool = (name: string, args: object) => ({
      ...rpc('tools/call'),
      params: { name, arguments: args },
    });
    const yes = { action: 'accept', content: { name: 'Eve' } };
    switch (request.kind) {
      case 'legacy':
        return who.legacy.post(rpc(request.method));
      case 'stolen session':
        return thief.post(rpc(request.method));
      case 'modern':
        return modernPost(who.modern, request.method, paramsOf(request.method, taskId));
      case 'answer':
        return who.legacy.post({
          jsonrpc: '2.0',
          id: foreign ? things.question : unknown,
          result: yes,
        });
      case 'stolen answer':
        return thief.post({ jsonrpc: '2.0', id: things.question, result: yes });
      case 'withdrawal': {
        const requestId = foreign ? things.heldRequest : 987_654_321;
        return who.legacy.notify('notifications/cancelled', { requestId });
      }
      case 'resumption': {
        const eventId = things.eventIds[pick % things.eventIds.length] ?? '';
        const lastEventId = foreign ? eventId : eventId.replace(/[0-9a-f-]{36}/, unknown);
        return who.legacy.get({ lastEventId });
      }
      case 'state': {
        const [payload = '', signature = ''] = splitState(things.requestState);
        const made = `${payload}${Buffer.from(signature, 'base64url').reverse().toString('base64url')}`;
        return modernPost(who.modern, 'tools/call', {
          name: 'ask_name',
          arguments: {},
          requestState: foreign ? things.requestState : made,
          inputResponses: { user_name: yes },
        });
      }
      case 'result':
      case 'file': {
        const uri = `longshore://tasks/${taskId}/${request.kind === 'file' ? FILE : 'result'}`;
        return who.legacy.post({ ...rpc('resources/read'), params: { uri } });
      }
      case 'download':
        return download(`${taskId}/result`, { authorization: who.authorization });
      case 'file download':
        return download(`${taskId}/${FILE}`, { authorization: who.authorization });
      case 'items': {
        const uri = `longshore://tasks/${taskId}/items?status=failed`;
        return who.legacy.post({ ...rpc('resources/read'), params: { uri } });
      }
      case 'schedules':
        return who.legacy.post(jobTool('job_schedules', {}));
      case 'unscheduling':
        return who.legacy.post(
          jobTool('job_unschedule', { schedule: foreign ? things.schedule : unknown }),
        );
      case 'unscheduling by name':
        return who.legacy.post(
          jobTool('job_unschedule', { schedule: foreign ? 'mine' : 'unknown' }),
        );
      case 'items download':
        return download(`${taskId}/items.csv`, { authorization: who.authorization });
      case 'job result': {
        const call = { name: 'job_result', arguments: { task_id: taskId, mode: 'failures_only' } };
        return who.legacy.post({ ...rpc('tools/call'), params: call });
      }
      case 'job retry': {
        const call = { name: 'job_retry', arguments: { task_id: taskId } };
        return modernPost(who.modern, 'tools/call', call);
      }
      case 'sse message': {
        const to = new URL(`/messages?sessionId=${unknown}`, stack.urls[0]);
        const { authorization } = who;
        return owner.sse.post(rpc('tools/list'), foreign ? owner.sse.endpoint : to, {
          authorization,
        });
      }
      case 'stolen download': {
        const session = foreign ? owner.legacy.sessionId : unknown;
        return download(`${taskId}/${FILE}`, {
          authorization: who.authorization,
          'mcp-session-id': session,
        });
      }
      case 'stream':
        return thief.get({});
      case 'end':
        return thief.deleteRaw();
    }
  }

  function download(place: string, headers: Record<string, string>): Promise<Response> {
    return fetch(new URL(`/tasks/${place}`, stack.urls[0]), { headers });
  }

  /** What of an answer a stranger could learn from. */
  async function see(attempt: Attempt, foreign: boolean): Promise<Seen & { statements: string[] }> {
    tap.statements.length = 0;
    const response = await send(attempt, foreign);
    const text = await response.text();
    const statements = tap.statements.filter(
      (name) => STATEMENTS.has(name) || /^(SELECT|UPDATE|DELETE) [a-z_]+$/.test(name),
    );
    const ownSession = !('method' in attempt.request) || attempt.request.kind === 'legacy';
    const headers = Object.fromEntries(response.headers);
    for (const name of ['date', 'x-request-id']) delete headers[name];
    return {
      status: response.status,
      headers,
      body: text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID'),
      // The stranger's own session is looked up now and then.
      statements: [...new Set(statements)]
        .filter((name) => !(ownSession && name === 'find-session'))
        .sort(),
    };
  }

  it('learns nothing and changes nothing, whatever it tries', async () => {
    const before = await owner.things.look();
    const ran = new Set<string>();
    const tryOut = async (attempt: Attempt): Promise<void> => {
      const foreign = await see(attempt, true);
      const unknown = await see(attempt, false);
      expect({ attempt, ...foreign }).toEqual({ attempt, ...unknown });
      for (const name of foreign.statements) ran.add(name);
    };
    for (const one of EVERY_REQUEST) {
      for (let pick = 0; pick <= MAX_PICK; pick += 1) {
        await tryOut({ request: one, stranger: 0, pick });
      }
    }
    // It looked where it had to: a test that sees no statement would find no difference either.
    expect([...ran].sort()).toEqual(
      expect.arrayContaining([
        ...['cancel-task', 'find-held-call', 'find-input', 'find-outcomes', 'find-session'],
        ...['find-tasks', 'list-tasks', 'find-result', 'find-file', 'find-batches', 'find-call'],
        'SELECT schedules',
      ]),
    );
    await fc.assert(
      fc.asyncProperty(attempts, async (tried) => {
        for (const attempt of tried) await tryOut(attempt);
      }),
      { numRuns: RUNS },
    );
    expect(await owner.things.look()).toEqual(before);
    const authorization = `Bearer ${owner.key.key}`;
    const written = owner.things.tasks.at(-1) ?? '';
    for (const place of ['result', FILE]) {
      expect((await download(`${written}/${place}`, { authorization })).status).toBe(200);
      expect((await download(`${written}/${place}`, {})).status).toBe(401);
    }
    expect(await owner.things.finishHeldCall()).toMatchObject({
      content: [{ text: 'Hello, Ada!' }],
    });
  });
});

/** Always under the same id: answers that differ in nothing else are the same. */
function modernPost(client: ModernClient, method: string, params: Record<string, unknown>) {
  const { body, headers } = client.build(method, params);
  return client.post({ body: { ...body, id: 1 }, headers });
}

/** What a requestState says, with the dot, and its signature. */
function splitState(state: string): [payload: string, signature: string] {
  const dot = state.lastIndexOf('.') + 1;
  return [state.slice(0, dot), state.slice(dot)];
}
