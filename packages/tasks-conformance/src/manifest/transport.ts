import type { Requirement } from './requirement.ts';

/** Streamable HTTP, as far as tasks depend on it. */
export const TRANSPORT = [
  {
    id: 'transport-post-content-type',
    section: 'basic/transports#sending-messages-to-the-server',
    level: 'MUST',
    sentence:
      'If the input is a JSON-RPC request, the server MUST either return Content-Type: text/event-stream, to initiate an SSE stream, or Content-Type: application/json, to return one JSON object.',
    checkable: true,
  },
  {
    id: 'transport-accepted',
    section: 'basic/transports#sending-messages-to-the-server',
    level: 'MUST',
    sentence:
      'If the server accepts the input, the server MUST return HTTP status code 202 Accepted with no body.',
    checkable: true,
    note: 'For notifications and responses. One that is not accepted gets a 4xx, and the session goes on.',
  },
  {
    id: 'transport-stream-ends',
    section: 'basic/transports#sending-messages-to-the-server',
    level: 'SHOULD',
    sentence:
      'After the JSON-RPC response has been sent, the server SHOULD terminate the SSE stream.',
    checkable: true,
    note: 'Checked for tasks/result.',
  },
  {
    id: 'transport-no-broadcast',
    section: 'basic/transports#multiple-connections',
    level: 'MUST',
    sentence:
      'The server MUST send each of its JSON-RPC messages on only one of the connected streams; that is, it MUST NOT broadcast the same message across multiple streams.',
    checkable: true,
    note: 'With two GET streams and two waiting tasks/result. Messages that are equal as JSON are the same.',
  },
  {
    id: 'transport-get-no-response',
    section: 'basic/transports#listening-for-messages-from-the-server',
    level: 'MUST',
    sentence:
      'The server MUST NOT send a JSON-RPC response on the stream unless resuming a stream associated with a previous client request.',
    checkable: true,
  },
  {
    id: 'transport-event-ids-unique',
    section: 'basic/transports#resumability-and-redelivery',
    level: 'MUST',
    sentence:
      'If present, the ID MUST be globally unique across all streams within that session—or all streams with that specific client, if session management is not in use.',
    checkable: true,
  },
  {
    id: 'transport-replay-own-stream',
    section: 'basic/transports#resumability-and-redelivery',
    level: 'MUST',
    sentence:
      'The server MUST NOT replay messages that would have been delivered on a different stream.',
    checkable: true,
    note: 'Two tasks are waited for; the stream of the first is resumed and carries nothing of the second.',
  },
  {
    id: 'transport-get-unrelated',
    section: 'basic/transports#listening-for-messages-from-the-server',
    level: 'SHOULD',
    sentence:
      'These messages SHOULD be unrelated to any concurrently-running JSON-RPC request from the client.',
    checkable: false,
    reason:
      'Messages of a task belong to no request, and the tasks page allows them on any stream.',
  },
] as const satisfies readonly Requirement[];
