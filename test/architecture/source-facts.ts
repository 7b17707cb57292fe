import { parseSync } from '@swc/core';

/** What the rules look at in a source file. */
export interface SourceFacts {
  /** Module specifiers of imports, re-exports, `import()`, `require()` and types, each once. */
  readonly imports: readonly string[];
  /** It reads the environment of the process. */
  readonly readsEnvironment: boolean;
  /** It calls both `AbortSignal.any` and `AbortSignal.timeout`. */
  readonly joinsTimeouts: boolean;
}

type Node = Readonly<Record<string, unknown>>;

/** By code: several rules look at each file, and parsing it is what takes the time. */
const known = new Map<string, SourceFacts>();

/**
 * Parses TypeScript, so that neither comments nor strings nor line breaks deceive it.
 *
 * @param file its name says whether it may have elements of a page in it (`.tsx`)
 */
export function readSourceFacts(file: string, code: string): SourceFacts {
  const facts = known.get(code) ?? parseFacts(code, file.endsWith('.tsx'));
  known.set(code, facts);
  return facts;
}

function parseFacts(code: string, tsx: boolean): SourceFacts {
  const imports = new Set<string>();
  let readsEnvironment = false;
  const ofAbortSignal = new Set<string>();
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) {
      for (const element of value) visit(element);
      return;
    }
    if (!isNode(value)) return;
    const specifier = specifierOf(value);
    if (specifier !== null) imports.add(specifier);
    readsEnvironment ||= isEnvironmentAccess(value);
    if (value['type'] === 'MemberExpression' && textOf(value['object']) === 'AbortSignal') {
      ofAbortSignal.add(textOf(value['property']) ?? '');
    }
    for (const child of Object.values(value)) visit(child);
  };
  visit(parseSync(code, { syntax: 'typescript', tsx, target: 'es2022' }));
  const joinsTimeouts = ofAbortSignal.has('any') && ofAbortSignal.has('timeout');
  return { imports: [...imports], readsEnvironment, joinsTimeouts };
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null;
}

function field(node: unknown, name: string): unknown {
  return isNode(node) ? node[name] : undefined;
}

function textOf(node: unknown): string | null {
  const value = field(node, 'value');
  return typeof value === 'string' ? value : null;
}

function specifierOf(node: Node): string | null {
  switch (node['type']) {
    case 'ImportDeclaration':
    case 'ExportAllDeclaration':
    case 'ExportNamedDeclaration':
      return textOf(node['source']);
    case 'TsImportType':
      return textOf(node['argument']);
    case 'TsExternalModuleReference':
      return textOf(node['expression']);
    case 'CallExpression': {
      const callee = node['callee'];
      const isImport = field(callee, 'type') === 'Import' || field(callee, 'value') === 'require';
      const [first] = Array.isArray(node['arguments']) ? node['arguments'] : [];
      return isImport ? textOf(field(first, 'expression')) : null;
    }
    default:
      return null;
  }
}

/** `process.env`, `process['env']`, `const { env } = process`, `import { env } from 'node:process'`. */
function isEnvironmentAccess(node: Node): boolean {
  switch (node['type']) {
    case 'MemberExpression': {
      const { property } = node;
      const key = field(property, 'type') === 'Computed' ? field(property, 'expression') : property;
      return textOf(node['object']) === 'process' && textOf(key) === 'env';
    }
    case 'VariableDeclarator':
      return textOf(node['init']) === 'process' && mentions(node['id'], 'env');
    case 'ImportDeclaration':
      return (
        /^(node:)?process$/.test(textOf(node['source']) ?? '') &&
        mentions(node['specifiers'], 'env')
      );
    default:
      return false;
  }
}

function mentions(value: unknown, name: string): boolean {
  if (Array.isArray(value)) return value.some((element) => mentions(element, name));
  return (
    isNode(value) &&
    (value['value'] === name || Object.values(value).some((child) => mentions(child, name)))
  );
}
