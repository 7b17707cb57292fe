import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { VARIABLES } from '@longshore/config';
import { parse } from 'yaml';
import * as z from 'zod';

const read = (file: string): string =>
  readFileSync(path.join(import.meta.dirname, '..', file), 'utf8');

const Compose = z.object({
  services: z.record(
    z.string(),
    z.object({
      image: z.string(),
      environment: z.record(z.string(), z.string().nullable()).default({}),
      restart: z.string().optional(),
      healthcheck: z.object({ test: z.array(z.string()) }).optional(),
    }),
  ),
});

const { services } = Compose.parse(parse(read('docker-compose.yml'), { merge: true }));

/** What containers decide themselves: their addresses, paths and servers, and what belongs to clients. */
const OWN = [
  ...['HOST', 'PORT', 'PUBLISHED_ON_LOOPBACK', 'HEALTH_PORT'],
  ...['METRICS_HOST', 'METRICS_PORT', 'METRICS_TOKEN'],
  ...['DATABASE_URL', 'REDIS_URL', 'DATA_DIR', 'PLUGIN_DIRS', 'PLUGINS'],
  ...['LOCAL_TOKEN', 'LONGSHORE_URL', 'LONGSHORE_API_KEY'],
];

describe('docker-compose.yml', () => {
  const ours = Object.entries(services).filter(([, { image }]) => image === 'longshore');

  it('runs api, worker and migrate from our image', () => {
    expect(ours.map(([name]) => name).sort()).toEqual(['api', 'migrate', 'worker']);
  });

  it.each(ours)('hands every variable of the shell or .env to %s', (_name, { environment }) => {
    const passed = Object.keys(VARIABLES).filter((name) => environment[name] === null);
    expect(passed).toEqual(Object.keys(VARIABLES).filter((name) => !OWN.includes(name)));
  });

  it.each(ours)('lets nothing of .env change the places of %s', (_name, { environment }) => {
    expect(environment).toMatchObject({
      HOST: '0.0.0.0',
      PORT: '3000',
      PUBLISHED_ON_LOOPBACK: 'true',
      DATABASE_URL: '',
      DATABASE_URL_FILE: '/run/longshore/postgres/url',
      REDIS_URL: '',
      REDIS_URL_FILE: '/run/longshore/redis/url',
      DATA_DIR: '/data/files',
      METRICS_TOKEN: '',
      METRICS_TOKEN_FILE: '/run/longshore/metrics/token',
    });
  });

  it('loads the folder of own plugins beside what PLUGINS names', () => {
    expect(services['worker']?.environment['PLUGINS']).toBe(`\${PLUGINS:-},/plugins/*`);
  });

  it('knows of every service that stays whether it works', () => {
    const staying = Object.entries(services).filter(([, { restart }]) => restart !== undefined);
    const unknown = staying.filter(
      ([, { restart, healthcheck }]) => restart !== 'no' && healthcheck === undefined,
    );
    expect(unknown.map(([name]) => name)).toEqual([]);
  });
});

describe('docs/deployment.md', () => {
  it('shows the proxy as it is set up', () => {
    expect(read('docs/deployment.md')).toContain(`\`\`\`\n${read('haproxy.cfg')}\`\`\``);
  });
});
