import type { BusEvent, BusMessage } from './bus-message.ts';
import type { Service } from './service.ts';

export interface Subscription {
  /** After it resolves the listener is not called again. */
  close(): Promise<void>;
}

/**
 * Wake-ups between processes. All subscribers of a topic see its messages in the same order;
 * a message may be lost when a connection breaks, and then every subscriber gets `resync`.
 */
export interface EventBus extends Service {
  /** Never throws: a message that can not be sent is logged and dropped, for it is only a hint. */
  publish(topic: string, message: BusMessage): Promise<void>;
  /**
   * Resolves once every later message of the topic will be heard.
   * @throws {LongshoreError} QUEUE_UNAVAILABLE when the bus does not answer
   */
  subscribe(topic: string, listener: (event: BusEvent) => void): Promise<Subscription>;
}
