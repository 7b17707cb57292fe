import { describe, expect, it } from '@jest/globals';
import { silentLogger } from '@longshore/core';
import { StartedServices } from '../src/started-services.ts';

const recording = (name: string, events: string[], failing?: 'start' | 'stop') => ({
  start: async () => {
    events.push(`${name} starts`);
    if (failing === 'start') throw new Error(`${name} fails`);
  },
  stop: async () => {
    events.push(`${name} stops`);
    if (failing === 'stop') throw new Error(`${name} fails`);
  },
});

describe('StartedServices', () => {
  it('stops in reverse, also what comes before a part that does not stop, and only once', async () => {
    const events: string[] = [];
    const started = new StartedServices(silentLogger);
    await started.start('a', recording('a', events));
    await started.start('b', recording('b', events, 'stop'));
    started.add('c', async () => void events.push('c stops'));
    await started.stop();
    await started.stop();
    expect(events).toEqual(['a starts', 'b starts', 'c stops', 'b stops', 'a stops']);
  });

  it('stops a part whose start failed half-way', async () => {
    const events: string[] = [];
    const started = new StartedServices(silentLogger);
    await expect(started.start('a', recording('a', events, 'start'))).rejects.toThrow('a fails');
    await started.stop();
    expect(events).toEqual(['a starts', 'a stops']);
  });
});
