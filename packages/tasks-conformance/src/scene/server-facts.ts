import { verify } from '../manifest/violation.ts';
import type { HttpEndpoint } from '../wire/http-endpoint.ts';
import { at, isObject, type JsonObject } from '../wire/json.ts';
import { Session } from '../wire/session.ts';
import { TOOL_ROLES, type ToolRoleName } from './tool-roles.ts';

/** The revision whose tasks are checked. */
export const REVISION = '2025-11-25';

/** A client that can be asked everything; it holds no tasks for the server. */
export const FULL_CLIENT: JsonObject = { elicitation: { form: {} }, sampling: {} };

const MAX_PAGES = 1_000;

/** What the server says of itself, asked once. */
export interface ServerFacts {
  readonly server: { readonly name: string; readonly version: string };
  readonly version: string;
  readonly capabilities: JsonObject;
  /** By name. */
  readonly tools: ReadonlyMap<string, JsonObject>;
}

/** @throws {WireError} when the server can not be talked to */
export async function askServer(endpoint: HttpEndpoint, signal: AbortSignal): Promise<ServerFacts> {
  const session = await Session.open(endpoint, {
    protocolVersion: REVISION,
    capabilities: FULL_CLIENT,
    signal,
  });
  try {
    const capabilities = session.initialized['capabilities'];
    return {
      server: {
        name: String(at(session.initialized, 'serverInfo', 'name')),
        version: String(at(session.initialized, 'serverInfo', 'version')),
      },
      version: session.version,
      capabilities: isObject(capabilities) ? capabilities : {},
      tools: await listTools(session),
    };
  } finally {
    await session.close();
  }
}

async function listTools(session: Session): Promise<Map<string, JsonObject>> {
  const tools = new Map<string, JsonObject>();
  let cursor: unknown;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { result } = await session.call('tools/list', cursor === undefined ? {} : { cursor });
    const listed = result?.['tools'];
    for (const tool of Array.isArray(listed) ? listed : []) {
      if (isObject(tool)) tools.set(String(tool['name']), tool);
    }
    cursor = result?.['nextCursor'];
    if (cursor === undefined) break;
  }
  return tools;
}

/** Whether the server declares `tasks`, or what is at `path` in it. */
export function declaresTasks(capabilities: JsonObject, ...path: readonly string[]): boolean {
  const declared = at(capabilities, 'tasks', ...path);
  return declared !== undefined && declared !== null && declared !== false;
}

/** @throws {Violation} when core tasks are not to be had from this server */
export function requireTasks(facts: ServerFacts): void {
  verify(
    facts.version === REVISION,
    'lifecycle-version-echo',
    `asked for ${REVISION}, got ${facts.version}`,
  );
  verify(
    declaresTasks(facts.capabilities, 'requests', 'tools', 'call'),
    'tasks-capability-declared',
    'capabilities have no tasks.requests.tools.call',
  );
}

export function taskSupportOf(tool: JsonObject): unknown {
  return at(tool, 'execution', 'taskSupport') ?? 'forbidden';
}

/** @returns why no tool of the server serves the role; null when `name` does */
export function missingTool(facts: ServerFacts, role: ToolRoleName, name: string): string | null {
  const tool = facts.tools.get(name);
  if (tool === undefined) return `the server has no tool ${name} (--tool ${role}=NAME)`;
  const support = taskSupportOf(tool);
  const wanted: readonly unknown[] = TOOL_ROLES[role].support;
  if (wanted.includes(support)) return null;
  return `tool ${name} has taskSupport ${String(support)}, not ${wanted.join(' or ')}`;
}
