import {
  type BusEvent,
  isTerminal,
  type JsonObject,
  type JsonValue,
  LongshoreError,
  limitedSignal,
  type NewTask,
  type PendingInput,
  type SessionId,
  type TaskId,
  type TaskWithOutcome,
} from '@longshore/core';
import {
  canAnswer,
  capabilitiesFor,
  createTaskResult,
  inputRequiredResult,
  type JsonRpcNotification,
  missingCapability,
} from '@longshore/protocol';
import { giveHandle } from '../calls/give-handle.ts';
import { resultOf } from '../calls/outcome-error.ts';
import { announceCancellation } from '../tasks/cancel-task.ts';
import { taskNotFound } from '../tasks/owned-tasks.ts';
import { LogFeed } from '../watch/log-feed.ts';
import { readProgress } from '../watch/read-progress.ts';
import { SilenceTimer } from '../watch/silence-timer.ts';
import { TaskNotices } from '../watch/task-notices.ts';
import type { ModernCall } from './modern-call.ts';
import type { ModernContext } from './modern-context.ts';
import { QuestionRound } from './question-round.ts';

/** A tool that asks first and has not asked within this time becomes a task all the same. */
const ASK_WITHIN_MS = 10_000;

export interface HoldOptions {
  /** The row becomes a task once its first questions are answered. */
  readonly becomesTask: boolean;
  /**
   * The request is answered with the handle of a job when the client can not be asked what the tool asks, and when
   * it is not done in time while the client sees no progress.
   */
  readonly mayBecomeJob: boolean;
}

/** A row that was there before anybody listens to it. */
export interface StartedRow {
  readonly taskId: TaskId;
  /** Of the session that created it: says where its messages are. */
  readonly sessionId: SessionId | null;
}

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
  readonly #row: Omit<NewTask, 'enqueue'>;
  readonly #started: StartedRow | null;
  readonly #taskId: TaskId;
  readonly #questions: QuestionRound;
  readonly #logs: LogFeed;
  readonly #notices: TaskNotices;
  /** Whether there may be a row that has to end with the connection. */
  #hasRow: boolean;

  /**
   * @param options.row the row to be, unless it is there already
   * @param options.started the row that is there already; null: it is yet to be submitted, or of an earlier round
   * @param options.inputResponses answers to questions; those that no question has yet may find one
   */
  constructor(options: {
    context: ModernContext;
    call: ModernCall;
    row: Omit<NewTask, 'enqueue'>;
    started: StartedRow | null;
    inputResponses: Readonly<Record<string, JsonValue>>;
  }) {
    const { context, call, row, started } = options;
    this.#context = context;
    this.#call = call;
    this.#row = row;
    this.#started = started;
    this.#taskId = call.resumed?.taskId ?? started?.taskId ?? row.id;
    this.#hasRow = call.resumed !== null || started !== null;
    this.#notices = new TaskNotices({
      display: context.settings,
      related: false,
    });
    this.#questions = new QuestionRound({
      inputs: context.inputs,
      taskId: this.#taskId,
      owner: call.identity.principalId,
      inputResponses: options.inputResponses,
    });
    this.#logs = new LogFeed({
      tasks: context.tasks,
      log: call.delivery.log,
      taskId: this.#taskId,
      owner: call.identity.principalId,
      after: call.resumed?.logsAfter ?? '0',
      send: (message) => call.delivery.notify(message),
    });
  }

  /**
   * @returns the result; null when nobody waits for it any more, or the answer is another one (`call.answer`)
   * @throws {StoredOutcomeError} when the outcome is an error
   * @throws {LongshoreError} INVALID_REQUEST_STATE when the row of an earlier round is gone
   */
  async run(options: HoldOptions): Promise<JsonObject | null> {
    const { delivery, identity } = this.#call;
    try {
      const found = await this.#wait(options);
      if (found !== null && isTerminal(found.task)) {
        await this.#logs.readOn();
        // No task of the client's: the error must not name one.
        if (found.outcome === null) throw new LongshoreError('TASK_CANCELLED', 'Call cancelled');
        return resultOf(this.#taskId, found.outcome);
      }
      if (delivery.signal.aborted) return null;
      if (this.#questions.open.length > 0 && !(options.mayBecomeJob && this.#beyond.length > 0)) {
        await this.#ask();
      } else if (options.becomesTask) await this.#promote();
      else return await giveHandle(this.#context, this.#taskId, identity.principalId);
      return null;
    } finally {
      if (delivery.signal.aborted && this.#hasRow) await this.#cancel();
    }
  }

  async #wait({ becomesTask, mayBecomeJob }: HoldOptions): Promise<TaskWithOutcome | null> {
    const { delivery, resumed, envelope, identity } = this.#call;
    const sessionId = this.#started?.sessionId ?? null;
    // A client that shows progress sees that the call is alive; any other gives up on it some time.
    const becomesJob = mayBecomeJob && envelope.progressToken === null;
    const inlineMs = becomesJob ? this.#context.settings.inlineWaitMs : null;
    const withinMs = becomesTask ? ASK_WITHIN_MS : inlineMs;
    const limited = withinMs === null ? null : limitedSignal(delivery.signal, withinMs);
    const signal = limited?.signal ?? delivery.signal;
    const { progressToken: token } = envelope;
    const row = { id: this.#taskId, owner: identity.principalId };
    const silence = new SilenceTimer(
      this.#context.settings.progressIntervalMs,
      () => readProgress(this.#context.tasks, row, token),
      (current) => this.#tell(this.#notices.beat(this.#taskId, token, current)),
    );
    try {
      return await this.#context.watch.until(
        (found) => this.#isOver(found, becomesTask),
        { id: this.#taskId, owner: identity.principalId, sessionId },
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
            this.#hear(event, envelope.progressToken);
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
    const { submitter, limitsOf } = this.#context;
    await submitter.submit(this.#row, limitsOf(this.#call.access));
  }

  async #isOver({ task }: TaskWithOutcome, becomesTask: boolean): Promise<boolean> {
    if (isTerminal(task)) return true;
    if (task.state === 'input_required') await this.#questions.look();
    if (this.#questions.open.length > 0) return true;
    // Its first questions are answered, in this round or in an earlier one.
    return becomesTask && (this.#questions.answered || this.#call.resumed !== null);
  }

  #hear(event: BusEvent, token: string | number | null): void {
    if (event.kind === 'resync' || (event.kind === 'logged' && event.taskId === this.#taskId)) {
      void this.#logs.readOn();
      return;
    }
    if (event.kind !== 'progress' || event.taskId !== this.#taskId) return;
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
      { taskId: this.#taskId, logsAfter: this.#logs.after },
      { principalId: identity.principalId, method, params },
    );
    this.#call.answer = inputRequiredResult({ questions, requestState }, this.#context.server);
  }

  async #promote(): Promise<void> {
    const { tasks, settings, server } = this.#context;
    const { principalId } = this.#call.identity;
    // An earlier round may have made a task of it, and its answer may not have arrived.
    const task =
      (await tasks.promote(this.#taskId, principalId)) ??
      (await tasks.find(this.#taskId, principalId));
    if (task === null) throw taskNotFound();
    this.#call.answer = createTaskResult(task, settings.pollIntervalMs, server);
  }

  /** Never rejects: nobody is there to be told. */
  async #cancel(): Promise<void> {
    const { log } = this.#call.delivery;
    if (this.#row.idempotency !== undefined) return;
    try {
      const outcome = await this.#context.tasks.cancelHeld(
        this.#taskId,
        this.#call.identity.principalId,
      );
      if (outcome.kind !== 'cancelled') return;
      log.debug({ taskId: this.#taskId }, 'call ended with its connection');
      await announceCancellation(this.#context, outcome);
    } catch (error) {
      log.warn({ taskId: this.#taskId, err: error }, 'call of a closed connection runs on');
    }
  }
}
