import type { WorkerId } from './brand.ts';
import type {
  AnnouncedPrompt,
  AnnouncedResource,
  CatalogueSnapshot,
  PluginCard,
} from './catalogue-entry.ts';
import type { AnnouncedTool } from './tool.ts';

export interface WorkerAnnouncement {
  readonly id: WorkerId;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  readonly queues: readonly string[];
  readonly concurrency: number;
  /** A task of its own that it does not renew for this long is no longer its own; it beats four times as often. */
  readonly leaseMs: number;
  readonly tools: readonly AnnouncedTool[];
  readonly prompts: readonly AnnouncedPrompt[];
  readonly resources: readonly AnnouncedResource[];
  /** Those that `card` of the tools names. */
  readonly cards: readonly PluginCard[];
}

/** A tool of which workers offer more than one. */
export interface OfferedVersions {
  readonly name: string;
  /** The plugins it comes from. One: an upgrade that is under way. */
  readonly plugins: readonly string[];
  /** The same with their versions, for operators. */
  readonly versions: readonly string[];
}

export interface WorkerPresence {
  readonly workers: number;
  readonly offering: number;
}

export interface CatalogueStore {
  /** Registers the worker with its tools, whose cards are kept before, replacing what it announced before. */
  announce(worker: WorkerAnnouncement): Promise<void>;
  /** Says the worker lives. @returns false when its row is gone, then announce again */
  beat(id: WorkerId): Promise<boolean>;
  /** The worker stopped on purpose. */
  retire(id: WorkerId): Promise<void>;
  /**
   * What workers seen within `graceMs` offer, by name or address. Where two workers differ in an entry, the
   * one that started last wins: that is how a new version rolls out.
   */
  load(graceMs: number): Promise<CatalogueSnapshot>;
  /**
   * Which version of a tool is to run a task that was accepted for `fingerprint`: that one while a worker seen
   * within `graceMs` offers it, else the newest.
   *
   * @returns its fingerprint; null when it has none, or when nobody offers the tool
   */
  versionToRun(toolName: string, fingerprint: string, graceMs: number): Promise<string | null>;
  /** The tools that workers seen within `graceMs` offer with more than one schema, or from more than one plugin. */
  differing(graceMs: number): Promise<readonly OfferedVersions[]>;
  /** How many workers were seen within `graceMs`, and how many of them offer the tool. */
  presence(graceMs: number, toolName?: string): Promise<WorkerPresence>;
  /** Forgets workers not seen for `goneMs`. */
  deleteGone(goneMs: number): Promise<number>;
}
