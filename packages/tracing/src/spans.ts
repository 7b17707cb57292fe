import {
  type Attributes,
  type Context,
  context,
  type Link,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import {
  storedContext,
  type TraceContext,
  toSpanContext,
  toTraceContext,
} from './trace-context.ts';

/** Null: nobody traces, and nothing here does more than look at it. */
let tracer: Tracer | null = null;

/** Called by whoever has the SDK; null: no more. */
export function traceWith(made: Tracer | null): void {
  tracer = made;
}

export interface SpanOptions {
  readonly kind?: 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  readonly attributes?: Attributes;
  /** Left out: a part of what is under way; null: of nothing. */
  readonly parent?: TraceContext | null;
  /** What else it goes on with. */
  readonly links?: readonly TraceContext[];
}

const KINDS = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const;

export const isTracing = (): boolean => tracer !== null;

/** A span around `work`, which has failed when that rejects. What `work` begins is a part of it. */
export function traced<T>(name: string, options: SpanOptions, work: () => Promise<T>): Promise<T> {
  return tracer === null ? work() : inSpan(tracer, name, options, work);
}

/** The same for what is only of interest as a part of something, such as a statement. */
export function tracedPart<T>(
  name: string,
  options: SpanOptions,
  work: () => Promise<T>,
): Promise<T> {
  if (tracer === null || trace.getActiveSpan() === undefined) return work();
  return inSpan(tracer, name, options, work);
}

/** `work` as a part of nothing. */
export function untraced<T>(work: () => T): T {
  return tracer === null ? work() : context.with(ROOT_CONTEXT, work);
}

/** A span of what is over. */
export function tracedPast(name: string, options: SpanOptions & { readonly ms: number }): void {
  if (tracer === null) return;
  const now = Date.now();
  const span = begin(tracer, name, options, new Date(now - options.ms));
  span.end(new Date(now));
}

/** Says that what is under way has failed though nothing was thrown. */
export function markFailed(message: string): void {
  if (tracer === null) return;
  trace.getActiveSpan()?.setStatus({ code: SpanStatusCode.ERROR, message });
}

/** Where we are; null: nobody traces, or nothing is under way. */
export function presentTrace(): TraceContext | null {
  if (tracer === null) return null;
  const span = trace.getActiveSpan();
  return span === undefined ? null : toTraceContext(span.spanContext());
}

/** The same as it is kept with a task. */
export function presentStored(): string | null {
  const present = presentTrace();
  return present === null ? null : storedContext(present);
}

async function inSpan<T>(
  by: Tracer,
  name: string,
  options: SpanOptions,
  work: () => Promise<T>,
): Promise<T> {
  const span = begin(by, name, options);
  try {
    return await context.with(trace.setSpan(parentOf(options), span), work);
  } catch (error) {
    // What an error says may be anybody's secret; its class is not.
    const message = error instanceof Error ? error.name : 'not an error';
    span.setStatus({ code: SpanStatusCode.ERROR, message });
    throw error;
  } finally {
    span.end();
  }
}

function begin(by: Tracer, name: string, options: SpanOptions, startTime?: Date): Span {
  const { kind = 'internal', attributes = {}, links = [] } = options;
  const linked = links.flatMap((one): Link[] => {
    const target = toSpanContext(one);
    return target === null ? [] : [{ context: target }];
  });
  const spanOptions = {
    kind: KINDS[kind],
    attributes,
    links: linked,
    ...(startTime === undefined ? {} : { startTime }),
  };
  return by.startSpan(name, spanOptions, parentOf(options));
}

function parentOf({ parent }: SpanOptions): Context {
  if (parent === undefined) return context.active();
  const target = parent === null ? null : toSpanContext(parent);
  return target === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, target);
}
