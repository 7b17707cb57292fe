import { callExample } from './call-example.ts';
import type { ClientContext } from './client-context.ts';
import { fittingTable } from './table.ts';
import { listTools, requireTool, type Tool } from './tools.ts';

type Json = Readonly<Record<string, unknown>>;

/** Columns of prose where no terminal says how many it has. */
const WIDTH = 80;

/** `tools list`. @returns the exit code */
export async function listToolsCommand(context: ClientContext): Promise<number> {
  const { print, isJson, columns, again } = context;
  const tools = await listTools(context);
  if (isJson) print(JSON.stringify(tools, null, 2));
  else if (tools.length === 0) print('there are no tools: see "longshore doctor"');
  else {
    const rows = tools.map(({ name, title, description }) => [
      name,
      firstSentence(description ?? title ?? ''),
    ]);
    print(fittingTable([['TOOL', 'DOES'], ...rows], columns));
    print(`\nWhat one takes: ${again('tools show NAME')}`);
  }
  return 0;
}

/** `tools show TOOL`, `call TOOL --help`. @returns the exit code */
export async function showToolCommand(context: ClientContext, name: string): Promise<number> {
  const { print, isJson, columns } = context;
  const tool = await requireTool(context, name);
  print(isJson ? JSON.stringify(tool, null, 2) : describeTool(tool, columns ?? WIDTH));
  return 0;
}

export function describeTool(tool: Tool, width: number): string {
  const { name, title, description = '', inputSchema } = tool;
  const args = argumentsOfSchema(inputSchema);
  return [
    title === undefined ? name : `${name}: ${title}`,
    '',
    ...wrapped(description, width, ''),
    '',
    args.length === 0 ? 'It takes no arguments.' : 'Arguments:',
    ...args.flatMap(({ head, about }) => [`  ${head}`, ...wrapped(about, width, '      ')]),
    '',
    'Example:',
    `  ${callExample(tool)}`,
  ].join('\n');
}

/** `path  text, required` and what it is for. */
function argumentsOfSchema(schema: Json): { readonly head: string; readonly about: string }[] {
  const properties = Object.entries(objectOf(schema['properties']));
  const needed = new Set(Array.isArray(schema['required']) ? schema['required'] : []);
  const longest = Math.max(0, ...properties.map(([name]) => name.length));
  return properties.map(([name, value]) => {
    const property = objectOf(value);
    const { default: fallback, description } = property;
    const rest = [
      typeOf(property),
      ...(needed.has(name) ? ['required'] : []),
      ...(fallback === undefined ? [] : [`${JSON.stringify(fallback)} unless said`]),
      ...rangeOf(property),
    ];
    return {
      head: `${name.padEnd(longest)}  ${rest.join(', ')}`,
      about: typeof description === 'string' ? description : '',
    };
  });
}

function typeOf(property: Json): string {
  const { enum: values, anyOf, oneOf, type, items } = property;
  if ('const' in property) return JSON.stringify(property['const']);
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ');
  const either = anyOf ?? oneOf;
  if (Array.isArray(either)) return either.map((one) => typeOf(objectOf(one))).join(' | ');
  if (type === 'array') return `list of ${typeOf(objectOf(items))}`;
  if (type === 'string') return 'text';
  if (Array.isArray(type)) return type.join(' | ');
  return typeof type === 'string' ? type : 'anything';
}

function rangeOf({ minimum, maximum }: Json): string[] {
  // What zod writes for any whole number says nothing.
  const isBound = (value: unknown): value is number =>
    typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER;
  return [
    ...(isBound(minimum) ? [`${minimum} at least`] : []),
    ...(isBound(maximum) ? [`${maximum} at most`] : []),
  ];
}

function firstSentence(text: string): string {
  const [first = ''] = text.trim().split('\n');
  return /^(.*?[.!?])(?:\s|$)/.exec(first)?.[1] ?? first;
}

function wrapped(text: string, width: number, indent: string): string[] {
  return text.split('\n').flatMap((paragraph) => {
    const lines: string[] = [];
    let line = '';
    for (const word of paragraph.split(/\s+/).filter((part) => part !== '')) {
      if (line !== '' && indent.length + line.length + word.length + 1 > width) {
        lines.push(`${indent}${line}`);
        line = word;
      } else line = line === '' ? word : `${line} ${word}`;
    }
    return line === '' ? lines : [...lines, `${indent}${line}`];
  });
}

function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}
