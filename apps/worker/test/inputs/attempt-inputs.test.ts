import { describe, expect, it } from '@jest/globals';
import {
  type AskedInput,
  type AttemptStore,
  type InputAnswer,
  type InputQuestion,
  LongshoreError,
  silentLogger,
  type TaskId,
} from '@longshore/core';
import { waitFor } from '@longshore/testing';
import { AttemptInputs } from '../../src/inputs/attempt-inputs.ts';
import { InputWaits } from '../../src/inputs/input-waits.ts';
import { gate } from '../bench/doubles.ts';
import { testAttempt, testBus, testStore } from '../bench/test-attempt.ts';

const question = (key: string, text = 'x') =>
  ({ key, method: 'elicitation/create', params: { mode: 'form', message: text } }) as const;

const result = (action: string): InputAnswer => ({ kind: 'result', result: { action } });

/** What `ask` says of each question. */
type Fates = (asked: readonly InputQuestion[]) => ReadonlyMap<string, AskedInput> | null;

const allAsked: Fates = (asked) => new Map(asked.map(({ key }) => [key, { kind: 'asked' }]));

function setUp(fates: Fates = allAsked, methods: Partial<AttemptStore> = {}) {
  const asks: string[][] = [];
  const stored = new Map<string, InputAnswer>();
  let reads = 0;
  const attempts = testStore({
    ask: async (_fence, questions) => {
      asks.push(questions.map(({ key }) => key));
      return fates(questions);
    },
    readAnswers: async () => {
      reads += 1;
      return new Map(stored);
    },
    ...methods,
  });
  const bus = testBus();
  const attempt = testAttempt();
  const inputs = new AttemptInputs(attempt, { attempts, bus, log: silentLogger });
  const changes = () => bus.published.length;
  return { attempt, inputs, asks, stored, changes, reads: () => reads };
}

const asked = (asks: readonly string[][]) =>
  waitFor(() => asks.length > 0, { what: 'the questions are asked' });

describe('AttemptInputs', () => {
  it('asks the questions of one turn in one statement, and says once that the task changed', async () => {
    const { inputs, asks, stored, changes } = setUp();
    const answers = Promise.all([
      inputs.ask(question('a'), 60_000),
      Promise.resolve().then(() => inputs.ask(question('b'), 60_000)),
    ]);
    await asked(asks);
    stored.set('a', result('accept')).set('b', result('decline'));
    await inputs.refresh();
    expect(await answers).toEqual([result('accept'), result('decline')]);
    expect(asks).toEqual([['a', 'b']]);
    expect(changes()).toBe(1);
  });

  it('gives the answer an earlier attempt got, and tells nobody', async () => {
    const { inputs, changes } = setUp(
      () => new Map([['a', { kind: 'answered', answer: result('accept') }]]),
    );
    expect(await inputs.ask(question('a'), 60_000)).toEqual(result('accept'));
    expect(changes()).toBe(0);
  });

  it('numbers a key that belongs to another question, in the database or here', async () => {
    const { inputs, asks, stored } = setUp(
      (questions) =>
        new Map(
          questions.map(({ key }) => [
            key,
            { kind: key === 'old' || key === 'old~2' ? 'conflict' : 'asked' },
          ]),
        ),
    );
    const answers = Promise.all([
      inputs.ask(question('old'), 60_000),
      inputs.ask(question('new', 'one'), 60_000),
      inputs.ask(question('new', 'two'), 60_000),
      inputs.ask(question('new', 'one'), 60_000),
    ]);
    await waitFor(() => asks.flat().includes('old~3'), { what: 'the third key is asked' });
    stored
      .set('old~3', result('accept'))
      .set('new', result('decline'))
      .set('new~2', result('cancel'));
    await inputs.refresh();
    const [old, one, two, same] = await answers;
    expect([old, one, two, same]).toEqual([
      result('accept'),
      result('decline'),
      result('cancel'),
      result('decline'),
    ]);
    expect(asks.flat().sort()).toEqual(['new', 'new~2', 'old', 'old~2', 'old~3']);
  });

  it('reads once for many messages, and once more for those that came meanwhile', async () => {
    const held = gate();
    let reads = 0;
    const { inputs, asks } = setUp(allAsked, {
      readAnswers: async () => {
        reads += 1;
        await held.promise;
        return new Map(reads === 2 ? [['a', result('accept')]] : []);
      },
    });
    const answer = inputs.ask(question('a'), 60_000);
    await asked(asks);
    const refreshes = Promise.all([inputs.refresh(), inputs.refresh(), inputs.refresh()]);
    held.open();
    await refreshes;
    expect(await answer).toEqual(result('accept'));
    expect(reads).toBe(2);
  });

  it('does not take the answer to an earlier question for that of one still being asked', async () => {
    const held = gate();
    const { inputs, stored, reads } = setUp(allAsked, {
      ask: async () => {
        await held.promise;
        stored.set('a', result('accept'));
        return new Map([['a', { kind: 'asked' }]]);
      },
    });
    stored.set('a', result('decline'));
    const answer = inputs.ask(question('a'), 60_000);
    await inputs.refresh();
    held.open();
    expect(await answer).toEqual(result('accept'));
    // The second read is its own: the message it may have been told by came too early.
    expect(reads()).toBe(2);
  });

  it('tries again while the database is away', async () => {
    let tries = 0;
    const { inputs } = setUp(allAsked, {
      ask: async () => {
        tries += 1;
        if (tries < 3) throw new LongshoreError('DATABASE_UNAVAILABLE', 'away');
        return new Map([['a', { kind: 'answered', answer: result('accept') }]]);
      },
    });
    expect(await inputs.ask(question('a'), 60_000)).toEqual(result('accept'));
    expect(tries).toBe(3);
  });

  it('fails the questions when the database will never take them', async () => {
    const { inputs, attempt } = setUp(allAsked, {
      ask: () => Promise.reject(new LongshoreError('INTERNAL', 'too large')),
    });
    await expect(inputs.ask(question('a'), 60_000)).rejects.toThrow('too large');
    expect(attempt.abortReason).toBeNull();
  });

  it('ends the attempt when its question is refused', async () => {
    const { inputs, attempt } = setUp(() => null);
    await expect(inputs.ask(question('a'), 60_000)).rejects.toMatchObject({ why: 'lost' });
    expect(attempt.abortReason).toBe('lost');
  });

  it('ends questions together whose time is over, with what came in the last moment', async () => {
    const ended: string[][] = [];
    const { inputs, changes } = setUp(allAsked, {
      timeOutInputs: async (_fence, keys) => {
        ended.push([...keys]);
        return new Map(
          keys.map((key) => [key, key === 'a' ? result('accept') : { kind: 'timeout' }]),
        );
      },
    });
    expect(await Promise.all([inputs.ask(question('a'), 5), inputs.ask(question('b'), 5)])).toEqual(
      [result('accept'), { kind: 'timeout' }],
    );
    expect(ended.flat().sort()).toEqual(['a', 'b']);
    expect(changes()).toBeGreaterThan(1);
  });

  it('ends the attempt when its time-out is refused', async () => {
    const { inputs } = setUp(allAsked, { timeOutInputs: async () => new Map() });
    await expect(inputs.ask(question('a'), 5)).rejects.toMatchObject({ why: 'lost' });
  });

  it('rejects all that wait when the attempt is stopped, and asks nothing afterwards', async () => {
    const { inputs, attempt, asks } = setUp();
    const waiting = inputs.ask(question('a'), 60_000);
    await asked(asks);
    const unasked = inputs.ask(question('b'), 60_000);
    attempt.abort('drain');
    await expect(waiting).rejects.toMatchObject({ why: 'drain' });
    await expect(unasked).rejects.toMatchObject({ why: 'drain' });
    await expect(inputs.ask(question('c'), 60_000)).rejects.toMatchObject({ why: 'drain' });
    expect(asks).toEqual([['a']]);
  });

  it('asks nothing once the attempt has ended', async () => {
    const { inputs } = setUp();
    inputs.close();
    await expect(inputs.ask(question('a'), 60_000)).rejects.toThrow('the attempt has ended');
  });

  it('survives a failed read', async () => {
    let reads = 0;
    const { inputs, asks } = setUp(allAsked, {
      readAnswers: async () => {
        reads += 1;
        if (reads === 1) throw new LongshoreError('DATABASE_UNAVAILABLE', 'away');
        return new Map([['a', result('accept')]]);
      },
    });
    const answer = inputs.ask(question('a'), 60_000);
    await asked(asks);
    await inputs.refresh();
    await inputs.refresh();
    expect(await answer).toEqual(result('accept'));
  });
});

describe('InputWaits', () => {
  it('has only the task read whose answers are there, and all when messages may be missing', async () => {
    const read: string[] = [];
    const attempts = testStore({
      ask: async (_fence, questions) => allAsked(questions),
      readAnswers: async (taskId) => {
        read.push(taskId);
        return new Map();
      },
    });
    const waits = new InputWaits({ attempts, bus: testBus(), log: silentLogger });
    const { taskId } = testAttempt().claim;
    const ids = ['1', '2', '3'].map((digit) => taskId.replace(/1$/, digit) as TaskId);
    const opened = ids.map((id) => waits.open(testAttempt({ taskId: id })));
    for (const inputs of opened.slice(0, 2)) {
      void inputs.ask(question('a'), 60_000);
    }
    waits.answered(ids[1] ?? taskId);
    await waitFor(() => read.length === 1, { what: 'the answers are read' });
    expect(read).toEqual([ids[1]]);
    await waits.runOnce();
    expect(read.slice(1)).toEqual([ids[0], ids[1]]);
    for (const inputs of opened) waits.close(inputs);
    await waits.runOnce();
    expect(read).toHaveLength(3);
  });
});
