/** What came is no answer of MCP over Streamable HTTP, or nothing came. */
export class WireError extends Error {
  override readonly name = 'WireError';
}
