/** An error on its way to another thread, where its class does not exist. */
export interface PortableError {
  readonly name: string;
  readonly message: string;
  readonly stack: string | null;
  readonly code: string | null;
}

/** @param thrown anything */
export function portableError(thrown: unknown): PortableError {
  if (!(thrown instanceof Error)) {
    return { name: 'Error', message: String(thrown), stack: null, code: null };
  }
  const code = 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : null;
  return { name: thrown.name, message: thrown.message, stack: thrown.stack ?? null, code };
}

/** An error that looks like the one on the other side: name, message, stack, code. */
export function revivedError({ name, message, stack, code }: PortableError): Error {
  const error = name === 'TypeError' ? new TypeError(message) : new Error(message);
  error.name = name;
  if (stack !== null) error.stack = stack;
  return code === null ? error : Object.assign(error, { code });
}
