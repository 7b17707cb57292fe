import type { ToolRate, ToolStarts } from '@longshore/core';
import { toolStartPrefix } from '../connections/keys.ts';
import { RedisWindows, type RedisWindowsOptions } from './redis-windows.ts';

/** Starts of tools in Redis. What is refused is not counted, so that those who wait use up nothing of a worker with a higher rate. */
export class RedisToolStarts extends RedisWindows implements ToolStarts {
  constructor(options: RedisWindowsOptions) {
    super('starts', options);
  }

  /** @throws {LongshoreError} QUEUE_UNAVAILABLE; a start may have been taken */
  async take(toolName: string, { starts, perMs }: ToolRate): Promise<number> {
    const key = `${toolStartPrefix(this.prefix)}:${toolName}`;
    const [window] = await this.count(new Map([[key, 1]]), perMs, starts);
    if (window === undefined || window.count <= starts) return 0;
    return Math.max(1, window.endsInMs);
  }
}
