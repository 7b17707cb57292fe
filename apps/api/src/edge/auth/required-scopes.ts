import {
  type Access,
  admits,
  BATCH_TOOL,
  isPluginCardUri,
  isScope,
  JOB_CARD_URI,
  LongshoreError,
} from '@longshore/core';
import { isTaskUri } from '../../tasks/task-uri.ts';
import { jobToolScope } from './job-scopes.ts';

/** Scopes that make no request of a client's. */
const IDLE_SCOPES = /^(tasks:read$|ops:)/;

type Params = Readonly<Record<string, unknown>>;

/** What reading results and files of tasks needs, here and by HTTP. */
export const DOWNLOAD_SCOPES: readonly string[] = ['tasks:read'];

/** What ending a session needs that another credential has opened: its streams end with it. */
export const FOREIGN_END_SCOPES: readonly string[] = ['tasks:write'];

/**
 * What a request of either era needs, by its method. What is in no list of needs is open to every valid
 * credential: the handshake, and lists, which show what the credential admits.
 *
 * @param params as sent: what the method will refuse anyway needs nothing
 * @returns scopes, all of which are needed
 */
export function requiredScopes(method: string, params: Params): readonly string[] {
  switch (method) {
    case 'tools/call':
      return callScopes(params);
    case 'prompts/get':
      return ['prompts:*'];
    case 'resources/read':
      return readScopes(params['uri']);
    case 'resources/subscribe':
      return ['resources:*'];
    case 'completion/complete':
      return [memberOf(params['ref'], 'type') === 'ref/prompt' ? 'prompts:*' : 'resources:*'];
    case 'tasks/get':
    case 'tasks/list':
    case 'tasks/result':
      return ['tasks:read'];
    case 'tasks/update':
    case 'tasks/cancel':
      return ['tasks:write'];
    case 'subscriptions/listen':
      return listenScopes(params['notifications']);
    default:
      return [];
  }
}

/**
 * Checked before anything is looked for, so the answer is the same whether it exists or not.
 * @throws {LongshoreError} INSUFFICIENT_SCOPE
 */
export function requireScopes(access: Access, needed: readonly string[]): void {
  if (access.scopes === null) return;
  const lacking = needed.filter((scope) => !admits(access.scopes, scope));
  if (lacking.length === 0) return;
  throw new LongshoreError(
    'INSUFFICIENT_SCOPE',
    `The credentials lack what this request needs: ${lacking.join(', ')}`,
    { details: { requiredScopes: needed } },
  );
}

/**
 * For messages that go on with a request made before: answers to questions, withdrawals. Any scope will do
 * that could have made one.
 *
 * @throws {LongshoreError} INSUFFICIENT_SCOPE
 */
export function requireActing({ scopes }: Access): void {
  if (scopes === null || scopes.some((scope) => isScope(scope) && !IDLE_SCOPES.test(scope))) return;
  throw new LongshoreError(
    'INSUFFICIENT_SCOPE',
    'The credentials only read: they answer and withdraw nothing',
    { details: { requiredScopes: ['tasks:write'] } },
  );
}

/** What is no text is no address of a task's, and need not even become one: an object may have a `toString` of its own. */
function readScopes(uri: unknown): readonly string[] {
  if (typeof uri !== 'string') return ['resources:*'];
  // The same for everybody, and of nobody's.
  if (uri === JOB_CARD_URI || isPluginCardUri(uri)) return [];
  return isTaskUri(uri) ? DOWNLOAD_SCOPES : ['resources:*'];
}

/**
 * A generated tool needs what the method needs that does the same, and `batch` what a call of the tool needs
 * that it runs, `job_schedule` of the tool that is to run. Which one `retry_failed` runs, only its task knows: `checkRetry` asks for that.
 */
function callScopes({ name, arguments: args }: Params): string[] {
  const own = jobToolScope(name);
  if (own !== null) return name === 'job_schedule' ? [own, ...scheduledScopes(args)] : [own];
  return name === BATCH_TOOL
    ? [...toolScopes(name), ...toolScopes(memberOf(args, 'tool'))]
    : toolScopes(name);
}

/** What a call of the tool needs that is to run; of the server's own tools none can be. */
function scheduledScopes(args: unknown): string[] {
  const name = memberOf(args, 'tool');
  if (jobToolScope(name) !== null) return [];
  return callScopes({ name, arguments: memberOf(args, 'arguments') });
}

/** The scope goes out in a header: a name that can not be a tool's is not put into it. */
export function toolScopes(name: unknown): string[] {
  if (typeof name !== 'string') return [];
  return [isScope(`tools:${name}`) ? `tools:${name}` : 'tools:*'];
}

function listenScopes(filter: unknown): string[] {
  const resources = memberOf(filter, 'resourceSubscriptions');
  return [
    ...(memberOf(filter, 'taskIds') === undefined ? [] : ['tasks:read']),
    ...(Array.isArray(resources) && resources.length > 0 ? ['resources:*'] : []),
  ];
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return (value as Params)[name];
}
