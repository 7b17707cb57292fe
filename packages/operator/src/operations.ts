import * as z from 'zod';
import { ApiKey, Login, MadeApiKey, Me, NewApiKey } from './access.ts';
import { AuditEntry, AuditFilter } from './audit.ts';
import { BulkAction, NewBulkAction, StartedBulkAction } from './bulk.ts';
import {
  Overview,
  PrincipalPage,
  Queue,
  SchedulePage,
  Stats,
  StatsQuery,
  Tool,
  Worker,
  WorkerDetail,
} from './fleet.ts';
import {
  BatchMap,
  ItemPage,
  TaskCount,
  TaskDetail,
  TaskFilter,
  TaskOutcome,
  TaskPage,
  TaskQuery,
  TaskSummary,
} from './tasks.ts';
import { Cursor, Id, JsonObject, Limit } from './values.ts';
import { WEBHOOK_OPERATIONS } from './webhooks.ts';

/**
 * What an operation needs. `own`: any valid credential, which without `ops:read` or `ops:write` sees and touches its own
 * tasks only, by the scopes `tasks:read` and `tasks:write`; `nothing`: not even a credential.
 */
export type Needs = 'ops:read' | 'ops:write' | 'own:read' | 'own:write' | 'login' | 'nothing';

/** One operation of the API: what it takes and gives. Members that are left out are not taken. */
export interface Operation {
  readonly summary: string;
  readonly tag: string;
  readonly needs: Needs;
  /** Of the path, by their names in it. */
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  /** The body of a 200 as JSON; a string: of this media type, and no JSON. */
  readonly answer: z.ZodObject | string;
}

const ById = z.object({ id: Id });
const ByName = z.object({ name: z.string().min(1).max(256) });
const Done = z.object({ task: TaskSummary });

/** All of /api/v1, by method and path. The server, its clients and the OpenAPI document are made of it. */
export const OPERATIONS = {
  'GET /me': { summary: 'Who calls, and what they may', tag: 'access', needs: 'login', answer: Me },
  'GET /session': {
    summary: 'How one logs in here',
    tag: 'access',
    needs: 'nothing',
    answer: z.object({
      auth: z.enum(['none', 'api-key', 'oauth']),
      /** There is a login at the identity provider: `GET /session/oauth?return=/dashboard/...` begins it. */
      hasOAuthLogin: z.boolean(),
    }),
  },
  'POST /session': {
    summary: 'Log in with an API key: sets the cookie of the dashboard',
    tag: 'access',
    needs: 'nothing',
    body: Login,
    answer: Me,
  },
  'DELETE /session': {
    summary: 'Log out',
    tag: 'access',
    needs: 'nothing',
    answer: z.object({}),
  },
  'GET /overview': {
    summary: 'How the whole stands now, and what needs attention',
    tag: 'fleet',
    needs: 'ops:read',
    answer: Overview,
  },
  'GET /stats': {
    summary: 'Throughput, waits and runs over time',
    tag: 'fleet',
    needs: 'ops:read',
    query: StatsQuery,
    answer: Stats,
  },
  'GET /tasks': {
    summary: 'Tasks, the newest first',
    tag: 'tasks',
    needs: 'own:read',
    query: TaskQuery,
    answer: TaskPage,
  },
  'GET /tasks/count': {
    summary: 'How many tasks match, counted up to 10,000',
    tag: 'tasks',
    needs: 'own:read',
    query: TaskFilter,
    answer: TaskCount,
  },
  'GET /tasks/{id}': {
    summary: 'All of a task but its result',
    tag: 'tasks',
    needs: 'own:read',
    params: ById,
    answer: TaskDetail,
  },
  'GET /tasks/{id}/outcome': {
    summary: 'What a task came to',
    tag: 'tasks',
    needs: 'own:read',
    params: ById,
    answer: TaskOutcome,
  },
  'GET /tasks/{id}/result/download': {
    summary: 'The whole result',
    tag: 'tasks',
    needs: 'own:read',
    params: ById,
    answer: 'application/json',
  },
  'GET /tasks/{id}/files/{name}': {
    summary: 'A file that the tool made',
    tag: 'tasks',
    needs: 'own:read',
    params: ById.extend({ name: z.string().min(1).max(1_024) }),
    answer: 'application/octet-stream',
  },
  'GET /tasks/{id}/items': {
    summary: 'What came of the items of a batch',
    tag: 'tasks',
    needs: 'own:read',
    params: ById,
    query: z.object({
      status: z.enum(['all', 'done', 'failed']).default('all'),
      key: z.string().max(256).optional(),
      cursor: Cursor.optional(),
    }),
    answer: ItemPage,
  },
  'GET /tasks/{id}/items/download': {
    summary: 'What came of the items of a batch, as NDJSON',
    tag: 'tasks',
    needs: 'own:read',
    params: ById,
    query: z.object({
      status: z.enum(['all', 'done', 'failed']).default('all'),
      key: z.string().max(256).optional(),
    }),
    answer: 'application/x-ndjson',
  },
  'GET /tasks/{id}/batch': {
    summary: 'A batch as a map of its chunks, with its failures by message',
    tag: 'tasks',
    needs: 'own:read',
    params: ById,
    query: z.object({ key: z.string().max(256).optional() }),
    answer: BatchMap,
  },
  'POST /tasks/{id}/cancel': {
    summary: 'Cancel a task, and what it has started',
    tag: 'tasks',
    needs: 'own:write',
    params: ById,
    answer: Done,
  },
  'POST /tasks/{id}/retry': {
    summary:
      'Run the call of a task that has ended again, as a new task; with other arguments when they are given',
    tag: 'tasks',
    needs: 'own:write',
    params: ById,
    body: z.object({ arguments: JsonObject.optional() }),
    answer: Done,
  },
  'POST /tasks/{id}/retry-failed': {
    summary: 'Run the failed items of a batch again, as a new task',
    tag: 'tasks',
    needs: 'own:write',
    params: ById,
    body: z.object({ key: z.string().max(256).optional() }),
    answer: Done,
  },
  'POST /tasks/{id}/answer': {
    summary: 'Answer a question of a task',
    tag: 'tasks',
    needs: 'own:write',
    params: ById,
    body: z.object({
      key: z.string().max(256),
      action: z.enum(['accept', 'decline', 'cancel']),
      content: JsonObject.optional(),
    }),
    answer: Done,
  },
  'POST /bulk': {
    summary:
      'Cancel or run again all tasks that a filter matches, or with `dryRun` count them first. It goes on by itself, also after a restart',
    tag: 'tasks',
    needs: 'own:write',
    body: NewBulkAction,
    answer: StartedBulkAction,
  },
  'GET /bulk': {
    summary: 'Bulk actions, the newest first',
    tag: 'tasks',
    needs: 'own:read',
    answer: z.object({ actions: z.array(BulkAction) }),
  },
  'GET /bulk/{id}': {
    summary: 'How far a bulk action is',
    tag: 'tasks',
    needs: 'own:read',
    params: ById,
    answer: z.object({ action: BulkAction }),
  },
  'POST /bulk/{id}/stop': {
    summary: 'Stop a bulk action; what it has done stays done',
    tag: 'tasks',
    needs: 'own:write',
    params: ById,
    answer: z.object({ action: BulkAction }),
  },
  'GET /tools': {
    summary: 'The tools that live workers offer',
    tag: 'fleet',
    needs: 'login',
    answer: z.object({ tools: z.array(Tool) }),
  },
  'POST /tools/{name}/run': {
    summary: 'Call a tool, as a task of the caller',
    tag: 'fleet',
    needs: 'login',
    params: ByName,
    body: z.object({ arguments: JsonObject }),
    answer: Done,
  },
  'GET /workers': {
    summary: 'Workers',
    tag: 'fleet',
    needs: 'ops:read',
    answer: z.object({ workers: z.array(Worker) }),
  },
  'GET /workers/{id}': {
    summary: 'A worker, and what it runs now',
    tag: 'fleet',
    needs: 'ops:read',
    params: ById,
    answer: WorkerDetail,
  },
  'POST /workers/{id}/drain': {
    summary: 'Tell a worker to take nothing new, and to end what it has',
    tag: 'fleet',
    needs: 'ops:write',
    params: ById,
    answer: z.object({}),
  },
  'POST /workers/{id}/resume': {
    summary: 'Let a worker that was told to drain take tasks again',
    tag: 'fleet',
    needs: 'ops:write',
    params: ById,
    answer: z.object({}),
  },
  'GET /queues': {
    summary: 'Queues',
    tag: 'fleet',
    needs: 'ops:read',
    answer: z.object({ queues: z.array(Queue) }),
  },
  'POST /queues/{name}/pause': {
    summary: 'Start nothing more of a queue; what runs goes on',
    tag: 'fleet',
    needs: 'ops:write',
    params: ByName,
    answer: z.object({}),
  },
  'POST /queues/{name}/resume': {
    summary: 'Start tasks of a queue again',
    tag: 'fleet',
    needs: 'ops:write',
    params: ByName,
    answer: z.object({}),
  },
  'POST /tools/{name}/pause': {
    summary: 'Start no more calls of a tool; what runs goes on',
    tag: 'fleet',
    needs: 'ops:write',
    params: ByName,
    answer: z.object({}),
  },
  'POST /tools/{name}/resume': {
    summary: 'Start calls of a tool again',
    tag: 'fleet',
    needs: 'ops:write',
    params: ByName,
    answer: z.object({}),
  },
  'GET /schedules': {
    summary: 'Schedules, the newest first',
    tag: 'fleet',
    needs: 'own:read',
    query: z.object({ cursor: Cursor.optional(), limit: Limit.default(50) }),
    answer: SchedulePage,
  },
  'DELETE /schedules/{id}': {
    summary: 'Remove a schedule',
    tag: 'fleet',
    needs: 'own:write',
    params: ById,
    answer: z.object({}),
  },
  'GET /principals': {
    summary: 'Whoever has ever called, the newest first',
    tag: 'access',
    needs: 'ops:read',
    query: z.object({ cursor: Cursor.optional(), limit: Limit.default(50) }),
    answer: PrincipalPage,
  },
  'GET /audit': {
    summary: 'Who did what, the newest first',
    tag: 'access',
    needs: 'ops:read',
    query: AuditFilter.extend({ cursor: Cursor.optional(), limit: Limit.default(50) }),
    answer: z.object({ entries: z.array(AuditEntry), next: Cursor.nullable() }),
  },
  'GET /audit/export': {
    summary: 'The same as NDJSON, all of it',
    tag: 'access',
    needs: 'ops:read',
    query: AuditFilter,
    answer: 'application/x-ndjson',
  },
  'GET /keys': {
    summary: 'API keys, without their secrets',
    tag: 'access',
    needs: 'ops:read',
    answer: z.object({ keys: z.array(ApiKey) }),
  },
  'POST /keys': {
    summary: 'Make an API key',
    tag: 'access',
    needs: 'ops:write',
    body: NewApiKey,
    answer: MadeApiKey,
  },
  'POST /keys/{id}/revoke': {
    summary: 'Revoke an API key: it ends at once, with its open streams',
    tag: 'access',
    needs: 'ops:write',
    params: ById,
    answer: z.object({ key: ApiKey }),
  },
  ...WEBHOOK_OPERATIONS,
} as const satisfies Record<string, Operation>;

export type Operations = typeof OPERATIONS;
export type OperationName = keyof Operations;

type InputOf<Name extends OperationName, Member extends string> =
  Operations[Name] extends Record<Member, infer Schema extends z.ZodType>
    ? Record<Member, z.input<Schema>>
    : unknown;

/** What a client gives: `params`, `query` and `body`, those that the operation takes. */
export type CallOf<Name extends OperationName> = InputOf<Name, 'params'> &
  Partial<InputOf<Name, 'query'>> &
  InputOf<Name, 'body'>;

/** What a client gets. */
export type AnswerOf<Name extends OperationName> =
  Operations[Name]['answer'] extends infer Schema extends z.ZodType ? z.output<Schema> : never;

/** The body of every answer that is no 2xx. */
export const Problem = z.object({
  error: z.object({
    /** One of docs/errors.md. */
    code: z.string(),
    message: z.string(),
    /** The same request may succeed later. */
    retryable: z.boolean(),
    details: JsonObject.optional(),
  }),
});
