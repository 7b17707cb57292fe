/** A statement without what may follow its end: inside parentheses that would not parse. */
export function withoutSemicolon(sql: string): string {
  return sql.replace(/;(?:\s|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)*$/, '');
}
