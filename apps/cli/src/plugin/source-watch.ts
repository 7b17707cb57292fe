import path from 'node:path';
import { type FSWatcher, watch } from 'chokidar';
import type { PluginTarget } from './plugin-target.ts';

/** What a plugin is made of. Data that its tools write beside their code is no reason to reload. */
const SOURCE = /\.(?:[cm]?[jt]s|json|wasm|html)$/;

/** Editors save in several steps, and several files at once. Milliseconds. */
const SETTLE_MS = 100;

/** Folders that are watched at most: each costs a handle of the system. */
const MAX_FOLDERS = 1_000;

export interface SourceWatchOptions {
  readonly source: NonNullable<PluginTarget['source']>;
  /** Gets absolute paths of what is new, changed or gone. */
  readonly onSaved: (files: readonly string[]) => void;
  /** Something can not be watched. */
  readonly onError: (error: unknown) => void;
}

/**
 * Tells when the sources of a plugin are saved: of a folder everything in it but `node_modules` and what begins with
 * a dot, of a module the files beside it.
 */
export class SourceWatch {
  readonly #options: SourceWatchOptions;
  readonly #watcher: FSWatcher;
  readonly #saved = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  private constructor(options: SourceWatchOptions) {
    const { source, onError } = options;
    this.#options = options;
    const root = source.isFolder ? source.path : path.dirname(source.path);
    const folders = new Set<string>();
    this.#watcher = watch(root, {
      ignoreInitial: true,
      ...(source.isFolder ? {} : { depth: 0 }),
      ignored: (file, stats) => {
        const isHidden = (name: string): boolean => name.startsWith('.') || name === 'node_modules';
        if (path.relative(root, file).split(path.sep).some(isHidden)) return true;
        if (stats?.isFile() === true) return !SOURCE.test(file);
        if (stats?.isDirectory() !== true || folders.has(file)) return false;
        if (folders.size === MAX_FOLDERS) return true;
        folders.add(file);
        return false;
      },
    });
    this.#watcher.on('error', onError);
    for (const event of ['add', 'change', 'unlink'] as const) {
      this.#watcher.on(event, (file) => this.#note(file));
    }
  }

  /** Resolves when no save is missed any more. */
  static async start(options: SourceWatchOptions): Promise<SourceWatch> {
    const started = new SourceWatch(options);
    await new Promise<void>((resolve) => started.#watcher.once('ready', () => resolve()));
    return started;
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#watcher.close();
  }

  #note(file: string): void {
    this.#saved.add(file);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const files = [...this.#saved];
      this.#saved.clear();
      this.#options.onSaved(files);
    }, SETTLE_MS);
  }
}
