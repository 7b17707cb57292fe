import type { Request } from 'express';

/** What a POST's Accept header admits. A missing header admits everything (RFC 9110, 12.5.1). */
export interface Accepted {
  readonly json: boolean;
  readonly eventStream: boolean;
}

const BOTH = 'application/json, text/event-stream';

export function accepted(request: Request): Accepted {
  const header = request.headers.accept;
  // What MCP clients send, spared the content negotiation of the general case.
  if (header === undefined || header === '*/*' || header === BOTH) {
    return { json: true, eventStream: true };
  }
  return {
    json: request.accepts('application/json') !== false,
    eventStream: request.accepts('text/event-stream') !== false,
  };
}
