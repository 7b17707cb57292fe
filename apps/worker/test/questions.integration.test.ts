import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { NO_ABILITIES, type TaskId, type WorkerId, workerTopic } from '@longshore/core';
import { defineTool, InputError, type ToolContext, z } from '@longshore/plugin';
import { describeInMode, type Mode, waitFor } from '@longshore/testing';
import { gate, over } from './bench/doubles.ts';
import { accepted, WorkerBench } from './bench/worker-bench.ts';

const form = z.object({ name: z.string().max(5) });

const asking = (run: (ctx: ToolContext) => Promise<string>) =>
  defineTool({
    name: 'ask',
    description: 'Asks.',
    input: z.looseObject({}),
    task: { backoff: { baseMs: 10 } },
    run: (_input, ctx) => run(ctx),
  });

const who = async (ctx: ToolContext, message = 'Who?'): Promise<string> => {
  const answer = await ctx.elicit(form, message);
  return `attempt ${ctx.attempt}: ${answer.action === 'accept' ? answer.content.name : answer.action}`;
};

const tests = (mode: Mode): void => {
  let bench: WorkerBench;
  beforeEach(async () => {
    bench = await WorkerBench.open(mode);
  });
  afterEach(async () => {
    await bench.close();
  });

  it('waits for input until the client has answered', async () => {
    await bench.startWorker([asking(who)]);
    const id = await bench.submit('ask');
    const [question] = await bench.questions(id, 'elicit-1');
    expect(question).toMatchObject({
      method: 'elicitation/create',
      params: {
        mode: 'form',
        message: 'Who?',
        requestedSchema: {
          type: 'object',
          properties: { name: { type: 'string', maxLength: 5 } },
          required: ['name'],
        },
      },
    });
    expect((await bench.task(id)).state).toBe('input_required');
    await waitFor(() => bench.heard.some(({ kind }) => kind === 'changed'), {
      what: 'the question is published',
    });
    const answered = await bench.answer(id, { 'elicit-1': accepted({ name: 'Ann' }) });
    expect(answered).toMatchObject({
      keys: ['elicit-1'],
      remaining: 0,
      task: { state: 'working' },
    });
    expect(await bench.text(id)).toBe('attempt 1: Ann');
  });

  it('asks the questions of one turn at once, and takes their answers one by one', async () => {
    let statements = 0;
    const first = gate<string>();
    await bench.startWorker(
      [
        asking(async (ctx) => {
          const [one, two] = [ctx.elicit(form, 'One?', { key: 'one' }), ctx.elicit(form, 'Two?')];
          first.open((await one).action);
          return `${(await one).action}, then ${(await two).action}`;
        }),
      ],
      {
        attempts: (real) =>
          over(real, {
            ask: (...args) => {
              statements += 1;
              return real.ask(...args);
            },
          }),
      },
    );
    const id = await bench.submit('ask');
    await bench.questions(id, 'one', 'elicit-2');
    const partial = await bench.answer(id, {
      one: { kind: 'result', result: { action: 'decline' } },
      unknown: accepted({}),
    });
    expect(partial).toMatchObject({ keys: ['one'], remaining: 1 });
    expect(await first.promise).toBe('decline');
    await bench.questions(id, 'elicit-2');
    expect((await bench.task(id)).state).toBe('input_required');
    await bench.answer(id, { 'elicit-2': { kind: 'result', result: { action: 'cancel' } } });
    expect(await bench.text(id)).toBe('decline, then cancel');
    expect(statements).toBe(1);
  });

  it('finds answers without any message', async () => {
    await bench.startWorker([asking(who)]);
    const id = await bench.submit('ask');
    await bench.questions(id, 'elicit-1');
    await bench.answer(id, { 'elicit-1': accepted({ name: 'Ann' }) }, { silently: true });
    expect(await bench.text(id)).toBe('attempt 1: Ann');
  }, 30_000);

  it('opens pages, asks the model, and lists roots', async () => {
    await bench.startWorker([
      asking(async (ctx) => {
        const request = {
          messages: [{ role: 'user', content: { type: 'text', text: 'Capital?' } }],
          maxTokens: 5,
        } as const;
        const [opened, sampled, roots] = await Promise.all([
          ctx.elicitUrl('https://example.org/pay', 'Pay.'),
          ctx.sample(request),
          ctx.listRoots(),
        ]);
        return JSON.stringify([opened, sampled.content, roots]);
      }),
    ]);
    const id = await bench.submit('ask');
    const questions = await bench.questions(id, 'elicit-1', 'sample-1', 'roots-1');
    const params = new Map(questions.map((question) => [question.key, question.params]));
    expect(params.get('elicit-1')).toEqual({
      mode: 'url',
      message: 'Pay.',
      url: 'https://example.org/pay',
    });
    expect(params.get('sample-1')).toMatchObject({ maxTokens: 5 });
    expect(params.get('roots-1')).toEqual({});
    const content = { type: 'text', text: 'Paris' };
    await bench.answer(id, {
      'elicit-1': { kind: 'result', result: { action: 'accept' } },
      'sample-1': { kind: 'result', result: { role: 'assistant', content, model: 'm' } },
      'roots-1': { kind: 'result', result: { roots: [{ uri: 'file:///srv' }] } },
    });
    expect(JSON.parse(await bench.text(id))).toEqual([
      { action: 'accept' },
      content,
      [{ uri: 'file:///srv' }],
    ]);
  });

  it('asks again when the answer does not fit, three times in all', async () => {
    await bench.startWorker([asking(who)]);
    const id = await bench.submit('ask', {}, { maxAttempts: 3 });
    await bench.questions(id, 'elicit-1');
    await bench.answer(id, { 'elicit-1': { kind: 'invalid', problem: 'name is too long' } });
    const [again] = await bench.questions(id, 'elicit-1~retry1');
    expect(again?.params['message']).toBe('Who?\n(The last answer did not fit: name is too long)');
    await bench.answer(id, { 'elicit-1~retry1': accepted({ name: 7 }) });
    await bench.questions(id, 'elicit-1~retry2');
    await bench.answer(id, { 'elicit-1~retry2': { kind: 'invalid', problem: 'still' } });
    expect(await bench.text(id)).toBe("No answer to question 'elicit-1' did fit: still");
    expect((await bench.outcome(id)).outcome).toMatchObject({ kind: 'result', isError: true });
  });

  it('tells the tool that nobody answered in time, and the client, without a retry', async () => {
    const reasons: unknown[] = [];
    await bench.startWorker([
      asking(async (ctx) => {
        const early = ctx.elicit(form, 'Soon?', { timeoutMs: 20, key: 'soon' });
        const late = ctx.elicit(form, 'Later?', { timeoutMs: 20, key: 'later' });
        for (const { status, ...rest } of await Promise.allSettled([early, late])) {
          const reason: unknown = 'reason' in rest ? rest.reason : null;
          reasons.push(status, reason instanceof InputError && reason.reason);
        }
        await early;
        return '';
      }),
    ]);
    const id = await bench.submit('ask', {}, { maxAttempts: 5 });
    expect(await bench.text(id)).toBe("Nobody answered question 'soon' in 20 ms.");
    expect(reasons).toEqual(['rejected', 'timeout', 'rejected', 'timeout']);
    expect((await bench.outcome(id)).task).toMatchObject({ outcomeKind: 'tool_error' });
  });

  it('tells the tool what the client refused', async () => {
    await bench.startWorker([asking(who)]);
    const id = await bench.submit('ask', {}, { maxAttempts: 5 });
    await bench.questions(id, 'elicit-1');
    await bench.answer(id, { 'elicit-1': { kind: 'error', code: -1, message: 'not now' } });
    expect(await bench.text(id)).toBe("The client refused question 'elicit-1': not now");
  });

  it('asks nothing that the client did not declare', async () => {
    let asked = 0;
    await bench.startWorker([asking(who)], {
      attempts: (real) =>
        over(real, {
          ask: (...args) => {
            asked += 1;
            return real.ask(...args);
          },
        }),
    });
    const id = await bench.submit('ask', {}, { abilities: NO_ABILITIES, maxAttempts: 5 });
    expect(await bench.text(id)).toBe(
      'The client does not support filling in forms (elicitation).',
    );
    expect(asked).toBe(0);
  });

  it('lets the time of the attempt stand still while it waits', async () => {
    await bench.startWorker([
      asking(async (ctx) => {
        const answer = ctx.elicit(form, 'Who?', { timeoutMs: 500 });
        return answer.then(
          () => 'answered',
          (error: unknown) => (error instanceof InputError ? error.reason : 'aborted'),
        );
      }),
    ]);
    expect(await bench.text(await bench.submit('ask', {}, { timeoutMs: 250 }))).toBe('timeout');
  });

  it('gives the answer that came during the back-off to the next attempt', async () => {
    await bench.startWorker([
      defineTool({
        name: 'ask',
        description: 'Fails once it has asked.',
        input: z.looseObject({}),
        task: { backoff: { baseMs: 4_000, factor: 1 } },
        run: async (_input, ctx) => {
          const answer = who(ctx);
          if (ctx.attempt > 1) return answer;
          answer.catch(() => {});
          await bench.questions(ctx.taskId as TaskId, 'elicit-1');
          throw new Error('crashed');
        },
      }),
    ]);
    const id = await bench.submit('ask', {}, { maxAttempts: 2 });
    await waitFor(async () => (await bench.events(id)).includes('retried'), {
      what: 'the first attempt has failed',
    });
    const answered = await bench.answer(id, { 'elicit-1': accepted({ name: 'Ann' }) });
    expect(answered).toMatchObject({ keys: ['elicit-1'], workerId: null });
    expect(await bench.text(id)).toBe('attempt 2: Ann');
    expect((await bench.events(id)).filter((kind) => kind === 'input_asked')).toHaveLength(1);
  }, 30_000);

  it('stops waiting when the task is cancelled', async () => {
    const stopped = gate<unknown>();
    const { id: workerId } = await bench.startWorker([
      asking(async (ctx) => {
        await who(ctx).catch((error: unknown) => stopped.open(error));
        return 'late';
      }),
    ]);
    const id = await bench.submit('ask');
    await bench.questions(id, 'elicit-1');
    await bench.database.taskStore.cancel(id, bench.session.principalId);
    await bench.messaging.bus.publish(workerTopic(workerId), { kind: 'cancel', taskId: id });
    expect(await stopped.promise).toMatchObject({ name: 'AbortError', why: 'cancelled' });
    expect(await bench.outcome(id)).toMatchObject({ task: { state: 'cancelled' }, outcome: null });
    await bench.questions(id);
  });

  it('hands a waiting task over when the worker stops: the next one waits for the same question', async () => {
    const { worker } = await bench.startWorker([asking(who)]);
    const id = await bench.submit('ask');
    const [before] = await bench.questions(id, 'elicit-1');
    await worker.stop();
    await bench.startWorker([asking(who)]);
    const [after] = await bench.questions(id, 'elicit-1');
    expect(after).toEqual(before);
    await bench.answer(id, { 'elicit-1': accepted({ name: 'Bob' }) });
    expect(await bench.text(id)).toBe('attempt 2: Bob');
  });

  it('gives its seat away while it waits for an answer, and goes on when it has one again', async () => {
    const order: string[] = [];
    const end = gate();
    const busy = gate();
    const heard = gate();
    const plain = defineTool({
      name: 'plain',
      description: 'Ends when it is told to.',
      input: z.object({ name: z.string() }),
      run: async ({ name }) => {
        order.push(`${name} runs`);
        if (name === 'long') {
          busy.open();
          await end.promise;
        }
        order.push(`${name} has run`);
        return name;
      },
    });
    await bench.startWorker(
      [
        plain,
        asking(async (ctx) => {
          const answer = await who(ctx);
          order.push('the asking tool goes on');
          return answer;
        }),
      ],
      {
        concurrency: 1,
        attempts: (real) =>
          over(real, {
            readAnswers: async (...args) => {
              const answers = await real.readAnswers(...args);
              if (answers.size > 0) heard.open();
              return answers;
            },
          }),
      },
    );
    const id = await bench.submit('ask');
    await bench.questions(id, 'elicit-1');
    await bench.text(await bench.submit('plain', { name: 'short' }));
    const long = await bench.submit('plain', { name: 'long' });
    await busy.promise;
    const later = await bench.submit('plain', { name: 'later' });
    await bench.answer(id, { 'elicit-1': accepted({ name: 'Ann' }) });
    // Only then it asks for a seat, before the one that is taken becomes free.
    await heard.promise;
    await new Promise(setImmediate);
    end.open();
    await Promise.all([bench.outcome(long), bench.outcome(later)]);
    expect(await bench.text(id)).toBe('attempt 1: Ann');
    expect(order).toEqual([
      'short runs',
      'short has run',
      'long runs',
      'long has run',
      'the asking tool goes on',
      'later runs',
      'later has run',
    ]);
  });

  it('hands who waits for an answer over at once when the worker retires', async () => {
    const { worker } = await bench.startWorker([asking(who)], { shutdownGraceMs: 60_000 });
    const id = await bench.submit('ask');
    await bench.questions(id, 'elicit-1');
    await worker.retire();
    await bench.startWorker([asking(who)]);
    await bench.questions(id, 'elicit-1');
    await bench.answer(id, { 'elicit-1': accepted({ name: 'Bob' }) });
    expect(await bench.text(id)).toBe('attempt 2: Bob');
  });

  it('asks anew what a later attempt words differently, and withdraws the old question', async () => {
    const worded = asking((ctx) => who(ctx, `Who, in attempt ${ctx.attempt}?`));
    const { worker } = await bench.startWorker([worded]);
    const id = await bench.submit('ask');
    await bench.questions(id, 'elicit-1');
    await worker.stop();
    await bench.startWorker([worded]);
    const [question] = await bench.questions(id, 'elicit-1~2');
    expect(question?.params['message']).toBe('Who, in attempt 2?');
    await bench.answer(id, { 'elicit-1~2': accepted({ name: 'Cat' }) });
    expect(await bench.text(id)).toBe('attempt 2: Cat');
  });

  it('does not let an attempt ask that has been replaced', async () => {
    const started = gate();
    const replaced = gate();
    const end = gate<unknown>();
    await bench.startWorker(
      [
        asking(async (ctx) => {
          started.open();
          await replaced.promise;
          const refused = await who(ctx).catch((error: unknown) => error);
          end.open([refused, ctx.signal.reason]);
          return 'late';
        }),
      ],
      { attempts: (real) => over(real, { claim: (id, worker) => real.claim(id, worker, 200) }) },
    );
    const id = await bench.submit('ask');
    await started.promise;
    const other = randomUUID() as WorkerId;
    const { attemptStore } = bench.database;
    await waitFor(async () => (await attemptStore.claim(id, other, 60_000)).kind === 'claimed', {
      what: 'the lease of the first attempt ends',
    });
    replaced.open();
    const lost = expect.objectContaining({ name: 'AbortError', why: 'lost' });
    expect(await end.promise).toEqual([lost, lost]);
    expect((await bench.task(id)).state).toBe('working');
    await bench.questions(id);
  });
};

describeInMode('questions of a worker', 'postgres', tests);
