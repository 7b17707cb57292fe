import * as z from 'zod';
import { HOST_VARIABLES } from './host-variables.ts';
import { LIMIT_VARIABLES } from './limit-variables.ts';
import { PLUGIN_VARIABLES } from './plugin-variables.ts';
import { TRACE_VARIABLES } from './trace-variables.ts';
import { integer, list, numbers, type Variable, variable } from './variable.ts';

const DAY_MS = 86_400_000;

/** As browsers write it in the header `Origin`. */
function isWebOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

function isOrigin(url: string): boolean {
  const { origin, href } = new URL(url);
  return href === `${origin}/`;
}

/** Every variable Longshore reads. docs/configuration.md and .env.example are tested against this. */
export const VARIABLES = {
  HOST: variable(z.string().min(1), '127.0.0.1', 'address', 'Where the API listens.'),
  PORT: variable(
    integer(0, 65_535),
    '3000',
    'port',
    'Port of the API; 0 picks a free one and prints it.',
  ),
  HEALTH_PORT: variable(
    integer(1, 65_535),
    null,
    'port',
    'Port on HOST where a worker answers /healthz (it lives) and /readyz (it takes tasks, and Postgres has heard of it within LEASE_MS), for orchestrators; one for each worker of a machine. Unset: it does not listen.',
  ),
  METRICS_PORT: variable(
    integer(1, 65_535),
    null,
    'port',
    'Port on METRICS_HOST where a worker answers /metrics, and nothing else; one for each worker of a machine: of those of `longshore start` the first has this one, and the next the ports after it. Unset: it does not listen. The API answers on PORT.',
  ),
  METRICS_HOST: variable(
    z.string().min(1),
    '127.0.0.1',
    'address',
    'Where a worker answers /metrics. Beyond loopback it needs METRICS_TOKEN.',
  ),
  METRICS_TOKEN: variable(
    z.string().regex(/^[\x21-\x7e]{16,}$/, 'must be 16 visible ASCII characters or more'),
    null,
    'text',
    'What Prometheus shows as a bearer token to read /metrics of workers, and of an API that is not open to everybody (AUTH).',
  ),
  DATABASE_URL: variable(
    z.url({ protocol: /^postgres(ql)?$/, error: 'must be a postgresql:// URL' }),
    null,
    'URL',
    'Postgres. Unset: an embedded one under DATA_DIR.',
  ),
  REDIS_URL: variable(
    z.url({ protocol: /^rediss?$/, error: 'must be a redis:// or rediss:// URL' }),
    null,
    'URL',
    'Redis for queue and pub/sub (production). Unset: Postgres does both, at about half the throughput.',
  ),
  DATA_DIR: variable(
    z.string().min(1),
    '.longshore',
    'path',
    'Embedded database, files of tools, and with FILE_STORE=local those that belong to tasks.',
  ),
  AUTH: variable(
    z.enum(['none', 'api-key', 'oauth']),
    'none',
    'name',
    'Who may call. none: everybody who reaches the port, over loopback; api-key: who has a key of `longshore keys create`; oauth: who has an access token of OAUTH_ISSUER.',
  ),
  PUBLIC_URL: variable(
    z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' }).refine(isOrigin, {
      error: 'must have no path: the endpoint is /mcp below it',
    }),
    null,
    'URL',
    'Where clients reach the API, without /mcp, such as https://jobs.example.com. AUTH=oauth needs it: tokens are for the resource PUBLIC_URL/mcp. Its host is an allowed one.',
  ),
  OAUTH_ISSUER: variable(
    z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' }),
    null,
    'URL',
    'The authorization server, exactly as in `iss` of its tokens; https, unless it is on loopback. Its keys are found by its metadata (RFC 8414 or OpenID Connect).',
  ),
  OAUTH_AUDIENCE: variable(
    z.string().min(1),
    null,
    'name',
    'What `aud` of a token must contain. Unset: PUBLIC_URL/mcp.',
  ),
  OAUTH_CLIENT_ID: variable(
    z.string().min(1),
    null,
    'name',
    'Who the dashboard is at OAUTH_ISSUER, for logins by code flow with PKCE; its redirect URI is PUBLIC_URL/api/v1/session/callback. Unset: the dashboard is not logged into at the issuer.',
  ),
  OAUTH_CLIENT_SECRET: variable(
    z.string().min(1),
    null,
    'text',
    'Of OAUTH_CLIENT_ID, when it is no public client. OAUTH_CLIENT_SECRET_FILE names a file with it.',
  ),
  OAUTH_LOGIN_SCOPES: variable(
    z.string().min(1),
    'tasks:read tasks:write tools:* ops:read ops:write',
    'scopes',
    'What a login of the dashboard asks the issuer for, separated by spaces.',
  ),
  ANONYMOUS_PRINCIPAL: variable(
    z.enum(['shared', 'session']),
    'shared',
    'name',
    'Whose tasks are whose under AUTH=none. shared: everything belongs to one principal, so tasks cross sessions and protocol eras; session: each 2025-11-25 session owns its own, which nobody finds after it, and all 2026-07-28 requests share theirs.',
  ),
  PUBLISHED_ON_LOOPBACK: variable(
    z.enum(['true', 'false']).transform((text) => text === 'true'),
    'false',
    'true, false',
    'Says that a HOST outside loopback is reached through loopback only (a container whose port is published on 127.0.0.1). AUTH=none refuses such a HOST otherwise.',
  ),
  ALLOWED_HOSTS: variable(
    list,
    'localhost,127.0.0.1,[::1]',
    'host names',
    'Host headers the API accepts, comma-separated, without port.',
  ),
  ALLOWED_ORIGINS: variable(
    list,
    'localhost,127.0.0.1,[::1]',
    'host names',
    'Origin headers the API accepts, by host name, comma-separated; requests without one are accepted.',
  ),
  CORS_ORIGINS: variable(
    list.refine((origins) => origins.every(isWebOrigin), {
      error: 'must be origins of web pages, such as https://app.example.com, without a path',
    }),
    null,
    'origins',
    'Web pages that may call the API and read its answers (CORS), with scheme and port, comma-separated; they are accepted as those of ALLOWED_ORIGINS are. Unset: all pages of ALLOWED_ORIGINS.',
  ),
  WEBHOOK_PRIVATE_HOSTS: variable(
    list.refine((hosts) => hosts.every((host) => /^[^\s/@]+:\d{1,5}$/.test(host)), {
      error: 'must be name:port each, such as hooks.internal:443 or [::1]:8080',
    }),
    null,
    'name:port',
    'What webhooks may also reach on private and loopback addresses, and without TLS, comma-separated, such as hooks.internal:443. Addresses of cloud metadata services are refused always. Read by the API.',
  ),
  ...LIMIT_VARIABLES,
  RESULT_INLINE_BYTES: variable(
    integer(4_096, 16_777_216),
    '65536',
    'bytes',
    'Largest result that clients are sent whole, as JSON in UTF-8. Of a larger one they get its beginning and a link to the whole, which is read by parts of this size. Structured content that a tool promises is never cut.',
  ),
  MAX_RESULT_BYTES: variable(
    integer(4_096, 268_435_456),
    '67108864',
    'bytes',
    'Largest result a tool may return; a larger one is an error that tells its author to write a file.',
  ),
  MAX_FILE_BYTES: variable(
    integer(1, 68_719_476_736),
    '1073741824',
    'bytes',
    'Largest file a tool may write, with `ctx.file` or into DATA_DIR.',
  ),
  MAX_PRINCIPAL_FILE_BYTES: variable(
    integer(1, 1_125_899_906_842_624),
    '10737418240',
    'bytes',
    'What files of one principal may take: those that tools wrote into DATA_DIR, on one machine, and as much again those of `ctx.file`. They go with their tasks.',
  ),
  FILE_STORE: variable(
    z.enum(['local', 's3']),
    'local',
    'name',
    'Where files of tasks are. local: the directory .store in DATA_DIR, the same for all API and worker processes; s3: the bucket S3_BUCKET.',
  ),
  S3_ENDPOINT: variable(
    z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' }),
    null,
    'URL',
    'An S3-compatible server, without the bucket, for FILE_STORE=s3. Unset: that of Amazon in S3_REGION.',
  ),
  S3_REGION: variable(
    z.string().regex(/^[a-z0-9-]{1,50}$/, 'must be the name of a region'),
    'us-east-1',
    'name',
    'Region of the bucket.',
  ),
  S3_BUCKET: variable(
    z.string().regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'must be the name of a bucket'),
    null,
    'name',
    'Bucket of the files of tasks, and of nothing else. FILE_STORE=s3 needs it.',
  ),
  AWS_ACCESS_KEY_ID: variable(
    z.string().min(1),
    null,
    'text',
    'Who Longshore is to the S3 server. FILE_STORE=s3 needs it.',
  ),
  AWS_SECRET_ACCESS_KEY: variable(
    z.string().min(1),
    null,
    'text',
    'Its secret. FILE_STORE=s3 needs it.',
  ),
  AWS_SESSION_TOKEN: variable(z.string().min(1), null, 'text', 'Of temporary credentials.'),
  DEFAULT_TTL_MS: variable(
    integer(1_000, 365 * DAY_MS),
    String(DAY_MS),
    'ms',
    'How long a task and its result are kept from creation, when the client does not say.',
  ),
  MAX_TTL_MS: variable(
    integer(1_000, 365 * DAY_MS),
    String(7 * DAY_MS),
    'ms',
    'Longest ttl a client gets; longer wishes are cut to it.',
  ),
  RESULT_RETENTION_MS: variable(
    integer(1_000, 365 * DAY_MS),
    null,
    'ms',
    'How long results are kept after their task has ended. Unset: as long as the task.',
  ),
  EVENT_RETENTION_MS: variable(
    integer(1_000, 365 * DAY_MS),
    null,
    'ms',
    'How long the history of a task (log messages, attempts, questions) is kept after its end; its creation and its end stay. Unset: as long as the task.',
  ),
  AUDIT_RETENTION_MS: variable(
    integer(60_000, 3_650 * DAY_MS),
    String(400 * DAY_MS),
    'ms',
    'How long entries of the audit trail are kept.',
  ),
  POLL_INTERVAL_MS: variable(
    integer(10, 3_600_000),
    '1000',
    'ms',
    'Poll interval suggested to clients.',
  ),
  ...HOST_VARIABLES,
  KEEP_ALIVE_MS: variable(
    integer(100, 3_600_000),
    '15000',
    'ms',
    'Pause after which an open stream gets a keep-alive comment. A client that takes nothing of its answer for four times as long is cut off.',
  ),
  STREAM_MAX_MS: variable(
    integer(0, DAY_MS),
    '0',
    'ms',
    'How old an event stream of a 2025-11-25 client gets before the server ends its connection; the client comes back for the rest, to any replica. For proxies that cut long connections. 0: as old as it likes.',
  ),
  SESSION_IDLE_MS: variable(
    integer(60_000, 365 * DAY_MS),
    String(7 * DAY_MS),
    'ms',
    'A session nobody uses for this long is deleted.',
  ),
  ...PLUGIN_VARIABLES,
  BATCH_TOOL: variable(
    z.enum(['true', 'false']).transform((text) => text === 'true'),
    'true',
    'true, false',
    'Whether workers offer the tool `batch`, which runs any other tool over many argument sets as one task, and `retry_failed`.',
  ),
  MAX_BATCH_ITEMS: variable(
    integer(1, 1_000_000_000),
    '2000000',
    'items',
    'Items of one batch (`ctx.map`, the tool `batch`) at most. A list that is longer is refused before anything is stored; one that is read bit by bit is stopped when it gets there. Read by workers.',
  ),
  WORKERS: variable(integer(0, 64), '1', 'processes', 'Worker processes `npm start` runs.'),
  WORKER_CONCURRENCY: variable(
    integer(1, 1_000),
    '8',
    'tasks',
    'Tasks one worker runs at once, per queue.',
  ),
  SPARE_SEATS: variable(
    integer(0, 1_000),
    '1',
    'tasks',
    'Tasks one worker runs beyond WORKER_CONCURRENCY, per queue, of principals that run nothing of it while others have all seats; so nobody waits for long tasks of others. 0, or WORKER_CONCURRENCY=1: none.',
  ),
  WORKER_QUEUES: variable(
    list,
    null,
    'names',
    'Queues a worker serves, comma-separated. Unset: all queues of its plugins.',
  ),
  THREADS: variable(
    integer(1, 1_000),
    null,
    'threads',
    "Threads of one worker for tools with `isolate: 'thread'`; more calls wait. Unset: one per CPU.",
  ),
  THREAD_HEAP_MIB: variable(
    integer(16, 1_048_576),
    '1024',
    'MiB',
    'JavaScript heap of such a thread; a call that needs more has failed, and nothing else.',
  ),
  MAX_CONCURRENT_TASKS: variable(
    integer(0, 1_000_000_000),
    '0',
    'tasks',
    'Tasks of one principal that run at once, over all workers and queues; the others wait. 0: as many as there are seats. Taking turns does not need it.',
  ),
  QUEUE_CONCURRENCY: variable(
    numbers,
    null,
    'tasks per queue',
    'Tasks of a queue that run at once, over all workers, such as images=4,default=64. Queues that are not named: as many as there are seats. Read by the API.',
  ),
  LEASE_MS: variable(
    integer(400, 3_600_000),
    '20000',
    'ms',
    'A worker silent for this long loses its tasks to others; it reports four times as often. The same on all workers.',
  ),
  QUEUE_WINDOW: variable(
    integer(1, 1_000_000),
    '5000',
    'jobs',
    'Jobs kept in BullMQ per queue at most; the rest wait in Postgres. Usually there are about as many as workers have seats.',
  ),
  SHUTDOWN_GRACE_MS: variable(
    integer(0, 3_600_000),
    '5000',
    'ms',
    'How long a stopping worker lets running tasks finish before it hands them to others, and a stopping API lets calls finish that no other API can go on with (2026-07-28 without a task).',
  ),
  STDIO_IDLE_MS: variable(
    integer(1_000, 365 * DAY_MS),
    '300000',
    'ms',
    'How long what `longshore stdio` started in the background stays after the last host has gone and the last task of its user has ended.',
  ),
  STDIO_CHANNEL: variable(
    z.enum(['true', 'false']).transform((text) => text === 'true'),
    'false',
    'true, false',
    'Whether `longshore stdio` tells its host when a job has ended, asks, or fails in many of its items (`claude/channel`, a preview of Claude Code); as its option --channel.',
  ),
  LOCAL_TOKEN: variable(
    z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'must be 32 bytes in base64url'),
    null,
    'text',
    'Made by `longshore start` and `longshore stdio` for the API they start, not set by hand: a request that shows it is of the user who started it.',
  ),
  LONGSHORE_URL: variable(
    z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' }),
    null,
    'URL',
    'The MCP endpoint that `longshore call`, `batch`, `tasks` and `schedule` ask.',
  ),
  LONGSHORE_API_KEY: variable(
    z.string().regex(/^[\x21-\x7e]+$/, 'must be visible ASCII without spaces'),
    null,
    'text',
    'The key or access token they show it.',
  ),
  ...TRACE_VARIABLES,
  LOG_LEVEL: variable(
    z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
    'info',
    'level',
    'Least severe log line written. Pretty on a terminal, JSON otherwise.',
  ),
} as const satisfies Record<string, Variable>;

export type VariableName = keyof typeof VARIABLES;
