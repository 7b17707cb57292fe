import { describe, expect, it } from '@jest/globals';
import { jobOfInput, jobOfResult, saysNothing } from '../src/card/which-job.ts';

const ID = '01a208ed-69cc-7cb8-974e-2167bd190fb2';
const OTHER = '01a208ed-7071-7ad6-aa2b-f48ff1c88f9f';
const text = (words: string) => ({ content: [{ type: 'text', text: words }] });

describe('the job of a call', () => {
  it.each([
    [
      'structured content, before all else',
      { structuredContent: { job: { task_id: ID } }, _meta: { 'dev.longshore/job': OTHER } },
    ],
    ['its _meta, where a host loses the rest', { content: [], _meta: { 'dev.longshore/job': ID } }],
    ['a task, where a host hands that over', { task: { taskId: ID } }],
    ['a task of 2026-07-28', { resultType: 'task', taskId: ID }],
    [
      'its text, where there is nothing else',
      { ...text(`batch goes on as job ${ID}. Call job_wait`), structuredContent: {} },
    ],
  ])('is named by %s', (_, result) => {
    expect(jobOfResult(result)).toBe(ID);
  });

  it.each([
    [
      'of a tool that speaks of a job',
      { ...text(`job ${ID} is mine`), structuredContent: { note: 'x' } },
    ],
    [
      'with an id of another kind',
      { structuredContent: { job: { task_id: 7 } }, _meta: { 'dev.longshore/job': '../x' } },
    ],
    ['that is empty', { ...text('{}'), structuredContent: {} }],
  ])('is none in a result %s', (_, result) => {
    expect(jobOfResult(result)).toBeNull();
  });

  it('is named by the arguments of tools for jobs', () => {
    expect([
      jobOfInput({ task_id: ID }),
      jobOfInput({ job_id: ID }),
      jobOfInput({ task_id: 'x' }),
    ]).toEqual([ID, ID, null]);
  });

  it('is to be looked for when a host has emptied the answer', () => {
    const emptied = [{}, { content: [] }, text(''), { ...text('{}'), structuredContent: {} }];
    expect(emptied.map(saysNothing)).toEqual([true, true, true, true]);
    const full = [
      text('x'),
      { ...text('{}'), structuredContent: { n: 1 } },
      { content: [{ type: 'image' }] },
    ];
    expect(full.map(saysNothing)).toEqual([false, false, false]);
  });
});
