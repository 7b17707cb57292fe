/**
 * Throw it to fail the call at once, without a retry: the message goes to the model as an `isError`
 * result. Any other error is retried as the tool's policy says.
 */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}

/**
 * Throw it to answer the request with a JSON-RPC error instead of a tool result, without a retry.
 * Rarely right: models do not see protocol errors.
 */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
  /** JSON-RPC error code. */
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}
