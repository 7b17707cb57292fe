import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Engine, startEngine } from '@longshore/testkit';

const DIST = path.join(import.meta.dirname, '..', 'dist');

/** What the user fills in next. */
let form: { action: 'accept' | 'decline' | 'cancel'; content?: Record<string, string | number> };
let engine: Engine;

beforeAll(async () => {
  engine = await startEngine({
    plugins: [path.join(DIST, 'index.js')],
    answers: {
      elicit: () => form,
      sample: ({ messages: [message] }) => {
        const content = message?.content;
        const text = content !== undefined && 'text' in content ? content.text : '';
        return {
          role: 'assistant',
          model: 'm',
          content: { type: 'text', text: `In short: ${text}` },
        };
      },
    },
  });
});
afterAll(() => engine?.stop());

it('the quick start calls a tool and shows its progress', async () => {
  const file = path.join(DIST, 'quick-start', 'client.js');
  const { stdout } = await promisify(execFile)(process.execPath, [file, engine.url]);
  expect(stdout).toMatch(/^tools: .*hash_texts/);
  expect(stdout).toContain('3 of 3');
  expect(stdout).toMatch(/result: .*"done":2,"failed":1/);
});

it('the scheduled tool runs, and its job has the result', async () => {
  const file = path.join(DIST, 'schedule', 'client.js');
  const { stdout } = await promisify(execFile)(process.execPath, [file, engine.url]);
  expect(stdout).toMatch(/^job_schedule: Added: schedule .*soon.* runs hash_texts once/);
  const hash = createHash('sha256').update('ahoy').digest('hex');
  expect(stdout.slice(stdout.indexOf('job_wait: '))).toContain(hash);
});

it('the batch keeps what failed apart', async () => {
  const texts = Array.from({ length: 500 }, (_none, n) => (n % 100 === 7 ? '' : `text ${n}`));
  const { structured, progress } = await engine.client.call('hash_texts', { texts });
  const hashes = texts.map((text) =>
    text === '' ? null : createHash('sha256').update(text).digest('hex'),
  );
  expect(structured).toEqual({ hashes, done: 495, failed: 5 });
  expect(progress.at(-1)).toMatchObject({ progress: 500, total: 500 });
});

describe('the tool that asks the user', () => {
  it('books what the form says', async () => {
    form = { action: 'accept', content: { guests: 3, seating: 'outside' } };
    const { structured } = await engine.client.call('book_table', { day: '2026-12-01' });
    expect(structured).toEqual({ booked: true, table: '3 outside on 2026-12-01' });
  });

  it('takes no for an answer', async () => {
    form = { action: 'decline' };
    const { structured } = await engine.client.call('book_table', { day: '2026-12-01' });
    expect(structured).toEqual({ booked: false, table: null });
    form = { action: 'cancel' };
    const { isError, text } = await engine.client.call('book_table', { day: '2026-12-01' });
    expect([isError, text]).toEqual([true, 'The user has put it off.']);
  });

  it('is refused to a client that shows no forms', async () => {
    const mute = await engine.connect();
    const { isError, text } = await mute.call('book_table', { day: '2026-12-01' });
    expect([isError, text]).toEqual([true, expect.stringContaining('capability elicitation')]);
  });
});

it('the tool that asks the model asks once per note', async () => {
  const notes = ['Wind from the west.', 'Land in sight.', 'Out of rum.'];
  const { structured } = await engine.client.call('summarize_notes', { notes });
  expect(structured).toEqual({ summaries: notes.map((note) => `In short: ${note}`) });
});

describe('the Python script', () => {
  it('reports its progress and its result', async () => {
    const numbers = Array.from({ length: 1_000 }, (_none, n) => n / 1_000);
    const { structured, progress } = await engine.client.call('histogram', { numbers });
    expect(structured).toEqual({ counts: Array(10).fill(100), mean: 0.4995 });
    expect(progress.at(-1)).toMatchObject({ progress: 1_000, total: 1_000 });
  });

  it('says what is wrong', async () => {
    const { isError, text } = await engine.client.call('histogram', { numbers: [] });
    expect([isError, text]).toEqual([true, 'There are no numbers.']);
  });
});

it('the tool that computes reports from its thread, and can be stopped', async () => {
  const { structured, progress } = await engine.client.call('estimate_pi', { darts: 5_000_000 });
  expect(structured).toEqual({ pi: expect.closeTo(Math.PI, 2) });
  expect(progress.length).toBeGreaterThan(0);
  const stop = new AbortController();
  const endless = engine.client.call(
    'estimate_pi',
    { darts: 1_000_000_000 },
    { signal: stop.signal, onProgress: () => stop.abort(new Error('enough')) },
  );
  await expect(endless).rejects.toThrow('enough');
  // Its slot is free again.
  expect((await engine.client.call('estimate_pi', { darts: 10 })).isError).toBe(false);
});
