import * as z from 'zod';
import { UI_EXTENSION, UI_MIME_TYPE } from './ui-extension.ts';

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
  /** It shows pages of servers: `extensions["io.modelcontextprotocol/ui"]` of either era. Nothing that a row is asked for. */
  readonly ui: boolean;
}

export const NO_ABILITIES: ClientAbilities = {
  elicitation: { form: false, url: false },
  sampling: false,
  samplingTools: false,
  roots: false,
  tasks: { elicitation: false, sampling: false },
  jobAnswers: false,
  tasksExtension: false,
  ui: false,
};

/** A capability is declared by an object; what is in it nobody asks for. */
const declared = z.object({}).optional().catch(undefined);

/** Of the kinds of pages the one that there is. */
const pages = z
  .object({ mimeTypes: z.array(z.unknown()) })
  .transform(({ mimeTypes }) => ({
    mimeTypes: mimeTypes.includes(UI_MIME_TYPE) ? [UI_MIME_TYPE] : [],
  }))
  .optional()
  .catch(undefined);

/**
 * Of the capabilities that a client declares at initialize those that this server ever asks for, in the form of
 * the protocol: the rest, of whatever size, is dropped. Junk counts as absent.
 */
export const DeclaredCapabilities = z.object({
  elicitation: z.object({ form: declared, url: declared }).optional().catch(undefined),
  sampling: z.object({ tools: declared }).optional().catch(undefined),
  roots: declared,
  tasks: z
    .object({
      requests: z
        .object({
          elicitation: z.object({ create: declared }).optional().catch(undefined),
          sampling: z.object({ createMessage: declared }).optional().catch(undefined),
        })
        .optional()
        .catch(undefined),
    })
    .optional()
    .catch(undefined),
  extensions: z
    .object({ [UI_EXTENSION]: pages })
    .optional()
    .catch(undefined),
});
export type DeclaredCapabilities = z.output<typeof DeclaredCapabilities>;
