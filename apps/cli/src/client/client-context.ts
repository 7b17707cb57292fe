import type { McpClient } from './mcp-client.ts';
import type { Output, ProgressLine } from './progress-line.ts';

/** Of every command that asks a server. */
export interface ClientOptions {
  readonly url?: string | undefined;
  readonly apiKey?: string | undefined;
  readonly output?: 'text' | 'json' | undefined;
}

/** What a command that asks a server works with. */
export interface ClientContext {
  readonly client: McpClient;
  /** Results, and nothing else. */
  readonly print: (text: string) => void;
  readonly isJson: boolean;
  /** For what is too large to be printed at once. */
  readonly stdout: Output;
  readonly stderr: Output;
  /** How far a task is, on standard error. */
  readonly line: ProgressLine;
  /** Columns of standard output; null: it is no terminal. */
  readonly columns: number | null;
  /** A command for the same server, to be shown: `longshore tasks tail 0198...`. */
  readonly again: (words: string) => string;
  /** Asks what becomes of the task; null: there is nobody to ask. */
  readonly ask: (() => Promise<'cancel' | 'detach'>) | null;
  /** Hears what is typed, key by key, until the function is called that it gives; null: there is no keyboard. */
  readonly keyboard: ((typed: (key: string) => void) => () => void) | null;
  /** Fires when the user wants to go. */
  readonly stop: AbortSignal;
}
