import {
  type BusEvent,
  isTerminal,
  type JsonValue,
  LongshoreError,
  limitedSignal,
  type PendingInput,
  type TaskWithOutcome,
} from '@longshore/core';
import {
  canAnswer,
  capabilitiesFor,
  inputRequiredResult,
  type JsonRpcNotification,
  missingCapability,
} from '@longshore/protocol';
import type { HeldRow, WaitEnd } from '../calls/caller.ts';
import { announceCancellation } from '../tasks/cancel-task.ts';
import { LogFeed } from '../watch/log-feed.ts';
import { readProgress } from '../watch/read-progress.ts';
import { SilenceTimer } from '../watch/silence-timer.ts';
import { TaskNotices } from '../watch/task-notices.ts';
import type { ModernCall } from './modern-call.ts';
import type { ModernContext } from './modern-context.ts';
import { QuestionRound } from './question-round.ts';

/**
 * A request that is answered without a handle. Its row runs while the connection is open, and the client
 * hears its progress and logs. When the row asks, the request is answered with the questions, and the row
 * waits: the client's next round, with answers and `requestState`, goes on with it at any replica.
 *
 * A connection that closes before the answer cancels the row. A row between two rounds has no connection;
 * its questions have a time-out of their own. A row with an idempotency key belongs to every request with that
 * key, and runs on: the client gets its outcome by calling again.
 *
 * @see 2026-07-28 basic/patterns/mrtr · basic/transports/streamable-http, "Cancellation"
 */
export class HeldRequest {
  readonly #context: ModernContext;
  readonly #call: ModernCall;
  readonly #row: HeldRow;
  readonly #questions: QuestionRound;
  readonly #logs: LogFeed;
  readonly #notices: TaskNotices;
  /** Whether there may be a row that has to end with the connection. */
  #hasRow: boolean;

  /** @param options.inputResponses answers to questions; those that no question has yet may find one */
  constructor(options: {
    context: ModernContext;
    call: ModernCall;
    row: HeldRow;
    inputResponses: Readonly<Record<string, JsonValue>>;
  }) {
    const { context, call, row } = options;
    const { principalId: owner } = call.identity;
    this.#context = context;
    this.#call = call;
    this.#row = row;
    this.#hasRow = row.submit === null;
    this.#notices = new TaskNotices({
      display: context.settings,
      related: false,
    });
    this.#questions = new QuestionRound({
      inputs: context.inputs,
      taskId: row.id,
      owner,
      inputResponses: options.inputResponses,
    });
    this.#logs = new LogFeed({
      tasks: context.tasks,
      log: call.delivery.log,
      taskId: row.id,
      owner,
      after: call.resumed?.logsAfter ?? '0',
      send: (message) => call.delivery.notify(message),
    });
  }

  /**
   * @throws {LongshoreError} INVALID_REQUEST_STATE when the row of an earlier round is gone · TASK_CANCELLED ·
   *   MISSING_CAPABILITY when this round's client can not be asked what the row asks
   */
  async wait(): Promise<WaitEnd> {
    const { delivery } = this.#call;
    try {
      const found = await this.#watch();
      if (found !== null && isTerminal(found.task)) {
        await this.#logs.readOn();
        // No task of the client's: the error must not name one.
        if (found.outcome === null) throw new LongshoreError('TASK_CANCELLED', 'Call cancelled');
        return { kind: 'ended', outcome: found.outcome };
      }
      if (delivery.signal.aborted) return { kind: 'none' };
      const isJob = this.#row.mayBecomeJob && this.#beyond.length > 0;
      if (this.#questions.open.length === 0 || isJob) return { kind: 'handle', asked: [] };
      await this.#ask();
      return { kind: 'none' };
    } finally {
      if (delivery.signal.aborted && this.#hasRow) await this.#cancel();
    }
  }

  async #watch(): Promise<TaskWithOutcome | null> {
    const { delivery, resumed, envelope, identity } = this.#call;
    const { id, sessionId, limitMs } = this.#row;
    const limited = limitMs === null ? null : limitedSignal(delivery.signal, limitMs);
    const signal = limited?.signal ?? delivery.signal;
    const { progressToken: token } = envelope;
    const row = { id, owner: identity.principalId };
    const silence = new SilenceTimer(
      this.#context.settings.progressIntervalMs,
      () => readProgress(this.#context.tasks, row, token),
      (current) => this.#tell(this.#notices.beat(id, token, current)),
    );
    try {
      return await this.#context.watch.until(
        (found) => this.#isOver(found),
        { ...row, sessionId },
        {
          delivery: { requestId: delivery.requestId, signal, withdraw: () => {} },
          callerSessionId: null,
          onListening: async () => {
            // Of a client that is gone by now there is nothing to do, and nothing to cancel.
            if (delivery.signal.aborted) return;
            if (!this.#hasRow) await this.#submit();
            delivery.hold();
          },
          onEvent: (event) => {
            if (event.kind === 'progress') silence.heard();
            this.#hear(event, token);
          },
          onRow: () => {},
        },
      );
    } catch (error) {
      const gone = error instanceof LongshoreError && error.code === 'TASK_NOT_FOUND';
      if (!gone || resumed === null) throw error;
      throw new LongshoreError(
        'INVALID_REQUEST_STATE',
        'The request that the requestState belongs to has expired: send it anew',
      );
    } finally {
      silence.stop();
      limited?.release();
    }
  }

  async #submit(): Promise<void> {
    this.#hasRow = true;
    await this.#row.submit?.();
  }

  async #isOver({ task }: TaskWithOutcome): Promise<boolean> {
    if (isTerminal(task)) return true;
    if (task.state === 'input_required') await this.#questions.look();
    if (this.#questions.open.length > 0) return true;
    // Its first questions are answered, in this round or in an earlier one.
    return this.#row.becomesTask && (this.#questions.answered || this.#call.resumed !== null);
  }

  #hear(event: BusEvent, token: string | number | null): void {
    if (event.kind === 'resync' || (event.kind === 'logged' && event.taskId === this.#row.id)) {
      void this.#logs.readOn();
      return;
    }
    if (event.kind !== 'progress' || event.taskId !== this.#row.id) return;
    this.#tell(this.#notices.progress(event, token));
  }

  #tell(notice: JsonRpcNotification | null): void {
    if (notice !== null) this.#call.delivery.notify(notice);
  }

  /** Open questions that this round's client can not be asked. */
  get #beyond(): readonly PendingInput[] {
    const { clientCapabilities } = this.#call.envelope;
    return this.#questions.open.filter((question) => !canAnswer(clientCapabilities, question));
  }

  /** @throws {LongshoreError} MISSING_CAPABILITY when this round's client can not be asked that */
  async #ask(): Promise<void> {
    const { identity, method, params } = this.#call;
    const questions = this.#questions.open;
    const beyond = this.#beyond;
    if (beyond.length > 0) throw missingCapability(capabilitiesFor(beyond));
    await this.#logs.readOn();
    const requestState = this.#context.requestStates.mint(
      { taskId: this.#row.id, logsAfter: this.#logs.after },
      { principalId: identity.principalId, method, params },
    );
    this.#call.answer = inputRequiredResult({ questions, requestState }, this.#context.server);
  }

  /** Never rejects: nobody is there to be told. */
  async #cancel(): Promise<void> {
    const { log } = this.#call.delivery;
    if (this.#row.isKeyed) return;
    try {
      const outcome = await this.#context.tasks.cancelHeld(
        this.#row.id,
        this.#call.identity.principalId,
      );
      if (outcome.kind !== 'cancelled') return;
      log.debug({ taskId: this.#row.id }, 'call ended with its connection');
      await announceCancellation(this.#context, outcome);
    } catch (error) {
      log.warn({ taskId: this.#row.id, err: error }, 'call of a closed connection runs on');
    }
  }
}
