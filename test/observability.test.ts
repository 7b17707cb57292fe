import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { describeWhere } from '@longshore/testing';
import { parse } from 'yaml';
import * as z from 'zod';
import { documentedMetrics } from './support/metrics-page.ts';

const DIRECTORY = path.join(import.meta.dirname, '..', 'deploy', 'observability');
const read = (file: string): string => readFileSync(path.join(DIRECTORY, file), 'utf8');

const Rules = z.strictObject({
  groups: z.array(
    z.strictObject({
      name: z.string(),
      rules: z.array(
        z.strictObject({
          alert: z.string().regex(/^Longshore[A-Za-z]+$/),
          expr: z.string(),
          for: z.string().optional(),
          labels: z.strictObject({ severity: z.enum(['warning', 'critical']) }),
          annotations: z.strictObject({ summary: z.string(), description: z.string() }),
        }),
      ),
    }),
  ),
});

const Board = z.object({
  uid: z.string(),
  templating: z.object({ list: z.array(z.object({ name: z.string(), query: z.string() })) }),
  panels: z.array(
    z.object({
      id: z.number(),
      title: z.string(),
      targets: z.array(z.object({ expr: z.string() })).default([]),
    }),
  ),
});

const rules = Rules.parse(parse(read('rules.yml'))).groups.flatMap((group) => group.rules);
const boards = readdirSync(path.join(DIRECTORY, 'grafana/boards')).map((file) =>
  Board.parse(JSON.parse(read(`grafana/boards/${file}`))),
);

/** What a scrape adds, and histograms have. */
const ADDED = ['job', 'instance', 'le'];

const documented = new Map(
  documentedMetrics().flatMap(({ name, type, labels }) =>
    type === 'histogram'
      ? ['_bucket', '_sum', '_count'].map((part) => [`${name}${part}`, labels] as const)
      : [[name, labels] as const],
  ),
);

/** @returns what an expression has of metrics and labels that docs/metrics.md does not know */
function unknownIn(expression: string): string[] {
  const selectors = [...expression.matchAll(/(longshore_\w+)(?:\{([^}]*)\})?/g)];
  const labels = new Set(selectors.flatMap(([, name = '']) => documented.get(name) ?? []));
  const wrong = selectors.flatMap(([, name = '', matchers = '']) => {
    const own = documented.get(name);
    if (own === undefined) return [name];
    const matched = [...matchers.matchAll(/(\w+)(?:=~|!~|!=|=)/g)].map(([, label = '']) => label);
    return matched.filter((label) => !own.includes(label)).map((label) => `${name}{${label}}`);
  });
  const grouped = [...expression.matchAll(/\b(?:by|on|without|ignoring) \(([^)]*)\)/g)]
    .flatMap(([, list = '']) => list.split(','))
    .map((label) => label.trim())
    .filter((label) => !labels.has(label) && !ADDED.includes(label));
  return [...wrong, ...grouped];
}

describe('deploy/observability', () => {
  it.each(rules.map(({ alert, expr }) => [alert, expr] as const))(
    'alerts %s by metrics that there are',
    (_, expr) => {
      expect(unknownIn(expr)).toEqual([]);
    },
  );

  it('has a board whose panels show metrics that there are', () => {
    const panels = boards.flatMap((board) => board.panels);
    const expressions = panels.flatMap((panel) => panel.targets.map(({ expr }) => expr));
    expect(expressions.length).toBeGreaterThan(20);
    expect(expressions.flatMap(unknownIn)).toEqual([]);
    const choices = boards.flatMap(({ templating }) => templating.list.map(({ query }) => query));
    expect(choices.flatMap(unknownIn)).toEqual([]);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  });

  it('is checked for what is misspelt', () => {
    expect(unknownIn('sum by (tol) (rate(longshore_tasks_acepted_total[1m]))')).toEqual([
      'longshore_tasks_acepted_total',
      'tol',
    ]);
    expect(unknownIn('longshore_tasks_accepted_total{tol="a"}')).toEqual([
      'longshore_tasks_accepted_total{tol}',
    ]);
    expect(unknownIn('longshore_run_seconds{tool="a"}')).toEqual(['longshore_run_seconds']);
  });
});

const hasPromtool = spawnSync('promtool', ['--version']).status === 0;

describeWhere(
  'promtool',
  hasPromtool ? null : "there is no promtool: install Debian's package prometheus",
  () => {
    it.each([[['check', 'rules', 'rules.yml']], [['test', 'rules', 'rules.test.yml']]])(
      '%j',
      (args) => {
        const { status, stdout, stderr } = spawnSync('promtool', args, {
          cwd: DIRECTORY,
          encoding: 'utf8',
        });
        expect({ status, text: status === 0 ? '' : stdout + stderr }).toEqual({
          status: 0,
          text: '',
        });
      },
    );
  },
);
