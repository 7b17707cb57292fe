/** Hints for whoever shows a content block (2025-11-25 schema, Annotations). */
export interface ContentAnnotations {
  readonly audience?: readonly ('user' | 'assistant')[];
  /** 0 (optional) to 1 (required). */
  readonly priority?: number;
  /** ISO 8601. */
  readonly lastModified?: string;
}

interface Annotated {
  readonly annotations?: ContentAnnotations;
}

/** A resource that travels inside a content block; `blob` is base64. */
export type EmbeddedResource =
  | { readonly uri: string; readonly mimeType?: string; readonly text: string }
  | { readonly uri: string; readonly mimeType?: string; readonly blob: string };

/** Content blocks of tool results and prompt messages (2025-11-25 server/tools, "Tool Result"); `data` is base64. */
export type ContentBlock = Annotated &
  (
    | { readonly type: 'text'; readonly text: string }
    | { readonly type: 'image'; readonly data: string; readonly mimeType: string }
    | { readonly type: 'audio'; readonly data: string; readonly mimeType: string }
    | {
        readonly type: 'resource_link';
        readonly uri: string;
        readonly name: string;
        readonly title?: string;
        readonly description?: string;
        readonly mimeType?: string;
      }
    | { readonly type: 'resource'; readonly resource: EmbeddedResource }
  );

/** What a tool without an output schema may return instead of a string. */
export interface ContentResult {
  readonly content: readonly ContentBlock[];
  /** JSON for programs, beside the content for models; a tool with an output schema has it anyway. */
  readonly structuredContent?: { readonly [key: string]: unknown };
}
