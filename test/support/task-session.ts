import { ModernClient, readAnswer } from '@longshore/testing/mcp';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import {
  createApplicationInputHandler,
  createTaskSessionFromClient,
  type RawClientDispatch,
  type ResolvedInputExchangeContext,
  type TaskEnabledSession,
} from '@modelcontextprotocol/ext-tasks/client';
import { ada, FULL_ABILITIES, type Person } from './person.ts';

type Exchange = Pick<ResolvedInputExchangeContext, 'scope' | 'delivery' | 'taskId'> & {
  readonly about: string | undefined;
};

/** `@modelcontextprotocol/ext-tasks` over the official client 2.x, as a host puts them together. */
export interface TaskSession {
  readonly session: TaskEnabledSession<string>;
  readonly person: Person;
  /** How each question came, in the order of `person.asked`. */
  readonly exchanges: Exchange[];
  /** What went wrong behind the scenes. */
  readonly errors: Error[];
  /** Goes away without a word, as a process that dies. */
  vanish(): Promise<void>;
  close(): Promise<void>;
}

export async function openTaskSession(url: URL, era: 'legacy' | 'modern'): Promise<TaskSession> {
  const person = ada();
  const exchanges: Exchange[] = [];
  const errors: Error[] = [];
  const client = new Client(
    { name: 'ext-tasks', version: '1' },
    {
      capabilities: FULL_ABILITIES,
      versionNegotiation: { mode: era === 'legacy' ? 'legacy' : { pin: '2026-07-28' } },
    },
  );
  await client.connect(new StreamableHTTPClientTransport(url));
  const note = (
    method: string,
    params: Readonly<Record<string, unknown>>,
    { scope, delivery, taskId, applicationContext }: ResolvedInputExchangeContext<string>,
  ) => {
    person.asked.push({ method, params });
    exchanges.push({
      scope,
      delivery,
      about: applicationContext,
      ...(taskId === undefined ? {} : { taskId }),
    });
    return params;
  };
  const session = createTaskSessionFromClient<string>(client, {
    endpointId: 'longshore',
    onInputRequest: createApplicationInputHandler<string>({
      elicitation: ({ params }, context) =>
        person.elicit(note('elicitation/create', params, context)),
      sampling: ({ params }, context) =>
        person.sample(note('sampling/createMessage', params, context)),
      roots: ({ params = {} }, context) => {
        note('roots/list', params, context);
        return person.roots();
      },
    }),
    onError: (error) => errors.push(error),
    ...(era === 'legacy'
      ? {}
      : {
          rawDispatch: dispatchTo(url),
          v2RequestFraming: {
            protocolVersion: '2026-07-28',
            clientInfo: { name: 'ext-tasks', version: '1' },
            clientCapabilities: FULL_ABILITIES,
          },
        }),
  });
  return {
    session,
    person,
    exchanges,
    errors,
    vanish: () => client.close(),
    close: async () => {
      await session.close();
      await client.close();
    },
  };
}

/** What the package leaves to its host: one framed request over HTTP. */
function dispatchTo(url: URL): RawClientDispatch {
  const wire = new ModernClient([url.href]);
  return async (request, options) => {
    const { method, params } = request as { method: string; params: Record<string, unknown> };
    const { body, headers } = wire.build(method, params);
    const all = new Headers(headers);
    for (const [name, value] of Object.entries(options?.context?.headers ?? {})) {
      all.set(name, value);
    }
    const { last } = await readAnswer(
      await fetch(url, {
        method: 'POST',
        headers: all,
        body: JSON.stringify({ ...body, params }),
        signal: options?.signal ?? null,
      }),
    );
    return last.error === undefined
      ? { kind: 'result', result: last.result as never }
      : { kind: 'error', error: last.error as never };
  };
}

/**
 * Jest runs tests in a realm of their own, while the platform's `Response.json()` makes objects of the outer
 * one; the package takes those for no plain JSON. To be called before it, and what it returns after it.
 */
export function parseJsonInThisRealm(): () => void {
  const original = Response.prototype.json;
  const set = (json: typeof original) => Reflect.set(Response.prototype, 'json', json);
  set(async function json(this: Response) {
    return JSON.parse(await this.text());
  });
  return () => void set(original);
}
