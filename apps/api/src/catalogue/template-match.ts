const VARIABLE = /\{[^{}]*\}/;
/** What an expanded variable has percent-encoded, and so never in it. */
const OUTSIDE_VARIABLES = /[/?#]/;

/**
 * Whether a URI is an expansion of a template of RFC 6570 level 1, which is what plugins may announce:
 * `{name}` stands for one or more characters other than `/`, `?` and `#`.
 *
 * The texts between the variables are looked for from left to right. Taking the first occurrence of each
 * never loses a match, so this takes time in proportion to the URI; a regular expression can be made to
 * try a power of it, and the URI is the client's.
 */
export function matchesTemplate(template: string, uri: string): boolean {
  const [start = '', ...texts] = template.split(VARIABLE);
  if (!uri.startsWith(start)) return false;
  let at = start.length;
  for (const [index, text] of texts.entries()) {
    const last = index === texts.length - 1;
    if (last && !uri.endsWith(text)) return false;
    const end = last ? uri.length - text.length : uri.indexOf(text, at + 1);
    if (end <= at || OUTSIDE_VARIABLES.test(uri.slice(at, end))) return false;
    at = end + text.length;
  }
  return true;
}
