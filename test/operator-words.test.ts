import { expect, it } from '@jest/globals';
import * as core from '@longshore/core';
import { HISTOGRAM_EDGES_MS } from '@longshore/operator/histogram';
import * as words from '@longshore/operator/words';
import { EDGES_MS } from '../packages/database/src/rows/histogram.ts';

it('names phases, events, actions and limits as the server does, and counts into its histograms', () => {
  expect(words.PHASES).toEqual(core.TASK_PHASES);
  expect(words.WEBHOOK_EVENTS).toEqual(core.WEBHOOK_EVENTS);
  expect(words.AUDIT_ACTIONS).toEqual(core.AUDIT_ACTIONS);
  expect(words.LIMIT_RANGES).toEqual(core.LIMIT_RANGES);
  expect(HISTOGRAM_EDGES_MS).toEqual(EDGES_MS);
});
