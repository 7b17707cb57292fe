import type { ClientAbilities, Session } from '@longshore/core';
import { parseClientAbilities, speaksTasks } from '@longshore/protocol';

const parsed = new WeakMap<Session, ClientAbilities>();

/** What a session's client declared at initialize, without what its revision does not know. */
export function legacyAbilities(session: Session): ClientAbilities {
  const known = parsed.get(session);
  if (known !== undefined) return known;
  const declared = parseClientAbilities(session.clientCapabilities);
  const abilities: ClientAbilities = {
    ...declared,
    tasksExtension: false,
    // Pages, tools in samples and tasks of clients came with the revision that has tasks.
    ...(speaksTasks(session.protocolVersion)
      ? {}
      : {
          elicitation: { ...declared.elicitation, url: false },
          samplingTools: false,
          tasks: { elicitation: false, sampling: false },
        }),
  };
  parsed.set(session, abilities);
  return abilities;
}

/**
 * Whether a legacy client says that it knows tasks. Clients need not say it to make tasks of their calls;
 * those that say nothing are taken for hosts that wait for results.
 */
export function knowsTasks(session: Session): boolean {
  return speaksTasks(session.protocolVersion) && session.clientCapabilities.tasks !== undefined;
}
