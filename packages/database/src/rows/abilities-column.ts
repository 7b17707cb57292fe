import { type ClientAbilities, NO_ABILITIES } from '@longshore/core';
import * as z from 'zod';

/** What a ClientAbilities has that is true, by a short name: `["form","sampling"]`. */
const column = z.array(z.string());

/** As a json column holds it. Most clients can be asked nothing: that is null, which costs no room. */
export function abilitiesText(abilities: ClientAbilities): string | null {
  const { elicitation, sampling, samplingTools, roots, tasks, jobAnswers, tasksExtension } =
    abilities;
  const names = [
    elicitation.form && 'form',
    elicitation.url && 'url',
    sampling && 'sampling',
    samplingTools && 'sampling_tools',
    roots && 'roots',
    tasks.elicitation && 'task_elicitation',
    tasks.sampling && 'task_sampling',
    jobAnswers && 'job_answers',
    tasksExtension && 'tasks_extension',
  ].filter((name) => name !== false);
  return names.length === 0 ? null : JSON.stringify(names);
}

/** A name that another version wrote is an ability this one knows nothing to ask of. */
export const abilitiesColumn = column.nullable().transform((names): ClientAbilities => {
  if (names === null) return NO_ABILITIES;
  const known = new Set(names);
  return {
    elicitation: { form: known.has('form'), url: known.has('url') },
    sampling: known.has('sampling'),
    samplingTools: known.has('sampling_tools'),
    roots: known.has('roots'),
    tasks: { elicitation: known.has('task_elicitation'), sampling: known.has('task_sampling') },
    jobAnswers: known.has('job_answers'),
    tasksExtension: known.has('tasks_extension'),
    ui: false,
  };
});
