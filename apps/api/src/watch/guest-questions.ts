import type { ClientAbilities, Task } from '@longshore/core';
import type { ResumableDelivery } from '../edge/delivery.ts';
import { giveBackQuestions } from './give-back-questions.ts';
import { SerialWork } from './serial-work.ts';
import { TaskStreamPosition } from './stream-position.ts';
import type { CarrierContext } from './task-carrier.ts';
import { TaskQuestions } from './task-questions.ts';
import type { WatchedTask } from './watch-hub.ts';

export interface GuestQuestionsOptions {
  readonly delivery: ResumableDelivery;
  readonly task: WatchedTask;
  /** Of the client that waits. */
  readonly abilities: ClientAbilities;
}

/**
 * What a tasks/result of another session than the task's puts to its client: the questions that no stream
 * of the task's own session has, such as all those of a task of the modern era.
 */
export class GuestQuestions {
  readonly #context: CarrierContext;
  readonly #options: GuestQuestionsOptions;
  readonly #position: TaskStreamPosition;
  readonly #work: SerialWork;
  readonly #questions: TaskQuestions;

  constructor(context: CarrierContext, options: GuestQuestionsOptions) {
    const { delivery, task, abilities } = options;
    this.#context = context;
    this.#options = options;
    this.#position = new TaskStreamPosition(
      { kind: 'result', taskId: task.id, requestId: delivery.requestId },
      null,
    );
    this.#work = new SerialWork(delivery.log);
    this.#questions = new TaskQuestions({
      store: context.inputs.store,
      leases: context.watch.leases,
      task,
      position: this.#position,
      relatedTo: task.id,
      hosts: abilities.tasks,
      limitedTo: abilities,
      mayAsk: () => true,
      work: this.#work,
      send: (message) => delivery.notify(message),
    });
  }

  /** To be called with each state of the row that was read, in order. */
  row(task: Task): void {
    if (!this.#options.delivery.streams) return;
    this.#work.add(() => this.#questions.update(task));
  }

  /** Takes back what nobody waits for any more. To be called when the row has ended. */
  async finish(): Promise<void> {
    await this.#work.done();
  }

  /** Gives back what it holds. Nothing is sent any more. */
  async close(): Promise<void> {
    this.#questions.close();
    await this.#work.done();
    if (!this.#questions.areOpen) return;
    await giveBackQuestions(
      this.#context.inputs.store,
      this.#position.stream,
      this.#options.delivery.log,
    );
  }
}
