import type { TaskStore } from '@longshore/core';
import type { LegacyTaskDisplay } from '@longshore/protocol';
import type { InputDesk } from '../inputs/input-desk.ts';
import type { WatchHub } from './watch-hub.ts';

export interface WatchSettings extends LegacyTaskDisplay {
  /** Longest silence of a stream whose client waits with a progress token. */
  readonly progressIntervalMs: number;
}

/** What waits and streams work with. */
export interface WatchContext {
  readonly settings: WatchSettings;
  readonly tasks: TaskStore;
  readonly inputs: InputDesk;
  readonly watch: WatchHub;
}
