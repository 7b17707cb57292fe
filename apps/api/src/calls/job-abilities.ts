import { type ClientAbilities, NO_ABILITIES } from '@longshore/core';

/** What can be asked in a call that may become a job: forms also of a client that has none to show. */
export function jobAbilities(abilities: ClientAbilities): ClientAbilities {
  return { ...abilities, jobAnswers: true };
}

/** What can be asked in a call of a schedule, which no client waits for: forms, by `job_answer`. */
export const JOB_ONLY_ABILITIES = jobAbilities(NO_ABILITIES);

/** The same of an operator, whose page shows forms. */
export const OPERATOR_ABILITIES = jobAbilities({
  ...NO_ABILITIES,
  elicitation: { form: true, url: false },
});
