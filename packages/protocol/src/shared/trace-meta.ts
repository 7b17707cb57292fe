import * as z from 'zod';

/** What is no text is no trace: a call does not fail for it. */
const text = z.string().optional().catch(undefined);

/** 2026-07-28 basic/index: members of `_meta` that tell the trace a request is a part of, by W3C Trace Context. */
export const TRACE_META = { traceparent: text, tracestate: text };

/** @returns null: the request is a part of none */
export function traceOf(params: {
  readonly _meta?:
    | { readonly traceparent?: string | undefined; readonly tracestate?: string | undefined }
    | undefined;
}): { readonly traceparent: string; readonly tracestate?: string } | null {
  const { traceparent, tracestate } = params._meta ?? {};
  if (traceparent === undefined) return null;
  return tracestate === undefined ? { traceparent } : { traceparent, tracestate };
}
