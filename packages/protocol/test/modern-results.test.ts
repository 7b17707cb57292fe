import { describe, expect, it } from '@jest/globals';
import type { AnnouncedTool, JsonObject } from '@longshore/core';
import { specTypeSchemas } from '@modelcontextprotocol/client';
import {
  CreateTaskResultV2Schema,
  hasTaskServerCapabilityV2,
  InputRequiredCallToolResultV2Schema,
} from '@modelcontextprotocol/ext-tasks/core/v2';
import { discoverResult, type ServerFeatures } from '../src/modern/discover.ts';
import {
  cacheable,
  completeResult,
  createTaskResult,
  inputRequiredResult,
} from '../src/modern/results.ts';
import { modernTool } from '../src/shared/catalogue-wire.ts';
import { openTask, question } from './support/tasks.ts';

const server = { name: 's', version: '1', instructions: 'Call tools.' };
const serverInfo = { 'io.modelcontextprotocol/serverInfo': { name: 's', version: '1' } };

describe('completeResult', () => {
  it('says what it is and who answers', () => {
    expect(completeResult({ content: [] }, server)).toEqual({
      content: [],
      resultType: 'complete',
      _meta: serverInfo,
    });
  });

  it('keeps the _meta of the body, and nothing the body claims to be', () => {
    const body = { resultType: 'task', _meta: { a: 1 } };
    expect(completeResult(body, server)).toEqual({
      resultType: 'complete',
      _meta: { a: 1, ...serverInfo },
    });
  });
});

describe('cacheable', () => {
  it('adds the hint', () => {
    const hint = { ttlMs: 0, cacheScope: 'private' } as const;
    expect(cacheable({ tools: [] }, hint)).toEqual({ tools: [], ...hint });
  });
});

describe('inputRequiredResult', () => {
  it('carries the questions by key, and the state', () => {
    const ask = { questions: [question('user_name')], requestState: 'sealed' };
    const result = inputRequiredResult(ask, server);
    const { method, params } = question('user_name');
    expect(result).toEqual({
      resultType: 'input_required',
      inputRequests: { user_name: { method, params } },
      requestState: 'sealed',
      _meta: serverInfo,
    });
    expect(InputRequiredCallToolResultV2Schema.safeParse(result).success).toBe(true);
  });

  it('leaves the questions out when there are none', () => {
    const result = inputRequiredResult({ questions: [], requestState: 'sealed' }, server);
    expect(result).not.toHaveProperty('inputRequests');
    expect(result).toHaveProperty('requestState', 'sealed');
  });
});

describe('createTaskResult', () => {
  it.each(['working', 'input_required', 'cancelled'] as const)(
    'of a task that is %s is flat',
    (state) => {
      const result = createTaskResult(openTask(state), 500, server);
      expect(result).toEqual({
        resultType: 'task',
        taskId: openTask(state).id,
        status: state,
        createdAt: '2026-01-02T03:04:05.678Z',
        lastUpdatedAt: '2026-01-02T03:04:06.789Z',
        ttlMs: 60_000,
        pollIntervalMs: 500,
        _meta: serverInfo,
      });
      expect(CreateTaskResultV2Schema.safeParse(result).success).toBe(true);
    },
  );
});

describe('discoverResult', () => {
  const all: ServerFeatures = {
    listChanged: true,
    prompts: true,
    resources: true,
    resourceSubscriptions: true,
    completions: true,
    logging: true,
  };
  const none: ServerFeatures = {
    listChanged: false,
    prompts: false,
    resources: false,
    resourceSubscriptions: false,
    completions: false,
    logging: false,
  };
  const hint = { ttlMs: 60_000, cacheScope: 'public' } as const;
  const extensions = { 'io.modelcontextprotocol/tasks': {}, 'io.modelcontextprotocol/ui': {} };

  it.each<[string, ServerFeatures, JsonObject]>([
    ['nothing but tools', none, { tools: {}, extensions }],
    [
      'everything',
      all,
      {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        completions: {},
        logging: {},
        extensions,
      },
    ],
  ])('of a server with %s', (_what, features, capabilities) => {
    const result = discoverResult(server, features, hint);
    expect(result).toEqual({
      resultType: 'complete',
      supportedVersions: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26'],
      capabilities,
      instructions: 'Call tools.',
      ...hint,
      _meta: serverInfo,
    });
    const judged = specTypeSchemas.DiscoverResult['~standard'].validate(result);
    expect(judged.issues).toBeUndefined();
  });

  it('offers tasks as an extension, never as the capability of old', () => {
    const capabilities = discoverResult(server, all, hint)['capabilities'];
    expect(capabilities).not.toHaveProperty('tasks');
    expect(hasTaskServerCapabilityV2(capabilities)).toBe(true);
  });
});

describe('modernTool', () => {
  const policy = {
    queue: 'default',
    timeoutMs: 1,
    maxAttempts: 1,
    backoff: { baseMs: 1, factor: 1, maxMs: 1 },
    deadlineMs: null,
    concurrency: null,
    rate: null,
  };
  const tool: AnnouncedTool = {
    name: 't',
    title: 'T',
    description: 'd',
    inputSchema: { type: 'object' },
    outputSchema: { type: 'object' },
    annotations: { readOnlyHint: true },
    taskSupport: 'required',
    immediateResponse: null,
    version: null,
    deprecated: null,
    cost: null,
    card: null,
    fingerprint: null,
    plugin: 'p',
    pluginVersion: '1',
    policy,
    ...{ asksFirst: false, requires: [] },
  };

  it('does not say whether the tool runs as a task', () => {
    expect(modernTool(tool)).toEqual({
      name: 't',
      title: 'T',
      description: 'd',
      inputSchema: { type: 'object' },
      outputSchema: { type: 'object' },
      annotations: { readOnlyHint: true },
      _meta: { 'dev.longshore/policy': { queue: 'default', timeoutMs: 1, attempts: 1 } },
    });
  });

  it('tells how its runs are handled, what they cost, and what to use instead', () => {
    const old: AnnouncedTool = {
      ...tool,
      version: '1.9',
      deprecated: 'Use u.',
      cost: { amount: 0.02, unit: 'USD', note: 'per page' },
      policy: { ...policy, deadlineMs: 5_000, concurrency: 2, rate: { starts: 10, perMs: 60_000 } },
    };
    expect(modernTool(old)).toMatchObject({
      description: 'd\n\nDeprecated: Use u.',
      _meta: {
        'dev.longshore/policy': {
          queue: 'default',
          timeoutMs: 1,
          attempts: 1,
          deadlineMs: 5_000,
          concurrency: 2,
          rate: { starts: 10, perMs: 60_000 },
          version: '1.9',
          deprecated: 'Use u.',
          cost: { amount: 0.02, unit: 'USD', note: 'per page' },
        },
      },
    });
  });

  it('has no policy of a tool that no worker runs', () => {
    const own = { ...tool, policy: { ...policy, queue: '' } };
    expect(modernTool(own)).not.toHaveProperty('_meta');
  });
});
