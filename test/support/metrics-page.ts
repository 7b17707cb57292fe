import { readFileSync } from 'node:fs';
import path from 'node:path';

export interface DocumentedMetric {
  readonly name: string;
  readonly type: string;
  readonly processes: readonly string[];
  readonly labels: readonly string[];
}

const ROW = /^\| `(longshore_\w+)` \| (\w+) \| ([^|]*) \| ([^|]*) \|/;

/** What docs/metrics.md says there is. */
export function documentedMetrics(): DocumentedMetric[] {
  const page = path.join(import.meta.dirname, '..', '..', 'docs', 'metrics.md');
  return readFileSync(page, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, name, type = '', processes = '', labels = ''] = ROW.exec(line) ?? [];
      if (name === undefined) return [];
      return [
        {
          name,
          type,
          processes: processes.split(',').map((process) => process.trim()),
          labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label),
        },
      ];
    });
}
