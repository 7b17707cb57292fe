import type { MessagePort } from 'node:worker_threads';
import type { JsonObject, JsonValue, LogLevel, Outcome } from '@longshore/core';
import type {
  CallOptions,
  ClientAbilities,
  FileLimits,
  NetworkGrant,
  Question,
  ToolTrace,
} from '@longshore/plugin';
import type { Failure } from '../requests/failure.ts';
import type { AbortReason } from '../run/running-attempt.ts';
import type { PortableError } from './portable-error.ts';

/** What a thread is started with. */
export interface ThreadData {
  /** Of the plugins' host. */
  readonly directories: readonly string[];
  readonly dataDir: string;
  readonly fileLimits: FileLimits;
  readonly network: NetworkGrant;
}

/** Facts of a run as its tool sees them. */
export interface RunFacts {
  readonly taskId: string;
  readonly attempt: number;
  readonly principal: string;
  readonly deadline: Date | null;
  readonly trace: ToolTrace | null;
  readonly client: ClientAbilities;
  /** Of an AttemptContext. */
  readonly formsReachUser: boolean;
}

/** Which tool to run, on what. */
export interface ThreadJob {
  /** Absolute path of the module that has the tool. */
  readonly entry: string;
  readonly tool: string;
  readonly arguments: JsonObject;
}

/** To a thread: run this, and speak of it on `port`. */
export interface RunOrder extends ThreadJob {
  readonly facts: RunFacts;
  readonly port: MessagePort;
  /** Shared words, see run-control.ts. */
  readonly control: Int32Array;
}

/** From a thread, of no run in particular. */
export type ThreadNotice =
  | { readonly kind: 'resource-updated'; readonly uri: string | null }
  | { readonly kind: 'catalogue-changed' }
  | { readonly kind: 'stray'; readonly error: PortableError };

/** What a run asks for and waits for. */
export type RunCall =
  | { readonly kind: 'ask'; readonly question: Question; readonly timeoutMs: number }
  | {
      readonly kind: 'call-tool';
      readonly name: string;
      readonly arguments: JsonObject;
      readonly options: CallOptions | undefined;
    }
  | { readonly kind: 'get-checkpoint'; readonly key: string }
  | { readonly kind: 'set-checkpoint'; readonly key: string; readonly value: JsonValue }
  /** Answered with a number that the later calls name the file by. */
  | { readonly kind: 'open-file'; readonly name: string; readonly mimeType: string }
  | { readonly kind: 'write-file'; readonly file: number; readonly chunk: Uint8Array }
  | { readonly kind: 'close-file' | 'abort-file'; readonly file: number };

export type RunEnd =
  | { readonly kind: 'outcome'; readonly outcome: Outcome }
  | { readonly kind: 'failed'; readonly failure: Failure; readonly error: PortableError };

/** From a run, on its port. The last one is `ended`. */
export type RunMessage =
  | { readonly kind: 'began' }
  | {
      readonly kind: 'progress';
      readonly done: number;
      readonly total: number | undefined;
      readonly message: string | undefined;
    }
  | { readonly kind: 'status'; readonly text: string }
  | {
      readonly kind: 'log';
      readonly level: LogLevel;
      readonly message: string;
      readonly fields: JsonObject;
    }
  | { readonly kind: 'resource-updated'; readonly uri: string | null }
  | { readonly kind: 'call'; readonly id: number; readonly call: RunCall }
  | { readonly kind: 'ended'; readonly end: RunEnd };

/** To a run, on its port. */
export type RunReply =
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'refusal'; readonly id: number; readonly error: PortableError }
  | { readonly kind: 'abort'; readonly why: AbortReason };
