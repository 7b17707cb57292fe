import type { Backoff, Fence, JsonObject, Outcome, PrincipalId } from '@longshore/core';
import type { MaybePromise, ToolContext } from '@longshore/plugin';
import type { BatchAbilities, FileHost, QuestionHost } from '@longshore/plugin/host';
import type { Failure } from './failure.ts';

/** What the worker's own parts see of an attempt, beside what a tool does. */
export interface AttemptContext extends ToolContext {
  readonly fence: Fence;
  readonly principal: PrincipalId;
  /** Forms come to the user by the tool job_answer, when the client shows none. */
  readonly formsReachUser: boolean;
  /** Maps and calls whose names begin with `scope`. */
  batches(scope: string): BatchAbilities;
}

/** What a run has of its attempt. */
export interface RunScope {
  /** What the plugin's code sees of it. */
  readonly ctx: AttemptContext;
  /** What the questions of `ctx` are made with, for code that is handed a context elsewhere. */
  readonly ask: QuestionHost['ask'];
  /** What the files of `ctx` are made with, likewise. */
  readonly openFile: FileHost['open'];
  /** Stands still while the code waits for its turn. */
  readonly timeLimit: { pause(): void; resume(): void };
}

/** A request whose params fit, ready to run, or the outcome of one whose params do not. */
export type Prepared =
  | {
      readonly kind: 'run';
      readonly run: (scope: RunScope) => MaybePromise<unknown>;
      /** The outcome of what `run` returned. Must not throw. */
      readonly outcomeOf: (returned: unknown) => Outcome;
      /**
       * Ends the run by force, when it can be. Must not reject.
       *
       * @returns false when it still runs
       */
      readonly kill?: () => Promise<boolean>;
    }
  | { readonly kind: 'refused'; readonly outcome: Outcome };

/** How one tool, prompt or resource answers requests. */
export interface RequestHandler {
  /** What is spoken of in messages, such as `tool`. */
  readonly noun: string;
  readonly backoff: Backoff;
  /** Its results have structured content that fits a schema clients know. */
  readonly promisesStructure: boolean;
  /** @param params the claim's arguments. Must not throw. */
  prepare(params: JsonObject): Prepared;
  /** What a thrown error means. Must not throw. */
  failureOf(thrown: unknown): Failure;
  /** The outcome when the last attempt has failed. */
  failedOutcome(text: string): Outcome;
}
