import path from 'node:path';
import { type SourceFile, workspaceOf } from './import-rules.ts';
import { readSourceFacts } from './source-facts.ts';

/**
 * The floors of a house, the ground first: a folder of src imports from lower floors only, and folders on
 * one floor know nothing of each other. `.` are the files in src itself. A folder that is not listed
 * belongs to the one above it. Workspaces without floors have files of one folder, or too few to need any.
 */
export const FLOORS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'apps/cli': [
    ['processes', 'wire'],
    ['database'],
    ['engine', 'keys'],
    ['client', 'start', 'stdio'],
    ['doctor', 'operator', 'plugin'],
    ['program'],
    ['.'],
  ],
  'apps/api': [
    ['tasks'],
    ['edge'],
    ['sessions'],
    ['catalogue', 'inputs'],
    ['watch'],
    ['contents'],
    ['calls'],
    ['schedules', 'webhooks'],
    ['job-tools'],
    ['cards'],
    ['methods', 'operator'],
    ['legacy', 'modern'],
    ['.'],
  ],
  'apps/dashboard': [['state'], ['api', 'card'], ['parts'], ['pages'], ['.']],
  'packages/plugin': [
    ['checks', 'values'],
    ['batch', 'questions', 'task-files'],
    ['.'],
    ['files', 'process', 'testing'],
  ],
  'apps/worker': [
    ['json'],
    ['plugins', 'run'],
    ['check', 'requests', 'results'],
    ['files', 'inputs', 'threads'],
    ['batch'],
    ['attempts', 'batch-tool'],
    ['services'],
    ['.'],
  ],
  'packages/protocol': [['shared'], ['legacy'], ['modern'], ['.']],
  'packages/database': [
    ['generated', 'migrator'],
    ['connection', 'rows'],
    ['statements'],
    ['grouping'],
    ['stores'],
    ['.'],
  ],
  'packages/tasks-conformance': [
    ['manifest'],
    ['wire'],
    ['tasks'],
    ['scene'],
    ['checks'],
    ['run'],
    ['command'],
    ['.'],
  ],
  'packages/queue': [['connections'], ['bus', 'jobs', 'limits', 'maintenance'], ['.']],
};

/** @returns one sentence for each import that goes up, or across */
export function stairsUp(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ file, code }) => {
    const floors = FLOORS[workspaceOf(file)];
    if (floors === undefined) return [];
    const folder = folderOf(file, floors);
    const floor = floorOf(folder, floors);
    if (floor === -1) return [`${file} is on no floor of test/architecture/floors.ts`];
    return neighboursOf(file, code).flatMap((target) => {
      const other = folderOf(target, floors);
      if (other === folder || floorOf(other, floors) < floor) return [];
      return [`${file} imports ${target}: ${other} is not below ${folder}`];
    });
  });
}

/** @returns the circles of files that import each other, types included; each as its files in order of names */
export function circlesOf(files: readonly SourceFile[]): string[][] {
  const arrows = new Map(files.map(({ file, code }) => [file, neighboursOf(file, code)]));
  const reach = new Map([...arrows.keys()].map((file) => [file, reachableFrom(file, arrows)]));
  const circles = [...reach].flatMap(([file, reached]) => {
    if (!reached.has(file)) return [];
    return [[...reached].filter((other) => reach.get(other)?.has(file)).sort()];
  });
  return circles.filter(
    ([first], index) => circles.findIndex(([other]) => other === first) === index,
  );
}

function reachableFrom(start: string, arrows: ReadonlyMap<string, readonly string[]>): Set<string> {
  const reached = new Set<string>();
  const open = [start];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    for (const target of arrows.get(file) ?? []) {
      if (!reached.has(target)) open.push(target);
      reached.add(target);
    }
  }
  return reached;
}

/** Files of the same workspace that a file imports, by their paths from the root of the repository. */
function neighboursOf(file: string, code: string): string[] {
  return readSourceFacts(file, code)
    .imports.filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => path.posix.join(path.posix.dirname(file), specifier));
}

function folderOf(file: string, floors: readonly (readonly string[])[]): string {
  const inside = path.posix.dirname(path.posix.relative(`${workspaceOf(file)}/src`, file));
  const listed = floors.flat().filter((name) => inside === name || inside.startsWith(`${name}/`));
  return listed.sort((a, b) => b.length - a.length)[0] ?? inside;
}

function floorOf(folder: string, floors: readonly (readonly string[])[]): number {
  return floors.findIndex((floor) => floor.includes(folder));
}
