import type { TaskSummary } from '@longshore/operator';
import { type ChannelMessage, type ChannelNews, messageOf, summaryOf } from './channel-messages.ts';

/** Messages a minute; what comes beyond is one message with counts. */
const MOST_A_MINUTE = 6;
const MINUTE_MS = 60_000;

/** A few messages a minute as they come; the others as one, when the minute is over. */
export class ChannelOutbox {
  readonly #send: (message: ChannelMessage) => Promise<void>;
  readonly #kept = new Map<ChannelNews, number>();
  #sentAt: number[] = [];
  #timer: NodeJS.Timeout | null = null;

  constructor(send: (message: ChannelMessage) => Promise<void>) {
    this.#send = send;
  }

  say(job: TaskSummary, news: ChannelNews): void {
    const now = performance.now();
    this.#sentAt = this.#sentAt.filter((at) => now - at < MINUTE_MS);
    if (this.#timer === null && this.#sentAt.length < MOST_A_MINUTE) {
      this.#sentAt.push(now);
      void this.#send(messageOf(job, news));
      return;
    }
    this.#kept.set(news, (this.#kept.get(news) ?? 0) + 1);
    const [first = now] = this.#sentAt;
    this.#timer ??= setTimeout(() => this.#sumUp(), first + MINUTE_MS - now);
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #sumUp(): void {
    this.#timer = null;
    this.#sentAt.push(performance.now());
    void this.#send(summaryOf(this.#kept));
    this.#kept.clear();
  }
}
