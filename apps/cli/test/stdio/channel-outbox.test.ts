import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { TaskSummary } from '@longshore/operator';
import FakeTimers, { type Clock } from '@sinonjs/fake-timers';
import type { ChannelMessage } from '../../src/stdio/channel-messages.ts';
import { ChannelOutbox } from '../../src/stdio/channel-outbox.ts';

const MINUTE_MS = 60_000;

describe('the messages of a channel', () => {
  let clock: Clock;
  let sent: ChannelMessage[];
  let outbox: ChannelOutbox;

  beforeEach(() => {
    clock = FakeTimers.install({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    sent = [];
    outbox = new ChannelOutbox(async (message) => void sent.push(message));
  });
  afterEach(() => {
    outbox.stop();
    clock.uninstall();
  });

  const say = (count: number, news: 'completed' | 'failed'): void => {
    for (let n = 0; n < count; n += 1) {
      outbox.say({ id: `job-${n}`, tool: 'echo' } as TaskSummary, news);
    }
  };

  it('are six a minute, and one more with the counts of the others', () => {
    say(8, 'completed');
    say(2, 'failed');
    expect(sent).toHaveLength(6);
    clock.tick(MINUTE_MS);
    expect(sent.slice(6)).toEqual([
      {
        content: '4 more jobs: 2 completed, 2 failed. job_list {} shows them.',
        meta: { outcome: 'several', jobs: '4' },
      },
    ]);
    clock.tick(MINUTE_MS);
    say(7, 'completed');
    expect(sent).toHaveLength(13);
  });

  it('are no more when it is stopped', () => {
    say(7, 'completed');
    outbox.stop();
    clock.tick(MINUTE_MS);
    expect(sent).toHaveLength(6);
  });
});
