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

/**
 * A URI template of RFC 6570 level 1: `{name}` stands for one or more characters other than `/`, `?` and
 * `#`, percent-encoded where needed.
 */
export class UriTemplate {
  readonly variables: readonly string[];
  readonly #pattern: RegExp;

  /** @throws {UriTemplateError} no variable, one twice, two without a text between them, other levels */
  constructor(template: string) {
    const names: string[] = [];
    let pattern = '';
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
      pattern += `${escaped(template.slice(end, match.index))}([^/?#]+)`;
      names.push(name);
      end = match.index + match[0].length;
    }
    const rest = template.slice(end);
    if (names.length === 0) throw new UriTemplateError('it has no {variable}: use uri instead');
    const literal = template.replaceAll(VARIABLE, '');
    if (/[{}]/.test(literal)) throw new UriTemplateError('a brace in it has no partner');
    if (!URL.canParse(template.replaceAll(VARIABLE, 'x'))) {
      throw new UriTemplateError('it makes no absolute URIs, such as notes://{id}');
    }
    this.variables = names;
    this.#pattern = new RegExp(`^${pattern}${escaped(rest)}$`);
  }

  /** @returns the variables, decoded; null when the URI does not match */
  match(uri: string): Readonly<Record<string, string>> | null {
    const match = this.#pattern.exec(uri);
    if (match === null) return null;
    try {
      return Object.fromEntries(
        this.variables.map((name, index) => [name, decodeURIComponent(match[index + 1] ?? '')]),
      );
    } catch {
      // Malformed percent-encoding: no expansion of the template looks like that.
      return null;
    }
  }
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
