import type {
  ClientAbilities,
  HeldQuestions,
  InputRequestId,
  InputStore,
  PendingInput,
  PrincipalId,
  Task,
  TaskId,
} from '@longshore/core';
import {
  canAnswer,
  hostedTaskCancelRequest,
  hostsTasks,
  inputRequest,
  inputWithdrawn,
  type ServerMessage,
} from '@longshore/protocol';
import { HostedPolls } from './hosted-polls.ts';
import { type Asker, LEASE_MS, type QuestionLeases } from './question-leases.ts';
import type { SerialWork } from './serial-work.ts';
import type { StreamPosition } from './stream-position.ts';

/** How long a client keeps a task it makes of a question, for a task of ours that is kept for ever. */
const HOSTED_TTL_MS = 86_400_000;
const MIN_HOSTED_TTL_MS = 10_000;

export interface TaskQuestionsOptions {
  readonly store: Pick<InputStore, 'lease' | 'pending' | 'settled'>;
  readonly leases: Pick<QuestionLeases, 'add' | 'delete'>;
  readonly task: { readonly id: TaskId; readonly owner: PrincipalId };
  readonly position: StreamPosition;
  /** Id of the task, when the client has its handle. */
  readonly relatedTo: string | null;
  /** Which questions the client answers with tasks of its own. */
  readonly hosts: ClientAbilities['tasks'];
  /** What the client can be asked, when the task may ask more; null: it asks no more. */
  readonly limitedTo: ClientAbilities | null;
  /** Whether new questions are this stream's to send; those it has stay its own. */
  readonly mayAsk: () => boolean;
  readonly work: SerialWork;
  readonly send: (message: ServerMessage) => void;
}

/**
 * Puts the questions of one task to the client on one stream. Each question is leased to one stream at a
 * time, wherever the streams are, so it is asked once; a stream that ends gives it back, and the next one
 * asks again.
 *
 * @see 2025-11-25 basic/transports, "Multiple Connections"
 */
export class TaskQuestions {
  readonly #options: TaskQuestionsOptions;
  readonly #leased = new Map<InputRequestId, PendingInput>();
  /** Null: the client makes no tasks of questions. */
  readonly #polls: HostedPolls | null;
  #hostedTtlMs = HOSTED_TTL_MS;
  /** Null while there is nothing to ask. */
  #asker: Asker | null = null;
  #closed = false;

  constructor(options: TaskQuestionsOptions) {
    this.#options = options;
    const { hosts, send } = options;
    this.#polls = hosts.elicitation || hosts.sampling ? new HostedPolls(send) : null;
  }

  /** Whether the client has questions of this stream that are not settled yet. */
  get areOpen(): boolean {
    return this.#leased.size > 0;
  }

  /**
   * Asks what the task waits for, and takes back what nobody waits for any more. To be called with each
   * state of its row, as part of the stream's work.
   */
  async update(task: Task): Promise<void> {
    if (this.#closed) return;
    await this.#settle();
    if (task.state !== 'input_required') {
      this.#stopAsking();
      return;
    }
    // The whole of it, which is enough: how much is left only the database's clock knows.
    if (task.ttlMs !== null) this.#hostedTtlMs = Math.max(task.ttlMs, MIN_HOSTED_TTL_MS);
    if (this.#asker === null) {
      const { leases, position } = this.#options;
      this.#asker = {
        taskId: task.id,
        owner: this.#options.task.owner,
        streamId: position.stream,
        renewed: (pending) => this.#renewed(pending),
      };
      leases.add(this.#asker);
    }
    await this.#lease();
  }

  close(): void {
    this.#closed = true;
    this.#stopAsking();
    this.#polls?.close();
  }

  async #lease(): Promise<void> {
    const { store, task, position, mayAsk } = this.#options;
    if (this.#closed || (this.#leased.size === 0 && !mayAsk())) return;
    if (!(await this.#suitsClient())) return;
    for (const question of await store.lease(task.id, task.owner, position.stream, LEASE_MS)) {
      this.#leased.set(question.id, question);
      this.#ask(question);
    }
    if (this.#polls !== null && this.#leased.size > 0) await this.#refresh(this.#polls);
  }

  /**
   * A task asks what the client it is of can answer, or its model by a tool. Another one is asked when it can answer
   * everything, and nobody tells its session when there is nothing to answer any more.
   */
  async #suitsClient(): Promise<boolean> {
    const { store, task, limitedTo } = this.#options;
    if (limitedTo === null) return true;
    const pending = await store.pending(task.id, task.owner);
    if (pending.length === 0) this.#stopAsking();
    return pending.every((question) => canAnswer(limitedTo, question));
  }

  #ask(question: PendingInput): void {
    const { position, relatedTo, hosts, send } = this.#options;
    if (question.remoteTask !== null) {
      this.#polls?.watch(question);
      return;
    }
    // A resumed stream has put this question before, and its client has seen it.
    if (position.hasAsked(question.eventId)) return;
    position.asks(question.eventId);
    const hostedTtlMs = hostsTasks(hosts, question.method) ? this.#hostedTtlMs : null;
    send(inputRequest(question, { relatedTo, hostedTtlMs }));
  }

  /** What became of the questions that the client answers by tasks of its own. */
  async #refresh(polls: HostedPolls): Promise<void> {
    const { store, task } = this.#options;
    for (const question of await store.pending(task.id, task.owner)) {
      const known = this.#leased.get(question.id);
      if (known === undefined || known.remoteTask?.status === question.remoteTask?.status) continue;
      this.#leased.set(question.id, question);
      polls.watch(question);
    }
  }

  /** A question stays the stream's also while no attempt asks it: the next one may take it over. */
  async #settle(): Promise<void> {
    const { store, task, position, relatedTo, send } = this.#options;
    if (this.#closed || this.#leased.size === 0) return;
    const settled = await store.settled(task.id, task.owner, [...this.#leased.keys()]);
    for (const [id, fate] of settled) {
      const question = this.#leased.get(id);
      if (question === undefined) continue;
      this.#leased.delete(id);
      this.#polls?.forget(id);
      position.forget(question.eventId);
      if (fate === 'answered') continue;
      const { remoteTask } = question;
      if (remoteTask === null) send(inputWithdrawn(question, relatedTo));
      else send(hostedTaskCancelRequest(question, remoteTask.taskId));
    }
  }

  /** Questions that are settled are told of, and those that have become free asked. */
  #renewed({ held, free }: HeldQuestions): void {
    const isAsItWas = held === this.#leased.size && (free === 0 || !this.#options.mayAsk());
    // What became of a task of the client's is in the row.
    if (isAsItWas && this.#polls === null) return;
    this.#options.work.add(async () => {
      await this.#settle();
      await this.#lease();
    });
  }

  #stopAsking(): void {
    if (this.#asker !== null) this.#options.leases.delete(this.#asker);
    this.#asker = null;
  }
}
