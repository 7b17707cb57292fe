import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { defineTool, ProtocolError, z } from '@longshore/plugin';
import { digest, REFUSED_CODE } from '../plan/expected.ts';

/*
 * What the workers of a chaos run offer. Everything a tool returns follows from its arguments, so that the
 * checker knows it too; nothing a tool does between two tries is remembered but what it saves.
 */

const Value = z.int().min(0);
const Answer = z.object({ answer: z.string() });

export const chaosAnswer = defineTool({
  name: 'chaos_answer',
  description: 'Answers at once.',
  input: z.object({ value: Value }),
  output: Answer,
  run: ({ value }) => ({ answer: digest(String(value)) }),
});

export const chaosSteps = defineTool({
  name: 'chaos_steps',
  description: 'Works step by step, with progress.',
  input: z.object({ value: Value, steps: z.int(), stepMs: z.int() }),
  output: Answer.extend({ steps: z.int() }),
  async run({ value, steps, stepMs }, ctx) {
    for (let step = 1; step <= steps; step += 1) {
      await delay(stepMs, undefined, { signal: ctx.signal });
      ctx.progress(step, steps);
    }
    return { answer: digest(String(value)), steps };
  },
});

/**
 * Ends the moment its worker is awake again, when that was frozen for longer: before the worker has heard that
 * the task is somebody else's by now.
 */
export const chaosSleep = defineTool({
  name: 'chaos_sleep',
  description: 'Sleeps, then answers.',
  input: z.object({ value: Value, sleepMs: z.int() }),
  output: Answer,
  async run({ value, sleepMs }, ctx) {
    await delay(sleepMs, undefined, { signal: ctx.signal });
    return { answer: digest(String(value)) };
  },
});

export const chaosRetry = defineTool({
  name: 'chaos_retry',
  description: 'Fails some times, then succeeds.',
  input: z.object({ value: Value, failures: z.int() }),
  output: Answer.extend({ failures: z.int() }),
  task: { attempts: 3, backoff: { baseMs: 100, factor: 2, maxMs: 500 } },
  async run({ value, failures }, ctx) {
    // Not `ctx.attempt`: attempts that died with their worker count there too.
    const failed = z.int().parse((await ctx.checkpoint.get('failed')) ?? 0);
    if (failed < failures) {
      await ctx.checkpoint.set('failed', failed + 1);
      throw new Error(`failure ${failed + 1} of ${failures}`);
    }
    return { answer: digest(String(value)), failures };
  },
});

export const chaosFail = defineTool({
  name: 'chaos_fail',
  description: 'Fails as often as it may.',
  input: z.object({ value: Value }),
  task: { attempts: 2, backoff: { baseMs: 100, factor: 2, maxMs: 500 } },
  run({ value }) {
    throw new Error(`failed on purpose: ${digest(String(value))}`);
  },
});

export const chaosRefuse = defineTool({
  name: 'chaos_refuse',
  description: 'Ends in a JSON-RPC error.',
  input: z.object({ value: Value }),
  run({ value }) {
    throw new ProtocolError(REFUSED_CODE, `refused on purpose: ${digest(String(value))}`);
  },
});

export const chaosAsk = defineTool({
  name: 'chaos_ask',
  description: 'Asks its client for a word.',
  input: z.object({ value: Value }),
  output: Answer,
  requires: ['elicitation'],
  async run({ value }, ctx) {
    const form = z.object({ word: z.string() });
    const reply = await ctx.elicit(form, `The word for ${value}?`, { key: 'word' });
    return { answer: reply.action === 'accept' ? digest(reply.content.word) : reply.action };
  },
});

export const chaosLate = defineTool({
  name: 'chaos_late',
  description: 'Takes longer than it may.',
  input: z.object({ value: Value }),
  task: { deadlineMs: 2_500 },
  async run(_input, ctx) {
    await delay(60_000, undefined, { signal: ctx.signal });
    return 'in time';
  },
});

/** Milliseconds that a step of `chaos_thread` keeps its thread busy, and those it then sleeps. */
const BUSY_MS = 15;
const REST_MS = 60;

export const chaosThread = defineTool({
  name: 'chaos_thread',
  description: 'Keeps a thread busy, step by step, and goes on where an earlier attempt was.',
  input: z.object({ value: Value, steps: z.int() }),
  output: Answer.extend({ steps: z.int() }),
  task: { isolate: 'thread' },
  async run({ value, steps }, ctx) {
    let step = z.int().parse((await ctx.checkpoint.get('done')) ?? 0);
    while (step < steps) {
      for (const until = performance.now() + BUSY_MS; performance.now() < until; ) digest('busy');
      await delay(REST_MS, undefined, { signal: ctx.signal });
      step += 1;
      await ctx.checkpoint.set('done', step);
      ctx.progress(step, steps);
    }
    return { answer: digest(String(value)), steps: step };
  },
});

/**
 * Changes the world as a careful tool does: it saves under which key it is going to, then does it under that
 * key, which the world takes once. A saved key that is lost, or overwritten by an attempt that is no longer
 * the current one, shows as a second file of the same step.
 */
export const chaosEffects = defineTool({
  name: 'chaos_effects',
  description: 'Leaves one file for each step.',
  input: z.object({ value: Value, steps: z.int(), stepMs: z.int(), ledger: z.string() }),
  output: Answer.extend({ steps: z.int() }),
  async run({ value, steps, stepMs, ledger }, ctx) {
    const folder = path.join(ledger, ctx.taskId);
    await mkdir(folder, { recursive: true });
    for (let step = 1; step <= steps; step += 1) {
      const name = `step-${step}`;
      let key = z
        .string()
        .nullable()
        .parse(await ctx.checkpoint.get(name));
      if (key === null) {
        // A worker that is frozen here wakes up with a key of its own, when another one may have saved its.
        await delay(stepMs, undefined, { signal: ctx.signal });
        key = randomUUID();
        await ctx.checkpoint.set(name, key);
      }
      await writeFile(path.join(folder, `${name}.${key}`), '');
      ctx.progress(step, steps);
    }
    return { answer: digest(String(value)), steps };
  },
});
