import { type FSWatcher, readdirSync, type Stats, statSync, watch } from 'node:fs';
import path from 'node:path';
import type { PluginTarget } from './plugin-target.ts';

/** What a plugin is made of. Data that its tools write beside their code is no reason to reload. */
const SOURCE = /\.(?:[cm]?[jt]s|json|wasm)$/;

/** Editors save in several steps, and several files at once. Milliseconds. */
const SETTLE_MS = 100;

/** Folders that are watched at most: each costs a handle of the system. */
const MAX_FOLDERS = 1_000;

/**
 * Tells when the sources of a plugin are saved: of a folder everything in it but `node_modules` and what begins with
 * a dot, of a module the files beside it.
 */
export class SourceWatch {
  readonly #source: NonNullable<PluginTarget['source']>;
  readonly #onSaved: (files: readonly string[]) => void;
  readonly #watchers = new Map<string, FSWatcher>();
  #seen: ReadonlyMap<string, string>;
  #timer: NodeJS.Timeout | null = null;

  /** @param onSaved gets absolute paths of what is new, changed or gone */
  constructor(
    source: NonNullable<PluginTarget['source']>,
    onSaved: (files: readonly string[]) => void,
  ) {
    this.#source = source;
    this.#onSaved = onSaved;
    this.#seen = this.#look();
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  #soon(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const before = this.#seen;
      this.#seen = this.#look();
      const changed = [...new Set([...before.keys(), ...this.#seen.keys()])].filter(
        (file) => before.get(file) !== this.#seen.get(file),
      );
      if (changed.length > 0) this.#onSaved(changed);
    }, SETTLE_MS);
  }

  /** Every source with its state; watches the folders they are in. */
  #look(): ReadonlyMap<string, string> {
    const files = new Map<string, string>();
    const folders = [this.#source.isFolder ? this.#source.path : path.dirname(this.#source.path)];
    const watched = new Set<string>();
    for (const folder of folders) {
      if (watched.size === MAX_FOLDERS) break;
      watched.add(folder);
      this.#watch(folder);
      for (const name of namesIn(folder)) {
        const file = path.join(folder, name);
        const stats = statSync(file, { throwIfNoEntry: false });
        if (stats?.isDirectory() === true && this.#source.isFolder) folders.push(file);
        else if (stats?.isFile() === true && SOURCE.test(name)) files.set(file, stateOf(stats));
      }
    }
    for (const [folder, watcher] of this.#watchers) {
      if (watched.has(folder)) continue;
      watcher.close();
      this.#watchers.delete(folder);
    }
    return files;
  }

  #watch(folder: string): void {
    if (this.#watchers.has(folder)) return;
    try {
      const watcher = watch(folder, () => this.#soon());
      watcher.on('error', () => {
        watcher.close();
        this.#watchers.delete(folder);
        this.#soon();
      });
      this.#watchers.set(folder, watcher);
    } catch {
      // It is gone again: the folder above tells.
    }
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => !name.startsWith('.') && name !== 'node_modules');
  } catch {
    return [];
  }
}

function stateOf({ mtimeMs, size, ino }: Stats): string {
  return `${mtimeMs}/${size}/${ino}`;
}
