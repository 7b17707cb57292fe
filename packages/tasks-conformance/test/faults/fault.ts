import type { RequirementId } from '../../src/manifest/requirements.ts';
import type { JsonRpcMessage } from '../../src/wire/json-rpc.ts';
import type { MiniTask } from '../mini-server/mini-task.ts';

/** What the mini server does differently inside. */
export type Switch =
  | 'a disconnect cancels'
  | 'a withdrawal cancels the task'
  | 'accepted answers are ignored'
  | 'any cursor will do'
  | 'any ttl'
  | 'anybody may answer'
  | 'asks anybody'
  | 'broadcast notifications'
  | 'broadcast questions'
  | 'busy while waited for'
  | `${'get' | 'result' | 'cancel'} for everybody`
  | `cancels ${'completed' | 'failed' | 'cancelled'} tasks`
  | 'cancelled tasks are deleted'
  | 'cancelled tasks complete'
  | 'create when done'
  | 'cursors work once'
  | 'elicited content lost'
  | 'equal calls share a task'
  | 'event ids per stream'
  | 'every call is a task'
  | 'expired is an internal error'
  | 'expires early'
  | 'forbidden tools run anyway'
  | 'foreign tasks are told'
  | 'ids are counted'
  | 'ids as proposed'
  | 'input_required ends the wait'
  | 'kept for ever'
  | 'list of everybody'
  | 'malformed withdrawals end the session'
  | 'no GET streams'
  | 'no sessions'
  | 'notifications are answered'
  | 'numbers for ids'
  | 'ping as plain text'
  | 'progress after the end'
  | 'protocol errors complete'
  | 'questions kept back'
  | 'questions on GET only'
  | 'refusals are ignored'
  | 'rejections are ignored'
  | 'replay of all streams'
  | 'required tools answer directly'
  | 'required tools run anyway'
  | 'responses on GET'
  | 'results are given once'
  | 'results of the latest call'
  | 'sampled text lost'
  | 'stream for tasks/get'
  | 'streams are cut short'
  | 'streams only when needed'
  | 'streams stay open'
  | 'takes time to create tasks'
  | 'tasks at any revision'
  | 'tasks/result does not wait'
  | 'the end is not the end'
  | 'tokens nobody gave'
  | 'tool errors complete'
  | `trusts metadata in ${'get' | 'result' | 'cancel'}`
  | 'unknown responses crash'
  | 'waits outlive cancellation'
  | 'withdrawing the call cancels the task'
  | 'withdrawn requests are answered'
  | 'works while it waits for input';

/** The request an answer is for. */
export interface AnsweredCall {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** The task of params.taskId; null without one. */
  readonly task: MiniTask | null;
}

/** What makes a mini server different. */
export interface Behaviour {
  /** What the server does. */
  readonly name: string;
  readonly switches?: readonly Switch[];
  /** Rewrites an answer. */
  readonly answer?: (answer: JsonRpcMessage, call: AnsweredCall) => JsonRpcMessage;
  /** Rewrites a notification or request of a task; nothing is sent for an empty list. */
  readonly outgoing?: (message: JsonRpcMessage, task: MiniTask) => JsonRpcMessage[];
}

/** Something a server may do. */
export interface Quirk extends Behaviour {
  /** Checks that can not be done with it. */
  readonly skips: readonly string[];
}

/** One thing a server may do wrong, and who has to notice. */
export interface Fault extends Behaviour {
  /** The requirement it breaks. */
  readonly breaks: RequirementId;
  /** The checks that find it; no other check finds anything. */
  readonly found: readonly string[];
  /** Checks that may take it for something else, by chance; they are not asked. */
  readonly looksLike?: readonly string[];
  /** Checks that can not be done with it; `any` where the fault takes the ground from under most. */
  readonly skips?: readonly string[] | 'any';
  /** Somebody waits in vain: the checks get little time. */
  readonly hangs?: true;
  /** It shows among requestors with credentials only. */
  readonly needsCredentials?: true;
}
