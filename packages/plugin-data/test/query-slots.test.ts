import { describe, expect, it } from '@jest/globals';
import { QuerySlots } from '../src/query-slots.ts';

const never = new AbortController().signal;
const ignore = () => {};

describe('QuerySlots', () => {
  it('lets the next in line pass when a slot is given back', async () => {
    const slots = new QuerySlots(1);
    const order: string[] = [];
    const release = await slots.take(never, ignore);
    const second = slots.take(never, () => order.push('second waits'));
    const third = slots.take(never, () => order.push('third waits'));
    expect(order).toEqual(['second waits', 'third waits']);
    release();
    (await second)();
    (await third)();
    (await slots.take(never, () => order.push('waits again')))();
    expect(order).toEqual(['second waits', 'third waits']);
  });

  it('forgets who leaves the line', async () => {
    const slots = new QuerySlots(1);
    const release = await slots.take(never, ignore);
    const leaving = new AbortController();
    const second = slots.take(leaving.signal, ignore);
    const third = slots.take(never, ignore);
    leaving.abort(new Error('left'));
    await expect(second).rejects.toThrow('left');
    release();
    (await third)();
  });

  it('refuses who has been cancelled already', async () => {
    const slots = new QuerySlots(1);
    await expect(slots.take(AbortSignal.abort(new Error('no')), ignore)).rejects.toThrow('no');
    (await slots.take(never, ignore))();
  });
});
