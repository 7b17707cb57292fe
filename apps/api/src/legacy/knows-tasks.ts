import type { Session } from '@longshore/core';
import { speaksTasks } from '@longshore/protocol';

/**
 * Whether a legacy client says that it knows tasks. Clients need not say it to make tasks of their calls;
 * those that say nothing are taken for hosts that wait for results.
 */
export function knowsTasks(session: Session): boolean {
  return speaksTasks(session.protocolVersion) && session.clientCapabilities.tasks !== undefined;
}
