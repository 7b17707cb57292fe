import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ClientAnswers, connectClient, type EngineClient } from './engine-client.ts';
import { EngineProcess } from './engine-process.ts';

export interface EngineOptions {
  /**
   * Modules with tools, as in PLUGINS: file URLs, absolute paths or names of packages. Node has to be able to
   * import them: TypeScript where Node strips types, else what it was compiled to.
   */
  readonly plugins: readonly (string | URL)[];
  /** 1 unless said otherwise. */
  readonly workers?: number;
  /** Over our settings and the environment of this process, such as `{ PLUGIN_DIRS: '/data' }`. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Gets a folder with all data; the system's for temporary files unless said otherwise. */
  readonly directory?: string;
  /** What `engine.client` can be asked; nothing unless said otherwise. */
  readonly answers?: ClientAnswers;
  /** Gives up starting; nothing is left running then. */
  readonly signal?: AbortSignal;
}

/** A running Longshore with a database of its own, and a client that is connected to it. */
export interface Engine extends AsyncDisposable {
  /** The MCP endpoint, for clients of your own. */
  readonly url: string;
  readonly client: EngineClient;
  /** Another client. It is closed with the engine, too. */
  connect(answers?: ClientAnswers): Promise<EngineClient>;
  /** What the engine has logged, the last 5,000 lines. */
  logs(): string;
  /** Closes clients, stops all processes, deletes all data. May be called twice. */
  stop(): Promise<void>;
}

/** Of a machine that is set up for something else. */
const OWN_SETTINGS = {
  HOST: '127.0.0.1',
  PORT: '0',
  AUTH: 'none',
  DATABASE_URL: '',
  REDIS_URL: '',
  // What still runs when a test stops the engine is not worth waiting for.
  SHUTDOWN_GRACE_MS: '500',
  // With it the program ends when this process does, however that ends.
  npm_lifecycle_event: 'test',
};

/**
 * Starts everything a tool needs in production: Postgres (embedded, in a temporary directory), an API,
 * workers with the plugins; and connects a client. It takes some seconds: start it once for a file of tests.
 *
 * @throws {Error} it does not start, with the end of its log: a plugin with a mistake, for instance
 */
export async function startEngine(options: EngineOptions): Promise<Engine> {
  const main = locateCli();
  const plugins = options.plugins.map(specifierOf).join(',');
  const directory = await mkdtemp(path.join(options.directory ?? tmpdir(), 'longshore-testkit-'));
  const inherited = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  const child = new EngineProcess(main, {
    ...Object.fromEntries(inherited),
    ...OWN_SETTINGS,
    DATA_DIR: directory,
    WORKERS: String(options.workers ?? 1),
    ...options.environment,
    PLUGINS: plugins,
    BUNDLED_PLUGINS: 'false',
  });
  const clients: EngineClient[] = [];
  const tearDown = async (): Promise<void> => {
    await Promise.all(clients.map((client) => client.close()));
    await child.stop();
    await rm(directory, { recursive: true, force: true });
  };
  try {
    const url = await child.ready(options.signal);
    const connect = async (answers: ClientAnswers = {}): Promise<EngineClient> => {
      const client = await connectClient(url, answers);
      clients.push(client);
      return client;
    };
    const client = await connect(options.answers);
    let stopped: Promise<void> | null = null;
    const stop = (): Promise<void> => {
      stopped ??= tearDown();
      return stopped;
    };
    return { url, client, connect, logs: () => child.logs(), stop, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await tearDown();
    throw error;
  }
}

function specifierOf(plugin: string | URL): string {
  const isFile = plugin instanceof URL || plugin.startsWith('file:');
  const specifier = isFile ? fileURLToPath(plugin) : plugin;
  if (specifier.includes(',')) throw new Error(`a plugin can not have a comma in it: ${specifier}`);
  return specifier;
}

/**
 * The program `longshore`, of the version that is installed beside this package.
 *
 * @throws {Error} it is not installed, or not built
 */
function locateCli(): string {
  let found: string;
  try {
    found = createRequire(import.meta.url).resolve('@longshore/cli');
  } catch (cause) {
    throw new Error(
      'startEngine runs @longshore/cli, which is not installed: npm i -D @longshore/cli',
      {
        cause,
      },
    );
  }
  const main = path.join(path.dirname(found), '..', 'dist', 'main.js');
  if (!existsSync(main)) throw new Error(`${main} is not there: build Longshore first`);
  return main;
}
