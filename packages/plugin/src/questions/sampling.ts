import * as z from 'zod';
import type { ContentBlock } from '../values/content.ts';
import type { JsonRecord } from '../values/json.ts';

/** What a message to or from a model is made of (2025-11-25 client/sampling); `data` is base64. */
export type SamplingContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly data: string; readonly mimeType: string }
  | { readonly type: 'audio'; readonly data: string; readonly mimeType: string }
  | {
      readonly type: 'tool_use';
      readonly id: string;
      readonly name: string;
      readonly input: JsonRecord;
    }
  | {
      readonly type: 'tool_result';
      readonly toolUseId: string;
      readonly content: readonly ContentBlock[];
      readonly structuredContent?: JsonRecord;
      readonly isError?: boolean;
    };

export interface SamplingMessage {
  readonly role: 'user' | 'assistant';
  readonly content: SamplingContent | readonly SamplingContent[];
}

/** A tool the model may use; the tool that samples runs it and samples again with the result. */
export interface SamplingTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonRecord;
}

/** What to ask the client's model. The client may choose another model and fewer tokens. */
export interface SamplingRequest {
  readonly messages: readonly SamplingMessage[];
  /** At most so many tokens in the answer. */
  readonly maxTokens: number;
  readonly systemPrompt?: string;
  readonly modelPreferences?: {
    /** In the order of preference; parts of model names. */
    readonly hints?: readonly { readonly name?: string }[];
    /** Each 0 to 1. */
    readonly costPriority?: number;
    readonly speedPriority?: number;
    readonly intelligencePriority?: number;
  };
  readonly temperature?: number;
  readonly stopSequences?: readonly string[];
  /** Only when `ctx.client.samplingTools`. */
  readonly tools?: readonly SamplingTool[];
  readonly toolChoice?: { readonly mode: 'auto' | 'required' | 'none' };
}

export interface SamplingResult extends SamplingMessage {
  /** Name of the model that answered. */
  readonly model: string;
  /** Such as `endTurn`, `maxTokens`, `stopSequence`, `toolUse`. */
  readonly stopReason?: string;
}

const Block = z.looseObject({
  type: z.enum(['text', 'image', 'audio', 'tool_use', 'tool_result']),
});

const Request = z.looseObject({
  messages: z
    .array(
      z.looseObject({
        role: z.enum(['user', 'assistant']),
        content: z.union([Block, z.array(Block)]),
      }),
    )
    .min(1),
  maxTokens: z.int().min(1),
});

/**
 * Params of sampling/createMessage, checked for what the compiler may not have seen.
 *
 * @throws {TypeError}
 */
export function checkSamplingRequest(request: SamplingRequest): JsonRecord {
  const checked = Request.safeParse(request);
  if (!checked.success) {
    throw new TypeError(
      `sample takes { messages: [{ role, content }], maxTokens, ... }: ${z.prettifyError(checked.error)}`,
    );
  }
  // What is left beside JSON shows when the host stores it.
  return checked.data as JsonRecord;
}
