import type { Config } from '@longshore/config';
import type { Logger } from '@longshore/core';

/** What the commands for authors work with. */
export interface PluginContext {
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute paths: our own program, and the folder with apps and packages. */
  readonly cli: string;
  readonly root: string;
  readonly currentDirectory: string;
  readonly print: (line: string) => void;
  readonly log: Logger;
  readonly stop: AbortSignal;
  readonly kill: AbortSignal;
}
