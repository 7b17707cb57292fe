/** RFC 2119 words, without the negation: MUST stands for MUST NOT as well. */
export type Level = 'MUST' | 'SHOULD' | 'MAY';

/** One sentence of the specification of 2025-11-25, or of its schema. */
export interface Requirement {
  /** Stable: reports and `--only` name it. */
  readonly id: string;
  /** Page and heading, such as `basic/utilities/tasks#task-cancellation`; `schema#task` for the schema. */
  readonly section: string;
  readonly level: Level;
  /** As it stands there, without Markdown emphasis. */
  readonly sentence: string;
  /** Whether a client that sees nothing but the wire can tell. */
  readonly checkable: boolean;
  /** Why not; only where it is not checkable. */
  readonly reason?: string;
  /** What the sentence leaves open, and how it is read here. */
  readonly note?: string;
}
