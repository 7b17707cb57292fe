import { describe, expect, it } from '@jest/globals';
import { callExample } from '../../src/client/call-example.ts';
import { describeChanges, describeProblem } from '../../src/plugin/describe-report.ts';
import type { CheckedOffer } from '../../src/plugin/plugin-report.ts';

const tool = (over: Partial<CheckedOffer> = {}): CheckedOffer => ({
  kind: 'tool',
  name: 'greet',
  description: null,
  inputSchema: null,
  digest: '1',
  findings: [],
  ...over,
});

it('a call has something for each argument that is needed, and is safe to paste', () => {
  const inputSchema = {
    required: ['who', 'how', 'times', 'loud', 'tags', 'say'],
    properties: {
      who: { type: 'string' },
      how: { enum: ['kindly', 'coolly'] },
      times: { type: 'integer', minimum: 3 },
      loud: { type: 'boolean' },
      tags: { type: 'array' },
      say: { type: 'string', examples: ["it's $HOME"] },
      more: { type: 'string' },
    },
  };
  expect(callExample(tool({ inputSchema }))).toBe(
    "longshore call greet --arg who=... --arg how=kindly --arg times=3 --arg loud=true --arg 'tags=[]' --arg 'say=it'\\''s $HOME'",
  );
  expect(callExample(tool())).toBe('longshore call greet');
});

describe('a reload says what clients see', () => {
  it.each([
    ['a change', [tool()], [tool({ digest: '2' })], 'changed tool greet'],
    ['what is new', [], [tool()], 'new tool greet'],
    ['what is gone', [tool(), tool({ name: 'b' })], [tool()], 'gone tool b'],
    [
      'a prompt of the name of a tool',
      [tool()],
      [tool({ kind: 'prompt' })],
      'new prompt greet, gone tool greet',
    ],
    ['code alone', [tool()], [tool()], 'the same tools with new code'],
  ])('%s', (_what, before, now, said) => {
    expect(describeChanges(before, now)).toBe(said);
  });
});

it('a problem is told with its place, as the user would type it, on one line', () => {
  const report = { name: null, version: null, entry: null, offers: [] };
  const place = { file: '/w/my/a.ts', line: 3, column: 7 };
  const problem = { message: 'Unexpected token\n  /w/my/a.ts:3:7', place };
  expect(describeProblem({ ...report, problem }, '/w')).toEqual([
    'ERROR   my/a.ts:3:7',
    '        Unexpected token /w/my/a.ts:3:7',
  ]);
  expect(describeProblem({ ...report, problem: { ...problem, place: null } }, '/w')).toHaveLength(
    1,
  );
});
