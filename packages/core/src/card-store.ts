import type { PluginCard } from './catalogue-entry.ts';

/** Cards of plugins, kept for longer than they are offered: conversations are opened again. */
export interface CardStore {
  /** Notes that these are offered now, and keeps those that are new. */
  keep(cards: readonly PluginCard[]): Promise<void>;
  /** @returns null when it is not kept, or never was */
  find(uri: string): Promise<PluginCard | null>;
  /** Forgets those that no worker has offered for `keepMs`. @returns how many */
  deleteOld(keepMs: number): Promise<number>;
}
