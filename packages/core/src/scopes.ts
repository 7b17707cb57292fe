/**
 * What a credential is good for:
 * `ops:read` sees the tasks of all principals, workers, queues and keys; `ops:write` acts on them too, and sees what it acts on;
 * `tasks:read` reads tasks, their results and their changes; `tasks:write` answers and cancels them;
 * `tools:NAME` and `tools:*` see and call tools; `prompts:*` and `resources:*` see and use those, which
 * `tools:*` admits as well.
 */
const SCOPE =
  /^(ops:(read|write)|tasks:(read|write)|tools:(\*|[A-Za-z0-9_.-]{1,128})|prompts:\*|resources:\*)$/;

/** Scopes that together admit everything that a client does. */
export const ALL_SCOPES: readonly string[] = ['tasks:read', 'tasks:write', 'tools:*'];

export function isScope(text: string): boolean {
  return SCOPE.test(text);
}

/**
 * Whether the scopes of a credential admit what needs the scope `needed`.
 *
 * @param granted null: everything is admitted; scopes of other servers among them mean nothing here
 */
export function admits(granted: readonly string[] | null, needed: string): boolean {
  if (granted === null || granted.includes(needed)) return true;
  if (needed === 'ops:read') return granted.includes('ops:write');
  return !/^(tasks|ops):/.test(needed) && granted.includes('tools:*');
}
