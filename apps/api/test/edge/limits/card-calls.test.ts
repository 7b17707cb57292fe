import { describe, expect, it } from '@jest/globals';
import { type Access, type PrincipalId, type PrincipalLimits, silentLogger } from '@longshore/core';
import { rateMessage } from '../../../src/edge/limits/card-calls.ts';
import { RequestRates } from '../../../src/edge/limits/request-rates.ts';

const ADA = { principalId: 'ada' as PrincipalId, access: {} as Access };

const ask = (name: string, args: unknown, method = 'tools/call') => ({
  message: { jsonrpc: '2.0', id: 1, method, params: { name, arguments: args } },
  cost: 1,
});
const poll = ask('job_status', { task_id: 'x', card: 1 });
const call = ask('job_status', { task_id: 'x' });

describe('what an open card asks', () => {
  const limited = (requestsPerMinute: number) => {
    const rates = () => new RequestRates({ counts: null, log: silentLogger });
    const limits = {
      rates: rates(),
      cardRates: rates(),
      limitsOf: () => ({ requestsPerMinute }) as PrincipalLimits,
    };
    return (request: { message: unknown; cost: number }) =>
      rateMessage(limits, ADA, 'take', request);
  };
  const taken = (take: () => void): number => {
    for (let count = 0; ; count += 1) {
      try {
        take();
      } catch (error) {
        expect(error).toMatchObject({ code: 'RATE_LIMITED' });
        return count;
      }
    }
  };

  it('takes nothing from what its principal may send, and has a limit of its own', () => {
    const take = limited(20);
    expect(taken(() => take(poll))).toBe(20);
    expect(taken(() => take(call))).toBe(20);
    expect(() => take(poll)).toThrow('within a minute');
  });

  it('is limited also where nothing else is', () => {
    const take = limited(0);
    expect(taken(() => take(poll))).toBe(600);
    expect(() => take(call)).not.toThrow();
  });

  it.each([
    ['another tool', ask('job_cancel', { card: 1 })],
    ['another method', ask('job_status', { card: 1 }, 'prompts/get')],
    ['arguments that are none', ask('job_status', null)],
    ['several messages', { message: [poll.message], cost: 1 }],
    ['no message', { message: null, cost: 1 }],
  ])('is not %s', (_, request) => {
    const take = limited(1);
    take(request);
    expect(() => take(call)).toThrow('within a minute');
  });
});
