import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { GroupedCalls, type GroupedCallsOptions, LongshoreError } from '../src/index.ts';

interface Deferred {
  readonly group: readonly string[];
  answer(): void;
  fail(error: Error): void;
}

/** Grouped calls whose groups wait until the test answers them; an answer is the input in capitals. */
function setup(changes: Partial<GroupedCallsOptions<string, string>> = {}) {
  const groups: Deferred[] = [];
  const calls = new GroupedCalls<string, string>({
    name: 'shouting',
    run: (group) =>
      new Promise((resolve, reject) => {
        groups.push({
          group,
          answer: () => resolve(group.map((word) => word.toUpperCase())),
          fail: reject,
        });
      }),
    keyOf: null,
    weightOf: (word) => word.length,
    isSharedFailure: (error) => error instanceof LongshoreError && error.retryable,
    overflowCode: 'DATABASE_UNAVAILABLE',
    maxGroupSize: 10,
    maxGroupWeight: 1_000,
    maxInFlight: 2,
    maxWaiting: 100,
    ...changes,
  });
  return { calls, groups, sent: () => groups.map(({ group }) => group) };
}

/** A call, its group and what follows an answer each take a turn of the event loop or a microtask. */
async function turn(): Promise<void> {
  await nextTurn();
  await nextTurn();
}

const codeOf = (error: unknown): string =>
  error instanceof LongshoreError ? error.code : String(error);

it('puts calls of one turn into one group and gives each its own answer', async () => {
  const { calls, groups, sent } = setup();
  const answers = Promise.all(['a', 'b', 'c'].map((word) => calls.call(word)));
  expect(sent()).toEqual([]);
  await turn();
  expect(sent()).toEqual([['a', 'b', 'c']]);
  groups[0]?.answer();
  expect(await answers).toEqual(['A', 'B', 'C']);
});

it('collects calls into the next group while as many groups as allowed are under way', async () => {
  const { calls, groups, sent } = setup({ maxInFlight: 1 });
  const first = calls.call('a');
  await turn();
  const later = [calls.call('b')];
  await turn();
  later.push(calls.call('c'));
  await turn();
  expect(sent()).toEqual([['a']]);
  groups[0]?.answer();
  await first;
  await turn();
  expect(sent()).toEqual([['a'], ['b', 'c']]);
  groups[1]?.answer();
  expect(await Promise.all(later)).toEqual(['B', 'C']);
});

it('has two groups under way at most', async () => {
  const { calls, groups, sent } = setup({ maxGroupSize: 1 });
  const answers = Promise.all(['a', 'b', 'c'].map((word) => calls.call(word)));
  await turn();
  expect(sent()).toEqual([['a'], ['b']]);
  groups[1]?.answer();
  await turn();
  expect(sent()).toEqual([['a'], ['b'], ['c']]);
  for (const { answer } of groups) answer();
  expect(await answers).toEqual(['A', 'B', 'C']);
});

it('bounds a group by its weight, but lets a heavy call through alone', async () => {
  const { calls, sent } = setup({ maxGroupWeight: 5, maxInFlight: 9 });
  for (const word of ['aaa', 'bb', 'c', 'dddddddd', 'e']) void calls.call(word);
  await turn();
  expect(sent()).toEqual([['aaa', 'bb'], ['c'], ['dddddddd'], ['e']]);
});

it('keeps calls of one key out of the same group, in their order', async () => {
  const { calls, sent } = setup({ keyOf: (word) => word.charAt(0), maxInFlight: 9 });
  for (const word of ['a1', 'a2', 'b1', 'a3', 'b2']) void calls.call(word);
  await turn();
  expect(sent()).toEqual([['a1', 'b1'], ['a2', 'b2'], ['a3']]);
});

it('fails only the member that spoils the group', async () => {
  const sent: string[] = [];
  const { calls } = setup({
    run: async (group) => {
      sent.push(group.join(''));
      if (group.includes('x')) throw new Error(`no: ${group.join('')}`);
      return group.map((word) => word.toUpperCase());
    },
  });
  const answers = await Promise.allSettled(['a', 'b', 'x', 'd'].map((word) => calls.call(word)));
  expect(answers).toEqual([
    { status: 'fulfilled', value: 'A' },
    { status: 'fulfilled', value: 'B' },
    { status: 'rejected', reason: new Error('no: x') },
    { status: 'fulfilled', value: 'D' },
  ]);
  expect(sent).toEqual(['abxd', 'ab', 'xd', 'x', 'd']);
});

it('fails all members at once when the server is away', async () => {
  const away = new LongshoreError('DATABASE_UNAVAILABLE', 'away');
  const { calls, groups, sent } = setup();
  const answers = Promise.allSettled(['a', 'b'].map((word) => calls.call(word)));
  await turn();
  groups[0]?.fail(away);
  expect((await answers).map((answer) => 'reason' in answer && answer.reason)).toEqual([
    away,
    away,
  ]);
  expect(sent()).toHaveLength(1);
});

it('works on after a failure', async () => {
  const { calls, groups } = setup({ maxInFlight: 1 });
  const failing = calls.call('a');
  await turn();
  groups[0]?.fail(new Error('once'));
  await expect(failing).rejects.toThrow('once');
  const next = calls.call('b');
  await turn();
  groups[1]?.answer();
  expect(await next).toBe('B');
});

it('fails a group whose answers do not match its members', async () => {
  const { calls } = setup({ run: async () => [] });
  await expect(calls.call('a')).rejects.toMatchObject({
    diagnosis: expect.stringContaining('an answer is missing'),
  });
});

it('refuses, retryably, what is beyond its queue', async () => {
  const { calls } = setup({ maxWaiting: 2 });
  const waiting = ['a', 'b'].map((word) => calls.call(word));
  const error: unknown = await calls.call('c').catch((reason: unknown) => reason);
  expect(codeOf(error)).toBe('DATABASE_UNAVAILABLE');
  expect(error).toMatchObject({ retryable: true });
  expect(waiting).toHaveLength(2);
});

it('fails what waits when it is closed, and waits for what is under way', async () => {
  const { calls, groups } = setup({ maxInFlight: 1 });
  const running = calls.call('a');
  await turn();
  const waiting = calls.call('b');
  const events: string[] = [];
  const closing = calls.close().then(() => events.push('closed'));
  expect(codeOf(await waiting.catch((error: unknown) => error))).toBe('SHUTTING_DOWN');
  expect(codeOf(await calls.call('c').catch((error: unknown) => error))).toBe('SHUTTING_DOWN');
  events.push('answered');
  groups[0]?.answer();
  expect(await running).toBe('A');
  await closing;
  expect(events).toEqual(['answered', 'closed']);
  await calls.close();
});
