import type { JsonValue, Outcome, TaskFile } from '@longshore/core';
import { fileUri } from '@longshore/plugin/host';

/** Adds a link to each file of the task that the result does not name itself. */
export function withFileLinks(
  outcome: Outcome,
  taskId: string,
  files: readonly TaskFile[],
): Outcome {
  if (outcome.kind === 'error' || files.length === 0) return outcome;
  const { content } = outcome.result;
  const blocks = Array.isArray(content) ? content : [];
  const named = new Set(blocks.map(uriOf));
  const links = files
    .map(({ name, mimeType, size }) => ({
      type: 'resource_link',
      uri: fileUri(taskId, name),
      name,
      mimeType,
      size,
    }))
    .filter(({ uri }) => !named.has(uri));
  return { ...outcome, result: { ...outcome.result, content: [...blocks, ...links] } };
}

function uriOf(block: JsonValue): JsonValue | undefined {
  if (typeof block !== 'object' || block === null || Array.isArray(block)) return undefined;
  return block['uri'];
}
