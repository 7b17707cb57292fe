import { describe, expect, it } from '@jest/globals';
import { defineTool, type Tool, z } from '@longshore/plugin';
import { toolOutcome } from '../../src/requests/tool-outcome.ts';

const content = defineTool({
  name: 'content',
  description: 'Answers with content.',
  input: z.object({}),
  run: () => '',
});

const structured = defineTool({
  name: 'structured',
  description: 'Answers with data.',
  input: z.object({}),
  output: z.object({ n: z.int(), unit: z.string().default('rows') }),
  run: () => ({ n: 1 }),
});

const errorOf = (value: unknown, tool: Tool = content) => {
  const outcome = toolOutcome(tool, value);
  if (outcome.kind !== 'result') throw new Error('expected a result');
  expect(outcome.isError).toBe(true);
  expect(outcome.result['isError']).toBe(true);
  return JSON.stringify(outcome.result['content']);
};

describe('toolOutcome', () => {
  it('makes a text block of a string', () => {
    expect(toolOutcome(content, 'hello\0')).toEqual({
      kind: 'result',
      isError: false,
      result: { content: [{ type: 'text', text: 'hello\0' }] },
    });
  });

  it('passes content blocks with members it does not know', () => {
    const block = { type: 'text', text: 'x', annotations: { priority: 1 } };
    expect(toolOutcome(content, { content: [block] })).toEqual({
      kind: 'result',
      isError: false,
      result: { content: [block] },
    });
  });

  it('gives data both as text and as structured content, with defaults filled in', () => {
    expect(toolOutcome(structured, { n: 2 })).toEqual({
      kind: 'result',
      isError: false,
      result: {
        content: [{ type: 'text', text: '{"n":2,"unit":"rows"}' }],
        structuredContent: { n: 2, unit: 'rows' },
      },
    });
  });

  it('passes structured content that a tool without an output schema brings itself', () => {
    const result = { content: [], structuredContent: { rows: [1] } };
    expect(toolOutcome(content, result)).toEqual({ kind: 'result', isError: false, result });
  });

  it('keeps a failure a failure when a plugin without types says isError', () => {
    const outcome = toolOutcome(content, {
      content: [{ type: 'text', text: 'no' }],
      isError: true,
    });
    expect(outcome).toEqual({
      kind: 'result',
      isError: true,
      result: { content: [{ type: 'text', text: 'no' }], isError: true },
    });
  });

  it('names the member that does not fit the output schema', () => {
    expect(errorOf({ n: 'two' }, structured)).toMatch(/'structured'.*not usable.*at n/);
  });

  it.each<[string, unknown, RegExp]>([
    ['nothing', undefined, /returned undefined.*output schema/],
    ['a number', 5, /returned a value of type number/],
    ['an unknown block', { content: [{ type: 'video' }] }, /content\[0\]\.type/],
    ['a BigInt in a block', { content: [{ type: 'text', text: 'x', size: 1n }] }, /BigInt/],
  ])('explains what is wrong with %s', (_name, value, text) => {
    expect(errorOf(value)).toMatch(text);
  });

  it('explains a cycle', () => {
    const block: Record<string, unknown> = { type: 'text', text: 'x' };
    block['self'] = block;
    expect(errorOf({ content: [block] })).toMatch(/refers to itself/);
  });
});
