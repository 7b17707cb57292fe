import { isPrompt } from './prompt.ts';
import { isResource } from './resource.ts';
import { isTool } from './tool.ts';

const isOffer = (value: unknown): boolean => isTool(value) || isPrompt(value) || isResource(value);

const REMEDY = 'export const myTool = defineTool({ ... })';

/** Says what is in a module instead of tools, because the usual mistakes are easy to recognise. */
export function explainEmptyModule(module: object): string {
  const entries = Object.entries(module);
  if (entries.length === 0) return `the module exports nothing: write ${REMEDY}`;
  for (const [name, value] of entries) {
    if (Array.isArray(value) && value.some(isOffer)) {
      return `export '${name}' is an array of tools: export each tool by itself, ${REMEDY}`;
    }
    if (typeof value !== 'object' || value === null) continue;
    if (Object.values(value).some(isOffer)) {
      return `export '${name}' is an object of tools: export each tool by itself, ${REMEDY}`;
    }
    const maker = makerFor(value);
    if (maker !== null) return `export '${name}' is a plain object: pass it through ${maker}`;
  }
  const names = entries.map(([name]) => `'${name}'`).join(', ');
  return `no export is a tool, prompt or resource (found ${names}): write ${REMEDY}`;
}

function makerFor(value: object): string | null {
  if ('run' in value && 'input' in value) return `defineTool, ${REMEDY}`;
  if ('run' in value && 'arguments' in value) return 'definePrompt({ name, arguments, run })';
  if ('run' in value && 'description' in value) return `defineTool, ${REMEDY}`;
  if ('read' in value && ('uri' in value || 'uriTemplate' in value)) {
    return 'defineResource({ uri, name, read })';
  }
  for (const part of ['tools', 'prompts', 'resources']) {
    if (typeof Object.getOwnPropertyDescriptor(value, part)?.value === 'function') {
      return `definePlugin({ name, ${part} })`;
    }
  }
  return null;
}

export function kindOfValue(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (value instanceof Promise) return 'a promise';
  return typeof value === 'object' ? 'an object' : typeof value;
}
