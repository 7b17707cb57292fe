import type { JsonObject, JsonValue } from '@longshore/core';

/** A preview is no longer than this part of what a result may be: it is for a model to see what there is. */
const PREVIEW_SHARE = 1 / 4;
/** Of that, at most, for names of files. */
const LINKS_SHARE = 1 / 2;

export interface PreviewOptions {
  readonly taskId: string;
  /** Of the whole result, as JSON in UTF-8. */
  readonly bytes: number;
  /** Largest result that is sent whole, likewise. */
  readonly inlineBytes: number;
  /** The tool has an output schema, and so its structured content is due whole. */
  readonly promisesStructure: boolean;
}

/**
 * What stands for a CallToolResult that is too large: the beginning of its content, a sentence that says so,
 * and a link to the whole.
 *
 * Structured content that an output schema promises stays whole, whatever its size: clients check it, and a
 * part of it would be another statement than the tool's. What no schema promises is left out.
 */
export function preview(result: JsonObject, options: PreviewOptions): JsonObject {
  const { content, structuredContent, ...rest } = result;
  const blocks = Array.isArray(content) ? content : [];
  const keepsStructure = options.promisesStructure && structuredContent !== undefined;
  return {
    ...rest,
    content: [...beginningOf(blocks, options.inlineBytes * PREVIEW_SHARE), ...pointers(options)],
    ...(keepsStructure ? { structuredContent } : {}),
  };
}

/** Blocks that fit, in their order: links first, for they lead to what does not fit; the last text is cut. */
function beginningOf(blocks: readonly JsonValue[], budget: number): JsonValue[] {
  const chosen = new Map<number, JsonValue>();
  let left = budget;
  for (const [index, block] of blocks.entries()) {
    const bytes = jsonBytes(block);
    if (typeOf(block) !== 'resource_link' || bytes > left - budget * (1 - LINKS_SHARE)) continue;
    chosen.set(index, block);
    left -= bytes;
  }
  for (const [index, block] of blocks.entries()) {
    if (typeOf(block) === 'resource_link') continue;
    const shown = fitted(block, left);
    if (shown === null) continue;
    chosen.set(index, shown);
    left -= jsonBytes(shown);
  }
  return [...chosen].sort(([a], [b]) => a - b).map(([, block]) => block);
}

/** The block, its beginning if it is text, or null when nothing of it fits. */
function fitted(block: JsonValue, budget: number): JsonValue | null {
  if (jsonBytes(block) <= budget) return block;
  if (typeof block !== 'object' || block === null || Array.isArray(block)) return null;
  const { text } = block;
  if (block['type'] !== 'text' || typeof text !== 'string') return null;
  const frame = jsonBytes({ ...block, text: '' });
  const beginning = clipped(text, budget - frame);
  return beginning === '' ? null : { ...block, text: beginning };
}

/** As much of the text as has this many bytes in JSON, and no half characters. */
function clipped(text: string, bytes: number): string {
  let length = Math.max(0, Math.min(text.length, Math.floor(bytes)));
  while (length > 0) {
    const isSplit = /[\uD800-\uDBFF]/.test(text.charAt(length - 1));
    const part = text.slice(0, isSplit ? length - 1 : length);
    const size = jsonBytes(part) - 2;
    if (size <= bytes) return part;
    length = Math.min(length - 1, Math.floor((length * bytes) / size));
  }
  return '';
}

function pointers({ taskId, bytes, inlineBytes }: PreviewOptions): JsonValue[] {
  const uri = `longshore://tasks/${taskId}/result`;
  return [
    {
      type: 'text',
      text: `This is the beginning of a result of ${bytes} bytes. The whole of it is JSON at ${uri}: resources/read gives up to ${inlineBytes} bytes at a time, from the byte on that ?offset= says.`,
    },
    { type: 'resource_link', uri, name: 'result.json', mimeType: 'application/json', size: bytes },
  ];
}

function typeOf(block: JsonValue): JsonValue | undefined {
  if (typeof block !== 'object' || block === null || Array.isArray(block)) return undefined;
  return block['type'];
}

function jsonBytes(value: JsonValue): number {
  return Buffer.byteLength(JSON.stringify(value));
}
