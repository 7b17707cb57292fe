/** Names a file of a task to clients: a `resource_link` content block. */
export interface FileLink {
  readonly type: 'resource_link';
  readonly uri: string;
  readonly name: string;
  readonly mimeType: string;
}

/** Where clients read the file, by `resources/read`. */
export function fileUri(taskId: string, name: string): string {
  return `longshore://tasks/${taskId}/files/${encodeURIComponent(name)}`;
}
