import { verify } from '../manifest/violation.ts';
import { isTerminal, StartedTask } from '../tasks/started-task.ts';
import type { HttpEndpoint } from '../wire/http-endpoint.ts';
import type { JsonObject } from '../wire/json.ts';
import { Session } from '../wire/session.ts';
import { pause, settlesWithin } from '../wire/waiting.ts';
import { declaresTasks, FULL_CLIENT, REVISION, type ServerFacts } from './server-facts.ts';
import type { Timing } from './timing.ts';
import { TOOL_ROLES, type ToolRoleName } from './tool-roles.ts';

const CLEAN_UP_MS = 2_000;
const TTL_MS = 600_000;

export interface SceneOptions {
  readonly endpoint: HttpEndpoint;
  /** With the credentials of somebody else; null when the user gave none. */
  readonly otherEndpoint: HttpEndpoint | null;
  readonly facts: ServerFacts;
  readonly toolNames: Partial<Record<ToolRoleName, string>>;
  readonly timing: Timing;
  readonly signal: AbortSignal;
}

export interface StartOptions {
  /** Milliseconds; ten minutes unless said. */
  readonly ttl?: number;
  readonly progressToken?: string | number;
  /** Members of params.task beside ttl. */
  readonly task?: JsonObject;
}

/** What one check works with: sessions and tasks of its own, which are given up when it is over. */
export class Scene {
  readonly facts: ServerFacts;
  readonly timing: Timing;
  readonly signal: AbortSignal;
  /** Whether requests carry headers of the user, such as credentials. */
  readonly hasCredentials: boolean;
  /** Whether there are credentials of somebody else. */
  readonly hasOther: boolean;
  readonly #options: SceneOptions;
  readonly #sessions: Session[] = [];
  readonly #tasks: StartedTask[] = [];

  constructor(options: SceneOptions) {
    this.facts = options.facts;
    this.timing = options.timing;
    this.signal = options.signal;
    this.hasCredentials = Object.keys(options.endpoint.headers).length > 0;
    this.hasOther = options.otherEndpoint !== null;
    this.#options = options;
  }

  /** How long a task runs that does not end before the check is done with it. */
  get longMs(): number {
    const { taskMs, timeoutMs } = this.timing;
    return this.declares('cancel') ? timeoutMs : Math.min(5 * taskMs, timeoutMs / 2);
  }

  /** Pause between two looks at a task; faster than pollInterval, to see what happens in between. */
  get pollMs(): number {
    return Math.min(100, Math.max(10, this.timing.settleMs / 4));
  }

  declares(operation: 'list' | 'cancel'): boolean {
    return declaresTasks(this.facts.capabilities, operation);
  }

  /** @param options.capabilities those of the client; everything the runner can do unless said */
  open(options: { capabilities?: JsonObject; version?: string } = {}): Promise<Session> {
    return this.#open(this.#options.endpoint, options);
  }

  /** A session of somebody else: with other credentials, or with none a second session. */
  openOther(): Promise<Session> {
    return this.#open(this.#options.otherEndpoint ?? this.#options.endpoint, {});
  }

  toolName(role: ToolRoleName): string {
    return this.#options.toolNames[role] ?? TOOL_ROLES[role].defaultName;
  }

  /** Parameters of a tools/call. */
  call(role: ToolRoleName, args: JsonObject = {}): { name: string; arguments: JsonObject } {
    return { name: this.toolName(role), arguments: args };
  }

  /** Creates a task. @throws {Violation} tasks-create-result */
  async start(
    session: Session,
    role: ToolRoleName,
    args: JsonObject = {},
    options: StartOptions = {},
  ): Promise<StartedTask> {
    const { ttl = TTL_MS, progressToken, task: more } = options;
    const params = {
      ...this.call(role, args),
      task: { ttl, ...more },
      ...(progressToken === undefined ? {} : { _meta: { progressToken } }),
    };
    const task = await StartedTask.create(session, params, this.pollMs);
    this.#tasks.push(task);
    return task;
  }

  /**
   * A task that runs until it is cancelled or the check is over.
   * @throws {Violation} tasks-create-prompt when it has ended all the same
   */
  async startLong(session: Session, options: StartOptions = {}): Promise<StartedTask> {
    const first = await this.start(session, 'slow', { ms: this.longMs }, options);
    if (!isTerminal((await first.get())['status'])) return first;
    // A slow machine may have taken so long for the answer: once more with all the time there is.
    const ms = Math.max(this.longMs, this.timing.timeoutMs / 2);
    const task = await this.start(session, 'slow', { ms }, options);
    const { status } = await task.get();
    verify(
      !isTerminal(status),
      'tasks-create-prompt',
      `a task of ${ms} ms was ${String(status)} when its creation was answered`,
    );
    return task;
  }

  /** A task that has ended, as `completed` if all is well. */
  async startAndEnd(session: Session, role: ToolRoleName = 'slow'): Promise<StartedTask> {
    const task = await this.start(session, role, role === 'slow' ? { ms: 0 } : {});
    await task.untilEnded();
    return task;
  }

  /** Waits as long as something that is on its way may take. */
  settle(times = 1): Promise<void> {
    return pause(this.timing.settleMs * times, this.signal);
  }

  /** Cancels what still runs and ends the sessions; never fails. */
  async close(): Promise<void> {
    if (this.declares('cancel')) {
      const open = this.#tasks.filter((task) => !task.ended);
      const asked = open.map(({ session, id }) =>
        session.request('tasks/cancel', { taskId: id }).response.catch(() => {}),
      );
      await settlesWithin(Promise.all(asked), CLEAN_UP_MS, new AbortController().signal);
    }
    await Promise.all(this.#sessions.map((session) => session.close()));
  }

  async #open(
    endpoint: HttpEndpoint,
    options: { capabilities?: JsonObject; version?: string },
  ): Promise<Session> {
    const session = await Session.open(endpoint, {
      protocolVersion: options.version ?? REVISION,
      capabilities: options.capabilities ?? FULL_CLIENT,
      signal: this.signal,
    });
    this.#sessions.push(session);
    return session;
  }
}
