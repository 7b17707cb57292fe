import type { RequirementId } from '../manifest/requirements.ts';
import type { Scene } from './scene.ts';
import type { ToolRoleName } from './tool-roles.ts';

/** A small function that sees one requirement kept or broken. */
export interface Check {
  /** The requirement's id, or that id with a part after a slash where it has several checks. */
  readonly id: string;
  readonly verifies: RequirementId;
  /** Tools without which it is skipped. */
  readonly needs: readonly ToolRoleName[];
  /** Optional operations without which it is skipped. */
  readonly operations?: readonly ('list' | 'cancel')[];
  /** It says something about servers without tasks, too. */
  readonly withoutTasks?: true;
  /**
   * Resolves when the requirement is kept.
   * @throws {Violation} when it, or another one it builds on, is broken
   * @throws {Skipped} when the server gives nothing to check
   */
  readonly run: (scene: Scene) => Promise<void>;
}
