type Schema = Readonly<Record<string, unknown>>;

/** How a tool is called from a shell, with something for each argument that it needs. */
export function callExample({
  name,
  inputSchema,
}: {
  readonly name: string;
  readonly inputSchema: Schema | null;
}): string {
  const required: unknown = inputSchema?.['required'];
  const properties = objectOf(inputSchema?.['properties']);
  const pairs = (Array.isArray(required) ? required : []).map(
    (argument) =>
      ` --arg ${quoted(`${argument}=${sample(objectOf(properties[String(argument)]))}`)}`,
  );
  return `longshore call ${name}${pairs.join('')}`;
}

function sample(schema: Schema): string {
  for (const member of ['examples', 'enum']) {
    const values: unknown = schema[member];
    if (Array.isArray(values) && values.length > 0) return text(values[0]);
  }
  for (const member of ['const', 'default']) if (member in schema) return text(schema[member]);
  switch (schema['type']) {
    case 'integer':
    case 'number':
      return String(typeof schema['minimum'] === 'number' ? Math.max(schema['minimum'], 1) : 1);
    case 'boolean':
      return 'true';
    case 'array':
      return '[]';
    case 'object':
      return '{}';
    default:
      return '...';
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** As a shell takes it for one word. */
export function quoted(word: string): string {
  return /^[\w./=:-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

function objectOf(value: unknown): Schema {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
