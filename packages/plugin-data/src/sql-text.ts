/** A name as SQL writes it, whatever is in it. */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A text as SQL writes it, whatever is in it. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Named parameters of a table function: `a=1, b='x'`. */
export function parameters(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => `, ${name}=${value}`)
    .join('');
}

/** Columns with their types as the `columns` parameter of read_csv and read_json takes them. */
export function columnTypes(
  columns: readonly { readonly name: string; readonly type: string }[],
): string {
  const pairs = columns.map(({ name, type }) => `${literal(name)}: ${literal(type)}`);
  return `{${pairs.join(', ')}}`;
}
