import { describe, expect, it } from '@jest/globals';
import { planFaults } from '../src/plan/fault-plan.ts';
import { seededRandom } from '../src/plan/random.ts';
import { planTasks } from '../src/plan/task-plan.ts';

const LOAD = { durationMs: 60_000, rate: 12, principals: 3 };
const FAULTS = { durationMs: 60_000, everyMs: 2_500, apis: 2, workers: 3 };

describe('a plan', () => {
  it('is the same for the same seed, and another for another one', () => {
    expect(planTasks({ seed: 7, ...LOAD })).toEqual(planTasks({ seed: 7, ...LOAD }));
    expect(planFaults({ seed: 7, ...FAULTS })).toEqual(planFaults({ seed: 7, ...FAULTS }));
    expect(planTasks({ seed: 8, ...LOAD })).not.toEqual(planTasks({ seed: 7, ...LOAD }));
    expect(planFaults({ seed: 8, ...FAULTS })).not.toEqual(planFaults({ seed: 7, ...FAULTS }));
  });

  it('keeps its beginning when the run is longer', () => {
    const short = planTasks({ seed: 7, ...LOAD, durationMs: 20_000 });
    expect(planTasks({ seed: 7, ...LOAD }).slice(0, short.length)).toEqual(short);
    const faults = planFaults({ seed: 7, ...FAULTS, durationMs: 20_000 });
    expect(planFaults({ seed: 7, ...FAULTS }).slice(0, faults.length)).toEqual(faults);
  });

  it('has all kinds of tasks and faults, in both eras, of all principals, as often as asked', () => {
    const tasks = planTasks({ seed: 1, ...LOAD, durationMs: 600_000 });
    expect(new Set(tasks.map(({ kind }) => kind)).size).toBe(12);
    expect(new Set(tasks.map(({ era }) => era)).size).toBe(2);
    expect(new Set(tasks.map(({ principal }) => principal)).size).toBe(3);
    expect(tasks.length / 600).toBeGreaterThan(11);
    expect(tasks.length / 600).toBeLessThan(13);
    const faults = planFaults({ seed: 1, ...FAULTS, durationMs: 600_000 });
    expect(new Set(faults.map(({ kind }) => kind)).size).toBe(11);
    const targets = new Set(faults.flatMap((fault) => ('target' in fault ? [fault.target] : [])));
    expect(targets.size).toBe(5 + 2 + 5 * 2 + 2);
    expect(faults.length / 240).toBeGreaterThan(0.9);
  });
});

describe('a seeded random', () => {
  it('is even, and within its bounds', () => {
    const random = seededRandom(3);
    const counts = [0, 0, 0, 0];
    for (let times = 0; times < 40_000; times += 1) {
      const value = random.int(0, 3);
      counts[value] = (counts[value] ?? 0) + 1;
    }
    for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(500);
    expect(counts).toHaveLength(4);
  });

  it('picks by weight', () => {
    const random = seededRandom(3);
    const picked = Array.from({ length: 10_000 }, () => random.weighted({ a: 1, b: 3, c: 0 }));
    const share = picked.filter((one) => one === 'b').length / picked.length;
    expect(share).toBeGreaterThan(0.73);
    expect(share).toBeLessThan(0.77);
    expect(picked).not.toContain('c');
  });
});
