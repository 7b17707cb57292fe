import * as z from 'zod';
import { show } from './checks/definition-checks.ts';

/** What of elsewhere a card may use; nothing unless said. Each is an origin such as `https://tiles.example.com`. */
export interface CardCsp {
  /** For `fetch` and WebSockets: also `wss://`. */
  readonly connectDomains?: readonly string[];
  /** For images, fonts, styles, media, and for scripts, which then act as the card. */
  readonly resourceDomains?: readonly string[];
  readonly frameDomains?: readonly string[];
  readonly baseUriDomains?: readonly string[];
}

/** A page that hosts show beside what a tool answers (MCP Apps). */
export type ToolUi = {
  readonly csp?: CardCsp;
} & (
  | {
      /** The whole document. */
      readonly html: string;
      readonly file?: never;
    }
  | {
      /** Where it is: `new URL('./card.html', import.meta.url)`, inside of the plugin's folder. Read when a worker loads the plugin. */
      readonly file: URL;
      readonly html?: never;
    }
);

/** Hosts read no larger ones. */
export const MAX_CARD_BYTES = 1_048_576;

const MAX_ORIGINS = 32;

/** No path, no wildcard but for the first label, and nothing that could end a directive of a policy. */
const ORIGIN = /^https:\/\/(\*\.(?=[^.]+\.))?[a-z0-9-]+(\.[a-z0-9-]+)*(:\d{1,5})?$/;

const origins = (schemes: RegExp, example: string) =>
  z
    .array(
      z
        .string({ error: (issue) => `must be an origin, not ${show(issue.input)}` })
        .refine((origin) => ORIGIN.test(origin.replace(schemes, 'https:')), {
          error: (issue) => `must be an origin such as '${example}', not ${show(issue.input)}`,
        }),
      { error: `must be a list of origins such as '${example}'` },
    )
    .max(MAX_ORIGINS, { error: `must be at most ${MAX_ORIGINS}` })
    .optional();

const EXAMPLE = 'https://tiles.example.com';

export const toolUi = z
  .strictObject({
    html: z
      .string({ error: 'must be a text: the whole HTML document' })
      .superRefine((html, { addIssue }) => {
        const problem = cardProblem(html);
        if (problem !== null) addIssue(problem);
      })
      .optional(),
    file: z
      .instanceof(URL, {
        error: (issue) =>
          `must be a URL, new URL('./card.html', import.meta.url), not ${show(issue.input)}`,
      })
      .refine(({ protocol }) => protocol === 'file:', {
        error: (issue) => `must be the URL of a file, not ${show(issue.input)}`,
      })
      .optional(),
    csp: z
      .strictObject({
        connectDomains: origins(/^wss:/, EXAMPLE),
        resourceDomains: origins(/^$/, EXAMPLE),
        frameDomains: origins(/^$/, EXAMPLE),
        baseUriDomains: origins(/^$/, EXAMPLE),
      })
      .optional(),
  })
  .refine(({ html, file }) => (html === undefined) !== (file === undefined), {
    error: "must have either html or file, new URL('./card.html', import.meta.url)",
  })
  .optional();

/** What hosts would not show of a document; null: nothing. */
export function cardProblem(html: string): string | null {
  const bytes = Buffer.byteLength(html);
  if (bytes > MAX_CARD_BYTES)
    return `has ${bytes} bytes: hosts read at most ${MAX_CARD_BYTES}, leave out what it can ask for`;
  if (!/^\uFEFF?\s*<!doctype html\b/i.test(html))
    return "is no whole HTML document: begin it with '<!doctype html>'";
  if (html.includes('\0')) return 'has a NUL character, which HTML does not allow';
  return null;
}
