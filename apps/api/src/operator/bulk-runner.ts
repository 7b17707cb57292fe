import {
  type BulkAction,
  type BulkStep,
  type BulkStore,
  type Identity,
  LongshoreError,
  PeriodicService,
  type TaskId,
} from '@longshore/core';
import type { RecordedLog } from '../edge/request-log.ts';
import { cancelTask, retryTask } from './act-on-tasks.ts';
import { Operator, type OperatorContext } from './operation.ts';

/** Tasks of one step. */
const PAGE = 100;
/** Tasks that are acted on at once. */
const AT_ONCE = 8;
const INTERVAL_MS = 5_000;

/**
 * Does what operators want done to many tasks, a page at a time. The row says how far it is, so another API goes on where this one
 * ends. A page that is done twice does nothing twice: what is cancelled is, and what is run again has a key of its own.
 */
export class BulkRunner extends PeriodicService {
  readonly #context: OperatorContext;
  readonly #store: BulkStore;

  constructor(context: OperatorContext) {
    super({ name: 'bulk actions', intervalMs: INTERVAL_MS, log: context.log });
    this.#context = context;
    this.#store = context.bulk;
  }

  async runOnce(signal?: AbortSignal): Promise<void> {
    while (signal?.aborted !== true) {
      const action = await this.#store.take(this.#context.leaseMs);
      if (action === null) return;
      await this.#goOn(action, signal);
    }
  }

  /** @throws {LongshoreError} retryable: it goes on when its lease is over */
  async #goOn(action: BulkAction, signal: AbortSignal | undefined): Promise<void> {
    while (signal?.aborted !== true) {
      const step = await this.#step(action);
      const now = await this.#store.advance(action, step, this.#context.leaseMs);
      if (now === null) return;
      if (now.state !== 'running') {
        const { id, done, failed } = now;
        this.#context.log.info({ bulkId: id, done, failed }, 'bulk action ended');
        return;
      }
      action = now;
    }
  }

  async #step(action: BulkAction): Promise<BulkStep> {
    const { store } = this.#context;
    const left = action.most - action.done - action.failed;
    const page = await store.search(action.search, Math.min(PAGE, left), action.place);
    const ids = page.tasks.map(({ id }) => id);
    const failures: { id: string; message: string }[] = [];
    for (let from = 0; from < ids.length; from += AT_ONCE) {
      const problems = await Promise.all(
        ids.slice(from, from + AT_ONCE).map((id) => this.#act(action, id)),
      );
      failures.push(...problems.flatMap((problem) => (problem === null ? [] : [problem])));
    }
    return {
      done: ids.length - failures.length,
      failed: failures.length,
      failures,
      place: page.next,
    };
  }

  /** @returns why it could not be done; null: it is */
  async #act(
    { id: bulkId, verb, identity, scopes }: BulkAction,
    id: TaskId,
  ): Promise<{ id: string; message: string } | null> {
    const access = { identity, sessionIdentity: identity, scopes, limits: {} };
    const operator = new Operator(access, this.#recorded(bulkId, identity));
    try {
      if (verb === 'cancel') await cancelTask(this.#context, operator, id);
      else await retryTask(this.#context, operator, id, null, `bulk ${bulkId} ${id}`);
      return null;
    } catch (error) {
      // The page is done again when there is room, or a server answers.
      if (!(error instanceof LongshoreError) || error.retryable) throw error;
      return { id, message: error.message };
    }
  }

  /** On record stands who began it. */
  #recorded(bulkId: string, identity: Identity): RecordedLog {
    const { log, audit } = this.#context;
    const origin = { ...identity, address: null, requestId: `bulk ${bulkId}` };
    return {
      debug: (fields, message) => log.debug(fields, message),
      info: (fields, message) => log.debug(fields, message),
      warn: (fields, message) => log.warn(fields, message),
      error: (fields, message) => log.error(fields, message),
      audit: (action, target, details) => audit.note(action, origin, target, details),
      auditCount: (action, target) => audit.count(action, origin, target),
    };
  }
}
