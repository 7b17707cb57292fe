import assert from 'node:assert/strict';
import { describe, expect, it } from '@jest/globals';
import { silentLogger } from '@longshore/core';
import { WorkerMetrics } from '@longshore/metrics';
import { definePrompt, defineResource, defineTool, z } from '@longshore/plugin';
import { RequestHandlers } from '../../src/attempts/request-handlers.ts';
import {
  announcedPrompt,
  announcedResource,
  announcedTool,
} from '../../src/plugins/announced-offers.ts';
import { StartWaits } from '../../src/requests/start-waits.ts';
import { testAttempt, testBatches } from '../bench/test-attempt.ts';

const plugin = { name: 'test', version: '0.0.0' };
const tool = defineTool({ name: 'same', description: 'x', input: z.object({}), run: () => 'x' });
const prompt = definePrompt({ name: 'same', run: () => 'x' });
const resource = defineResource({ uri: 'same://x', name: 'same', read: () => 'x' });
const noThreads = { prepare: () => assert.fail('no tool of these is isolated') };
const handlers = new RequestHandlers(
  {
    tools: [{ tool, announced: announcedTool(tool, plugin), entry: '/nowhere' }],
    prompts: [{ prompt, announced: announcedPrompt(prompt, plugin) }],
    resources: [{ resource, announced: announcedResource(resource, plugin) }],
  },
  {
    threads: noThreads,
    batches: testBatches(),
    metrics: new WorkerMetrics(() => true),
    starts: new StartWaits({
      starts: { take: () => assert.fail('no tool of these has a rate') },
      log: silentLogger,
    }),
  },
);

const nounOf = (claim: Parameters<typeof testAttempt>[0]) =>
  handlers.find(testAttempt(claim).claim)?.noun ?? null;

describe('RequestHandlers', () => {
  it('tells tools, prompts and resources of one name apart', () => {
    expect(nounOf({ requestMethod: 'tools/call', toolName: 'same' })).toBe('tool');
    expect(nounOf({ requestMethod: 'prompts/get', toolName: 'same' })).toBe('prompt');
    expect(nounOf({ requestMethod: 'resources/read', toolName: 'same' })).toBeNull();
    expect(nounOf({ requestMethod: 'resources/read', toolName: 'same://x' })).toBe('resource');
    expect(nounOf({ requestMethod: 'tools/call', toolName: 'same://x' })).toBeNull();
  });

  it('finds who completes by what is referred to', () => {
    const completes = (type: string, toolName: string) =>
      nounOf({ requestMethod: 'completion/complete', toolName, arguments: { ref: { type } } });
    expect(completes('ref/prompt', 'same')).toBe('completion');
    expect(completes('ref/resource', 'same')).toBeNull();
    expect(completes('ref/resource', 'same://x')).toBe('completion');
  });

  it('refuses params that are malformed', () => {
    for (const [requestMethod, toolName] of [
      ['resources/read', 'same://x'],
      ['prompts/get', 'same'],
      ['completion/complete', 'same'],
    ] as const) {
      const handler = handlers.find(testAttempt({ requestMethod, toolName }).claim);
      expect(handler?.prepare({ arguments: 7 })).toMatchObject({
        kind: 'refused',
        outcome: { kind: 'error', error: { code: -32_602 } },
      });
    }
  });
});
