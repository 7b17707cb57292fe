/**
 * Why something failed, in words. Looks at fields, not at `instanceof`: inside jest the errors of Node's own
 * modules come from another realm and are no instances of the `Error` seen here.
 */
export function reasonOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error);
  // Node tries each address of a host and reports them together, with an empty message.
  if ('errors' in error && Array.isArray(error.errors)) {
    return error.errors.map(reasonOf).join(', ');
  }
  return 'message' in error ? String(error.message) : String(error);
}
