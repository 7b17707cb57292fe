import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '@longshore/config';
import type { Logger } from '@longshore/core';
import * as z from 'zod';
import { callExample } from '../client/call-example.ts';
import { HAND_OVER_MS } from '../processes/hand-over.ts';
import { runCheck } from './check-process.ts';
import { describeChanges, describeProblem } from './describe-report.ts';
import { near } from './near.ts';
import { countFindings, type PluginReport } from './plugin-report.ts';
import type { PluginTarget } from './plugin-target.ts';
import { PluginVersions } from './plugin-versions.ts';
import type { RunningServer } from './running-server.ts';
import { SourceWatch } from './source-watch.ts';

/*
 * `plugin dev` while it runs. One thing is done at a time: a save is checked in a process of its own, then a worker is
 * started with it, and once that is offered the worker before is retired. What cannot be loaded, or does not start,
 * changes nothing. Saves meanwhile are one reload afterwards.
 *
 * The embedded database comes back on another port when its server is started again; then the plugin is offered anew.
 */

export interface DevOptions {
  /** A path, or the name of a package, which is not watched. */
  readonly word: string;
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly currentDirectory: string;
  /** Absolute paths of the programs. */
  readonly entries: { readonly worker: string; readonly check: string };
  readonly log: Logger;
  /** Ends everything in good order. */
  readonly stop: AbortSignal;
  /** Ends everything at once. */
  readonly kill: AbortSignal;
  /** Writes to the user. */
  readonly print: (line: string) => void;
}

export interface DevSessionOptions extends DevOptions {
  readonly target: PluginTarget;
  readonly server: RunningServer;
  /** Where the server is by now. */
  readonly find: () => RunningServer | null;
}

/** How soon it is noticed that the server has ended or come back, in milliseconds. */
const POLL_MS = 2_000;

/** A worker whose database is gone has nothing to hand over. Milliseconds. */
const LOST_GRACE_MS = 1_000;

/** Calls shown as examples; who has more tools knows how it goes. */
const MAX_EXAMPLES = 3;

export class DevSession {
  readonly #options: DevSessionOptions;
  readonly #versions: PluginVersions;
  /** What was saved and not loaded yet. */
  readonly #saved = new Set<string>();
  #wake = new AbortController();
  #server: RunningServer | null;
  /** What is offered, or was before the server ended. */
  #offered: PluginReport | null = null;

  constructor(options: DevSessionOptions) {
    const { entries, log, print } = options;
    this.#options = options;
    this.#server = options.server;
    this.#versions = new PluginVersions({
      entry: entries.worker,
      log,
      // It is said once, by `#followServer`.
      onLine: (line) => {
        if (!tellsOfLostDatabase(line)) print(line);
      },
      onGoesOn: () => print('  the version before takes no more tasks and ends those it runs'),
      onEnded: () => print('  the version before has ended its tasks'),
      onGaveUp: (reason) => print(`${reason}; a save starts it again`),
    });
  }

  /** @returns the exit code, when `stop` has fired and everything has ended */
  async run(): Promise<number> {
    const { target, stop, kill, print } = this.#options;
    const watch =
      target.source === null
        ? null
        : await SourceWatch.start({
            source: target.source,
            onSaved: (files) => {
              for (const file of files) this.#saved.add(file);
              this.#wake.abort();
            },
            onError: (error) => print(`  not every save will be noticed: ${String(error)}`),
          });
    const wake = (): void => this.#wake.abort();
    stop.addEventListener('abort', wake);
    kill.addEventListener('abort', () => this.#versions.kill());
    try {
      await this.#load();
      while (!stop.aborted) {
        await this.#next();
        await this.#followServer();
        if (this.#saved.size > 0) await this.#load();
      }
    } finally {
      stop.removeEventListener('abort', wake);
      await watch?.close();
      await this.#end();
    }
    return 0;
  }

  async #next(): Promise<void> {
    await sleep(POLL_MS, undefined, { signal: this.#wake.signal }).catch(() => {});
    if (!this.#options.stop.aborted) this.#wake = new AbortController();
  }

  async #followServer(): Promise<void> {
    const { find, print, stop } = this.#options;
    if (stop.aborted) return;
    const now = find();
    const before = this.#server;
    this.#server = now;
    if (now?.databaseUrl === before?.databaseUrl) return;
    if (before !== null) {
      print(
        'the server has ended: start it again, and the tools are offered again; Ctrl-C ends this',
      );
      await this.#versions.stop(LOST_GRACE_MS);
    }
    if (now !== null) await this.#load();
  }

  /** Loads what is there now. Never rejects for a mistake of the author. */
  async #load(): Promise<void> {
    const { target, config, currentDirectory, entries, stop, print } = this.#options;
    const server = this.#server;
    if (server === null || stop.aborted) return;
    const saved = [...this.#saved];
    this.#saved.clear();
    const startedAt = performance.now();
    const { specifier } = target;
    const check = { entry: entries.check, specifier, currentDirectory, config, signal: stop };
    const report = await runCheck(check).catch((error: unknown) => {
      if (stop.aborted) return null;
      throw error;
    });
    if (report === null) return;
    const what = saved.length === 0 ? '' : `${this.#named(saved)} saved: `;
    if (report.problem !== null) {
      print(`${what}not loaded, ${this.#whatGoesOn()}`);
      for (const line of describeProblem(report, currentDirectory)) print(`  ${line}`);
      return;
    }
    const { SHUTDOWN_GRACE_MS } = config;
    const env = this.#workerEnvironment(server);
    const problem = await this.#versions.offer(env, SHUTDOWN_GRACE_MS + HAND_OVER_MS, stop);
    if (stop.aborted) return;
    if (problem !== null) {
      print(`${what}not offered, ${this.#whatGoesOn()}: ${problem}`);
      return;
    }
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    if (what === '' || this.#offered === null) this.#introduce(report, server);
    else {
      const changes = describeChanges(this.#offered.offers, report.offers);
      print(`${what}reloaded in ${seconds} s: ${changes}`);
    }
    this.#offered = report;
    this.#mentionFindings(report);
  }

  #introduce({ name, version, offers }: PluginReport, { url, dataDir }: RunningServer): void {
    const { print, target, currentDirectory, config } = this.#options;
    const all = offers.map((offer) => `${offer.kind} ${offer.name}`).join(', ');
    print(
      `${name} ${version} is offered ${url === null ? `by DATABASE_URL` : `at ${url}`}: ${all}`,
    );
    const tools = offers.filter(({ kind }) => kind === 'tool');
    // `call` does not look in the folders above.
    const isFound = url === null || dataDir === path.resolve(currentDirectory, config.DATA_DIR);
    const prefix = isFound ? '' : `LONGSHORE_URL=${url} `;
    for (const tool of tools.slice(0, MAX_EXAMPLES)) print(`  ${prefix}${callExample(tool)}`);
    if (target.source === null) print('  an installed package is not watched; Ctrl-C ends this');
    else {
      const source = near(target.source.path, currentDirectory);
      print(`  saves in ${source} reload it; Ctrl-C ends it`);
    }
  }

  #mentionFindings(report: PluginReport): void {
    const { errors, warnings } = countFindings(report);
    if (errors + warnings === 0) return;
    this.#options.print(
      `  ${errors + warnings} things to mend: longshore plugin check ${this.#options.word}`,
    );
  }

  #whatGoesOn(): string {
    return this.#versions.isOffered ? 'the version before goes on' : 'nothing is offered';
  }

  #named(files: readonly string[]): string {
    const { currentDirectory } = this.#options;
    const [first = '', ...others] = files.map((file) => near(file, currentDirectory));
    return others.length === 0 ? first : `${first} and ${others.length} more`;
  }

  #workerEnvironment({
    databaseUrl,
    dataDir,
  }: RunningServer): Readonly<Record<string, string | undefined>> {
    const { env, target } = this.#options;
    return {
      ...env,
      DATABASE_URL: databaseUrl,
      DATA_DIR: dataDir,
      PLUGINS: target.specifier,
      BUNDLED_PLUGINS: 'false',
      // The server's own workers offer these.
      BATCH_TOOL: 'false',
      WORKER_QUEUES: undefined,
      LOG_LEVEL: env['LOG_LEVEL'] || 'warn',
    };
  }

  async #end(): Promise<void> {
    const { config, print } = this.#options;
    const { SHUTDOWN_GRACE_MS } = config;
    if (this.#versions.isOffered) {
      print(`ending: running tasks get ${SHUTDOWN_GRACE_MS} ms, then wait for the next time`);
    }
    await this.#versions.stop(SHUTDOWN_GRACE_MS + HAND_OVER_MS);
  }
}

const LogLine = z.object({
  msg: z.string(),
  err: z.object({ code: z.string().optional() }).optional(),
});

/** PostgreSQL's class 57P is a server that goes down; the others are what is said of one that has gone. */
const LOST = /^(57P\d\d|DATABASE_UNAVAILABLE|QUEUE_UNAVAILABLE|ECONN[A-Z]+)$/;

/** Whether a log line of a worker says no more than that its database is away. */
function tellsOfLostDatabase(line: string): boolean {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch {
    // What a tool prints is no log line.
    return false;
  }
  const { data } = LogLine.safeParse(parsed);
  if (data === undefined) return false;
  return LOST.test(data.err?.code ?? '') || data.msg === 'an idle database connection broke';
}
