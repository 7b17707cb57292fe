/** What the items of another batch were for, as their chunks say; for a map that runs some of them again. */
export class NamedTarget {
  readonly toolName: string;
  /** Which of the tool's item functions; null: the tool itself. */
  readonly item: string | null;
  readonly itemAttempts: number;
  readonly itemTimeoutMs: number | null;

  constructor(target: {
    readonly toolName: string;
    readonly item: string | null;
    readonly itemAttempts: number;
    readonly itemTimeoutMs: number | null;
  }) {
    this.toolName = target.toolName;
    this.item = target.item;
    this.itemAttempts = target.itemAttempts;
    this.itemTimeoutMs = target.itemTimeoutMs;
  }
}
