import { beforeEach, describe, expect, it } from '@jest/globals';
import { type BusEvent, silentLogger, type TaskId, type WorkerId } from '@longshore/core';
import { RunningAttempts } from '../../src/attempts/running-attempts.ts';
import { InputWaits } from '../../src/inputs/input-waits.ts';
import { OrderListener } from '../../src/services/order-listener.ts';
import { testAttempt, testBus, testStore } from '../bench/test-attempt.ts';

const OTHER = '00000000-0000-4000-8000-00000000000f' as TaskId;

describe('OrderListener', () => {
  let tell: (event: BusEvent) => void;
  let said: string[];
  const attempt = testAttempt();
  const { taskId } = attempt.claim;

  beforeEach(async () => {
    said = [];
    const bus = testBus();
    const running = new RunningAttempts();
    running.add(attempt);
    const inputs = new InputWaits({ attempts: testStore(), bus, log: silentLogger });
    inputs.answered = (id) => void said.push(`answered ${id}`);
    inputs.runOnce = async () => void said.push('reread');
    const orders = new OrderListener({
      workerId: OTHER as string as WorkerId,
      bus: {
        ...bus,
        subscribe: async (topic, listener) => {
          said.push(topic);
          tell = listener;
          return { close: async () => {} };
        },
      },
      running,
      inputs,
      resync: () => void said.push('resync'),
    });
    await orders.start();
    expect(said.splice(0)).toEqual([`worker:${OTHER}`]);
  });

  it('passes on that answers are there', () => {
    tell({ kind: 'answered', taskId });
    expect(said).toEqual([`answered ${taskId}`]);
  });

  it('looks for everything it may have missed', () => {
    tell({ kind: 'resync' });
    expect(said.sort()).toEqual(['reread', 'resync']);
  });

  it('stops the task it is told to, and no other', () => {
    tell({ kind: 'cancel', taskId: OTHER });
    expect(attempt.abortReason).toBeNull();
    tell({ kind: 'cancel', taskId });
    expect(attempt.abortReason).toBe('cancelled');
  });
});
