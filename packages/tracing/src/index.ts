/*
 * Traces. What is traced calls `traced` with what it does; without the SDK (`@longshore/tracing/sdk`) that is a call of the
 * function and nothing else. docs/traces.md has the spans there are.
 */
export {
  isTracing,
  markFailed,
  presentStored,
  presentTrace,
  type SpanOptions,
  traced,
  tracedPart,
  tracedPast,
  untraced,
} from './spans.ts';
export { fromStored, type TraceContext } from './trace-context.ts';
