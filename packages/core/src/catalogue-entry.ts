import type { JsonObject } from './json.ts';
import type { AnnouncedTool } from './tool.ts';

/** How short requests (prompts, resources, completions) are run. */
export interface RequestPolicy {
  readonly queue: string;
  /** Longest run, in milliseconds. */
  readonly timeoutMs: number;
}

interface Announced {
  readonly name: string;
  readonly title: string | null;
  readonly description: string | null;
  readonly policy: RequestPolicy;
  /** The plugin's package name and version, for operators. */
  readonly plugin: string;
  readonly pluginVersion: string;
}

export interface AnnouncedPromptArgument {
  readonly name: string;
  readonly description: string | null;
  readonly required: boolean;
}

/** A prompt as a worker announces it (2025-11-25 server/prompts). */
export interface AnnouncedPrompt extends Announced {
  readonly arguments: readonly AnnouncedPromptArgument[];
  /** Names of the arguments that offer completions. */
  readonly completes: readonly string[];
}

/** A resource, or a template of resources, as a worker announces it (2025-11-25 server/resources). */
export interface AnnouncedResource extends Announced {
  /** `uri`: one resource of this URI. `template`: all that match this RFC 6570 URI template. */
  readonly address:
    | { readonly kind: 'uri'; readonly uri: string }
    | { readonly kind: 'template'; readonly template: string };
  readonly mimeType: string | null;
  /** MCP Annotations, as the author gave them. */
  readonly annotations: JsonObject | null;
  /** Template variables that offer completions. */
  readonly completes: readonly string[];
}

/** A page of a plugin's, which hosts show beside what a tool answers (MCP Apps). It never changes: its URI follows from what is in it. */
export interface PluginCard {
  readonly uri: string;
  readonly html: string;
  /** `_meta.ui.csp` of the page: origins by kind. */
  readonly csp: JsonObject;
}

/** Everything that live workers offer. */
export interface CatalogueSnapshot {
  readonly tools: readonly AnnouncedTool[];
  readonly prompts: readonly AnnouncedPrompt[];
  readonly resources: readonly AnnouncedResource[];
}
