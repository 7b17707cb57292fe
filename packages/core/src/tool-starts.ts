import type { ToolRate } from './tool.ts';

/**
 * Starts of tools with a rate, counted over all workers in windows of `perMs`, which begin with the first start
 * after the one before has ended. Workers with other definitions of a tool's rate share its count, and each
 * keeps to its own: what it refuses is not counted.
 */
export interface ToolStarts {
  /**
   * Takes one start. A start whose answer is lost is lost: none is given twice.
   *
   * @returns 0: taken; else milliseconds until the window ends, above 0
   * @throws whatever its server throws when it does not answer; a start may have been taken
   */
  take(toolName: string, rate: ToolRate): Promise<number>;
}
