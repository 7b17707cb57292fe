/**
 * What a client said it can do, in one form for both eras: a legacy session says it once at initialize
 * (2025-11-25 basic/lifecycle), a modern request says it each time (2026-07-28 `clientCapabilities`).
 */
export interface ClientAbilities {
  readonly elicitation: { readonly form: boolean; readonly url: boolean };
  readonly sampling: boolean;
  /** `sampling.tools`: messages may carry tools. */
  readonly samplingTools: boolean;
  readonly roots: boolean;
  /** Legacy `tasks.requests`: which questions the client may answer with a task of its own. */
  readonly tasks: { readonly elicitation: boolean; readonly sampling: boolean };
  /** Forms that it can not show reach its user through its model, by the tool job_answer. Said by the server. */
  readonly jobAnswers: boolean;
  /** Modern `extensions["io.modelcontextprotocol/tasks"]`. */
  readonly tasksExtension: boolean;
}

export const NO_ABILITIES: ClientAbilities = {
  elicitation: { form: false, url: false },
  sampling: false,
  samplingTools: false,
  roots: false,
  tasks: { elicitation: false, sampling: false },
  jobAnswers: false,
  tasksExtension: false,
};
