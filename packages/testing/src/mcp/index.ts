export { META, ModernClient, type ModernRequest, TASKS } from './modern-client.ts';
export { SseClient } from './sse-client.ts';
export { readAnswer, type WireAnswer, WireClient } from './wire-client.ts';
export {
  parseMessage,
  type ServerEvent,
  serverEvents,
  type WireEvent,
  type WireMessage,
  WireStream,
  wireEvents,
} from './wire-events.ts';
