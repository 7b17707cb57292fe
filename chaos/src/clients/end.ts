import type { WireMessage } from '@longshore/testing/mcp';
import * as z from 'zod';

/** How a task ended, as its client sees it, in either era. */
export type End =
  | {
      readonly kind: 'result';
      readonly structured: Readonly<Record<string, unknown>> | null;
      readonly text: string;
      readonly isError: boolean;
    }
  | { readonly kind: 'error'; readonly code: number; readonly message: string }
  | { readonly kind: 'cancelled' }
  /** Unknown, expired or foreign. */
  | { readonly kind: 'not_found' };

const CallToolResult = z.looseObject({
  content: z.array(z.looseObject({ text: z.string().optional() })),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
  isError: z.boolean().optional(),
});

/** @param result a CallToolResult of either era */
export function endOfResult(result: unknown): End {
  const { content, structuredContent, isError } = CallToolResult.parse(result);
  return {
    kind: 'result',
    structured: structuredContent ?? null,
    text: content.map(({ text = '' }) => text).join('\n'),
    isError: isError ?? false,
  };
}

const ErrorData = z.object({ code: z.string().optional(), retryable: z.boolean().optional() });

export interface RpcError {
  readonly code: number;
  readonly message: string;
  /** The stable code of docs/errors.md; null for errors of tools. */
  readonly name: string | null;
  /** The same request may succeed later. */
  readonly retryable: boolean;
}

export function rpcErrorOf({ code, message, data }: NonNullable<WireMessage['error']>): RpcError {
  const known = ErrorData.safeParse(data);
  return {
    code,
    message,
    name: known.success ? (known.data.code ?? null) : null,
    retryable: known.success && known.data.retryable === true,
  };
}

export function endOfError({ code, message, name }: RpcError): End {
  if (name === 'TASK_CANCELLED') return { kind: 'cancelled' };
  if (name === 'TASK_NOT_FOUND') return { kind: 'not_found' };
  return { kind: 'error', code, message };
}
