/** What an error says, or whatever was thrown. */
export function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message || cause.name : String(cause);
}
