import {
  type EventBus,
  type Service,
  ServiceLifecycle,
  type Subscription,
  type WorkerId,
  workerTopic,
} from '@longshore/core';
import type { RunningAttempts } from '../attempts/running-attempts.ts';
import type { InputWaits } from '../inputs/input-waits.ts';

export interface OrderListenerOptions {
  readonly workerId: WorkerId;
  readonly bus: EventBus;
  readonly running: RunningAttempts;
  readonly inputs: InputWaits;
  /** Called when messages may have been missed. */
  readonly resync: () => void;
}

/** Hears what concerns this worker: stops the tasks it is told to, and fetches answers to questions. */
export class OrderListener implements Service {
  readonly #lifecycle: ServiceLifecycle;

  constructor({ bus, workerId, running, inputs, resync }: OrderListenerOptions) {
    let subscription: Subscription | null = null;
    this.#lifecycle = new ServiceLifecycle({
      up: async () => {
        subscription = await bus.subscribe(workerTopic(workerId), (event) => {
          if (event.kind === 'cancel') running.cancel(event.taskId);
          if (event.kind === 'answered') inputs.answered(event.taskId);
          if (event.kind === 'resync') {
            void inputs.runOnce();
            resync();
          }
        });
      },
      down: async () => {
        await subscription?.close();
        subscription = null;
      },
    });
  }

  start(): Promise<void> {
    return this.#lifecycle.start();
  }

  stop(): Promise<void> {
    return this.#lifecycle.stop();
  }
}
