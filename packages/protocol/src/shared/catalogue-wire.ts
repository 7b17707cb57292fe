import type {
  AnnouncedPrompt,
  AnnouncedResource,
  AnnouncedTool,
  JsonObject,
} from '@longshore/core';
import { TOOL_POLICY_META } from './meta-keys.ts';

/** What hosts that show pages are told of a tool (SEP-1865, `McpUiToolMeta`). */
export interface ToolUi {
  /** The page that shows what it answers. */
  readonly resourceUri?: string;
  /** Absent: models and pages may call it. */
  readonly visibility?: readonly ('model' | 'app')[];
}

/** What MCP has no members for, as the `_meta` of a tool. */
function toolMeta(tool: AnnouncedTool, ui: ToolUi | null): { readonly _meta?: JsonObject } {
  const meta = { ...policyMeta(tool), ...(ui === null ? {} : uiMeta(ui)) };
  return Object.keys(meta).length === 0 ? {} : { _meta: meta };
}

function uiMeta({ resourceUri, visibility }: ToolUi): JsonObject {
  return {
    ui: {
      ...(resourceUri === undefined ? {} : { resourceUri }),
      ...(visibility === undefined ? {} : { visibility: [...visibility] }),
    },
    // Some hosts read this one only.
    ...(resourceUri === undefined ? {} : { 'ui/resourceUri': resourceUri }),
  };
}

/** How the runs of a tool are handled, what they cost, its version. Tools that no worker runs have none. */
function policyMeta(tool: AnnouncedTool): JsonObject {
  const { policy, version, deprecated, cost } = tool;
  // The name of no queue.
  if (policy.queue === '') return {};
  const shown: JsonObject = {
    queue: policy.queue,
    timeoutMs: policy.timeoutMs,
    attempts: policy.maxAttempts,
    ...(policy.deadlineMs === null ? {} : { deadlineMs: policy.deadlineMs }),
    ...(policy.concurrency === null ? {} : { concurrency: policy.concurrency }),
    ...(policy.rate === null
      ? {}
      : { rate: { starts: policy.rate.starts, perMs: policy.rate.perMs } }),
    ...(version === null ? {} : { version }),
    ...(deprecated === null ? {} : { deprecated }),
    ...(cost === null ? {} : { cost: costOf(cost) }),
  };
  return { [TOOL_POLICY_META]: shown };
}

/** The description for models, which see nothing else: a deprecated tool says at its end what to use instead. */
export function toolDescription({ description, deprecated }: AnnouncedTool): string {
  return deprecated === null ? description : `${description}\n\nDeprecated: ${deprecated}`;
}

function costOf({ amount, unit, note }: NonNullable<AnnouncedTool['cost']>): JsonObject {
  return {
    ...(amount === undefined ? {} : { amount }),
    unit,
    ...(note === undefined ? {} : { note }),
  };
}

/**
 * A catalogue entry as 2025-11-25 lists it.
 * @param tasks whether the negotiated revision knows tasks; older ones have no `execution` member
 */
export function legacyTool(
  tool: AnnouncedTool,
  tasks: boolean,
  ui: ToolUi | null = null,
): JsonObject {
  return {
    name: tool.name,
    ...(tool.title === null ? {} : { title: tool.title }),
    description: toolDescription(tool),
    inputSchema: tool.inputSchema,
    ...(tool.outputSchema === null ? {} : { outputSchema: tool.outputSchema }),
    ...(tool.annotations === null ? {} : { annotations: tool.annotations }),
    ...(tasks ? { execution: { taskSupport: tool.taskSupport } } : {}),
    ...toolMeta(tool, ui),
  };
}

/** A catalogue entry as 2026-07-28 lists it: whether a call becomes a task is not on this wire. */
export function modernTool(tool: AnnouncedTool, ui: ToolUi | null = null): JsonObject {
  return legacyTool(tool, false, ui);
}

/** A catalogue entry as prompts/list shows it, the same in both eras (2025-11-25 server/prompts). */
export function wirePrompt(prompt: AnnouncedPrompt): JsonObject {
  return {
    name: prompt.name,
    ...(prompt.title === null ? {} : { title: prompt.title }),
    ...(prompt.description === null ? {} : { description: prompt.description }),
    ...(prompt.arguments.length === 0
      ? {}
      : {
          arguments: prompt.arguments.map((argument) => ({
            name: argument.name,
            ...(argument.description === null ? {} : { description: argument.description }),
            required: argument.required,
          })),
        }),
  };
}

/**
 * A catalogue entry as resources/list shows it, or resources/templates/list when its address is a template;
 * the same in both eras (2025-11-25 server/resources).
 */
export function wireResource(resource: AnnouncedResource): JsonObject {
  const { address } = resource;
  return {
    ...(address.kind === 'uri' ? { uri: address.uri } : { uriTemplate: address.template }),
    name: resource.name,
    ...(resource.title === null ? {} : { title: resource.title }),
    ...(resource.description === null ? {} : { description: resource.description }),
    ...(resource.mimeType === null ? {} : { mimeType: resource.mimeType }),
    ...(resource.annotations === null ? {} : { annotations: resource.annotations }),
  };
}
