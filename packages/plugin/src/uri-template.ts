/** Variables of a URI template, by name. */
export type TemplateVariables<Template extends string> = string extends Template
  ? Readonly<Record<string, string>>
  : Readonly<Record<NamesIn<Template>, string>>;

type NamesIn<Template extends string> = Template extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;

/** A mistake in a URI template; the message says which. */
export class UriTemplateError extends Error {
  override readonly name = 'UriTemplateError';
}

const VARIABLE = /\{([^{}]*)\}/g;
const NAME = /^[A-Za-z0-9_]{1,64}$/;
/** What an expanded variable has percent-encoded, and so never in it. */
const OUTSIDE_VARIABLES = /[/?#]/;

/**
 * A URI template of RFC 6570 level 1: `{name}` stands for one or more characters other than `/`, `?` and
 * `#`, percent-encoded where needed.
 */
export class UriTemplate {
  readonly variables: readonly string[];
  readonly #template: string;

  /** @throws {UriTemplateError} no variable, one twice, two without a text between them, other levels */
  constructor(template: string) {
    const names: string[] = [];
    let end = 0;
    for (const match of template.matchAll(VARIABLE)) {
      const name = match[1] ?? '';
      if (!NAME.test(name)) {
        throw new UriTemplateError(
          `{${name}} is no variable of a URI template of level 1: write {name} with letters, digits and '_'`,
        );
      }
      if (names.includes(name)) throw new UriTemplateError(`{${name}} stands in it twice`);
      if (names.length > 0 && match.index === end) {
        throw new UriTemplateError(
          `{${name}} follows another variable without a text between them`,
        );
      }
      names.push(name);
      end = match.index + match[0].length;
    }
    if (names.length === 0) throw new UriTemplateError('it has no {variable}: use uri instead');
    const literal = template.replaceAll(VARIABLE, '');
    if (/[{}]/.test(literal)) throw new UriTemplateError('a brace in it has no partner');
    if (!URL.canParse(template.replaceAll(VARIABLE, 'x'))) {
      throw new UriTemplateError('it makes no absolute URIs, such as notes://{id}');
    }
    this.variables = names;
    this.#template = template;
  }

  /** @returns the variables, decoded; null when the URI does not match */
  match(uri: string): Readonly<Record<string, string>> | null {
    const values = matchUriTemplate(this.#template, uri);
    if (values === null) return null;
    try {
      return Object.fromEntries(
        this.variables.map((name, index) => [name, decodeURIComponent(values[index] ?? '')]),
      );
    } catch {
      // Malformed percent-encoding: no expansion of the template looks like that.
      return null;
    }
  }
}

/**
 * The values that make a URI of a template of RFC 6570 level 1. Where several would, the first variable has
 * the longest.
 *
 * The texts between the variables are looked for from right to left. Taking the last occurrence of each
 * never loses a match, so this takes time in proportion to the URI; a regular expression can be made to
 * try a power of it, and the URI is the client's.
 *
 * @returns as they stand in the URI, in the order of the variables; null: it is no expansion of the template
 */
export function matchUriTemplate(template: string, uri: string): readonly string[] | null {
  const [start = '', ...texts] = template.split(/\{[^{}]*\}/);
  const last = texts.pop();
  if (last === undefined || !uri.startsWith(start) || !uri.endsWith(last)) return null;
  const values: string[] = [];
  let end = uri.length - last.length;
  for (const text of texts.reverse()) {
    // Behind it is a value of one character at least.
    const latest = end - text.length - 1;
    const found = latest < start.length ? -1 : uri.lastIndexOf(text, latest);
    if (found < start.length) return null;
    values.push(uri.slice(found + text.length, end));
    end = found;
  }
  if (end <= start.length) return null;
  values.push(uri.slice(start.length, end));
  return values.some((value) => OUTSIDE_VARIABLES.test(value)) ? null : values.reverse();
}
