import { describe, expect, it } from '@jest/globals';
import type { AnnouncedTool, JsonObject } from '@longshore/core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { withJobHandle } from '../../src/job-tools/handle-schema.ts';
import { jobWait } from '../../src/job-tools/wait-tool.ts';
import { jobHandle } from '../../src/tasks/job-text.ts';

const toolWith = (outputSchema: JsonObject | null, more: Partial<AnnouncedTool> = {}) => ({
  ...jobWait.announced,
  taskSupport: 'optional' as const,
  outputSchema,
  ...more,
});

const HANDLE = jobHandle({
  id: 'c3b9c9e8-52f7-4a2e-9a58-4b7d0f4a9f0b' as never,
  listed: true,
  requestId: 1,
  logLevel: null,
  sessionId: null,
  era: 'legacy',
  toolName: 'resize',
  progressToken: null,
  progress: { progress: 1, total: 4, message: null },
  statusMessage: null,
  isHeld: false,
  createdAt: new Date(0),
  updatedAt: new Date(0),
  ttlMs: 1_000,
  state: 'working',
})['structuredContent'];

describe('the output schema of a tool whose result may be a job', () => {
  const fits = (schema: JsonObject | null) => {
    if (schema === null) throw new Error('no schema');
    return new Ajv2020({ strict: false }).compile(schema);
  };

  it('admits the result and the handle, and nothing else', () => {
    const schema: JsonObject = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $defs: { count: { type: 'integer' } },
      type: 'object',
      properties: { done: { $ref: '#/$defs/count' } },
      required: ['done'],
      additionalProperties: false,
    };
    const check = fits(withJobHandle(toolWith(schema)).outputSchema);
    expect(check({ done: 1 })).toBe(true);
    expect(check(HANDLE)).toBe(true);
    expect(check({ done: 'x' })).toBe(false);
    expect(check({})).toBe(false);
  });

  it('is one object per tool, with the type that clients ask for', () => {
    const tool = toolWith({ type: 'object' });
    expect(withJobHandle(tool)).toBe(withJobHandle(tool));
    expect(withJobHandle(tool).outputSchema?.['type']).toBe('object');
  });

  it('is left out where it refers to itself as a whole', () => {
    const recursive = { type: 'object', properties: { next: { $ref: '#' } } };
    expect(withJobHandle(toolWith(recursive)).outputSchema).toBeNull();
  });

  it('stays where there is none, and where the tool never becomes a job', () => {
    for (const tool of [
      toolWith(null),
      toolWith({ type: 'object' }, { taskSupport: 'forbidden' }),
    ]) {
      expect(withJobHandle(tool)).toBe(tool);
    }
  });
});
