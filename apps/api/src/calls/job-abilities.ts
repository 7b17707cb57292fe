import type { ClientAbilities } from '@longshore/core';

/** What can be asked in a call that may become a job: forms also of a client that has none to show. */
export function jobAbilities(abilities: ClientAbilities): ClientAbilities {
  return { ...abilities, jobAnswers: true };
}
