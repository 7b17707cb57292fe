import { afterEach, describe, expect, it } from '@jest/globals';
import type { Progress } from '@longshore/core';
import { AttemptReporter } from '../../src/attempts/attempt-reporter.ts';

const reporters: AttemptReporter[] = [];
afterEach(() => {
  for (const reporter of reporters.splice(0)) reporter.discard();
});

function setup(floor: number | null = null) {
  const published: Progress[] = [];
  let wishes = 0;
  const reporter = new AttemptReporter({
    floor: floor === null ? null : { progress: floor, total: null, message: null },
    progressIntervalMs: 60_000,
    publish: async (progress) => {
      published.push(progress);
    },
    statusChanged: () => {
      wishes += 1;
    },
  });
  reporters.push(reporter);
  return { reporter, published, wishes: () => wishes };
}

describe('AttemptReporter', () => {
  it('publishes only progress that grows, over attempts too', () => {
    const { reporter, published } = setup(10);
    for (const done of [0, 9, 10, 10.5, 10.5, 10.2, 11]) reporter.progress(done);
    reporter.finish();
    expect(published.map(({ progress }) => progress)).toEqual([10.5, 11]);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, -1])('drops progress of %s', (done) => {
    const { reporter, published } = setup();
    reporter.progress(done);
    reporter.finish();
    expect(published).toEqual([]);
    expect(reporter.unsaved().progress).toBeNull();
  });

  it('takes 0 as the first progress', () => {
    const { reporter, published } = setup();
    reporter.progress(0, 5, 'begin');
    reporter.finish();
    expect(published).toEqual([{ progress: 0, total: 5, message: 'begin' }]);
  });

  it('keeps reports until they are saved, and newer ones longer', () => {
    const { reporter } = setup();
    reporter.progress(1);
    reporter.statusMessage('one');
    const first = reporter.unsaved();
    reporter.statusMessage('two');
    reporter.saved(first);
    expect(reporter.unsaved()).toEqual({ progress: null, statusMessage: 'two' });
  });

  it('makes texts well-formed and bounds their length', () => {
    const { reporter, wishes } = setup();
    reporter.statusMessage(`\ud800${'x'.repeat(2_000)}`);
    expect(reporter.unsaved().statusMessage).toBe(`\uFFFD${'x'.repeat(999)}`);
    expect(wishes()).toBe(1);
  });

  it('hears nothing after the attempt has ended', () => {
    const { reporter, published } = setup();
    reporter.discard();
    reporter.progress(1);
    reporter.statusMessage('late');
    reporter.finish();
    expect(published).toEqual([]);
    expect(reporter.unsaved()).toEqual({ progress: null, statusMessage: null });
  });
});
