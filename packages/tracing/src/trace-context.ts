import { createTraceState, isSpanContextValid, type SpanContext } from '@opentelemetry/api';

/**
 * Where a span is, for another process.
 * @see https://www.w3.org/TR/trace-context/
 */
export interface TraceContext {
  readonly traceparent: string;
  readonly tracestate?: string;
}

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-|$)/;
/** As much as others have to pass on. */
const MOST_STATE = 512;

export function toTraceContext({
  traceId,
  spanId,
  traceFlags,
  traceState,
}: SpanContext): TraceContext {
  const flags = (traceFlags & 0xff).toString(16).padStart(2, '0');
  const tracestate = traceState?.serialize() ?? '';
  return {
    traceparent: `00-${traceId}-${spanId}-${flags}`,
    ...(tracestate === '' || tracestate.length > MOST_STATE ? {} : { tracestate }),
  };
}

/** @returns null for what is none: a trace that can not be gone on with is not gone on with */
export function toSpanContext({ traceparent, tracestate }: TraceContext): SpanContext | null {
  const [, traceId = '', spanId = '', flags = ''] = TRACEPARENT.exec(traceparent) ?? [];
  const found: SpanContext = {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16),
    isRemote: true,
    ...(tracestate === undefined || tracestate.length > MOST_STATE
      ? {}
      : { traceState: createTraceState(tracestate) }),
  };
  return isSpanContextValid(found) ? found : null;
}

/** One text, for a column. */
export const storedContext = ({ traceparent, tracestate }: TraceContext): string =>
  tracestate === undefined ? traceparent : `${traceparent} ${tracestate}`;

export function fromStored(text: string): TraceContext {
  const [traceparent = '', ...rest] = text.split(' ');
  return rest.length === 0 ? { traceparent } : { traceparent, tracestate: rest.join(' ') };
}
