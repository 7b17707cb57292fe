import type { AnnouncedTool, JsonObject } from '@longshore/core';

const HANDLE: JsonObject = {
  type: 'object',
  description: 'The tool takes longer: the result is job_wait’s to give.',
  properties: {
    job: {
      type: 'object',
      properties: {
        task_id: { type: 'string' },
        tool: { type: 'string' },
        status: { type: 'string' },
      },
      required: ['task_id', 'tool', 'status'],
    },
  },
  required: ['job'],
};

const made = new WeakMap<AnnouncedTool, AnnouncedTool>();

/**
 * The tool with an output schema that its result fits as well as the handle of a job does. Clients refuse
 * structured content that fits no schema, and results without any where there is one.
 */
export function withJobHandle(tool: AnnouncedTool): AnnouncedTool {
  const { outputSchema, taskSupport } = tool;
  if (outputSchema === null || taskSupport === 'forbidden') return tool;
  const known = made.get(tool);
  if (known !== undefined) return known;
  const either = { ...tool, outputSchema: eitherOf(outputSchema) };
  made.set(tool, either);
  return either;
}

/** References of the schema lead from its root: its definitions stay there. */
function eitherOf(schema: JsonObject): JsonObject | null {
  const { $schema, $defs, definitions, ...rest } = schema;
  // To the root itself, which is another one now.
  if (/"\$(ref|dynamicRef)":"#(?!\/(\$defs|definitions)\/)/.test(JSON.stringify(schema)))
    return null;
  return {
    ...($schema === undefined ? {} : { $schema }),
    ...($defs === undefined ? {} : { $defs }),
    ...(definitions === undefined ? {} : { definitions }),
    type: 'object',
    anyOf: [rest, HANDLE],
  };
}
