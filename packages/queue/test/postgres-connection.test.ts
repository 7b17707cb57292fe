import { expect, it } from '@jest/globals';
import { postgresConfig } from '../src/connections/postgres-connection.ts';

it('joins the options of the URL with ours, so that neither replaces the other', () => {
  const url = 'postgresql://u:p@h:5/db?options=-c%20work_mem%3D8MB&sslmode=require';
  const config = postgresConfig(url, 'name', 1_000, { search_path: 'bullmq' });
  expect(config).toMatchObject({
    connectionString: 'postgresql://u:p@h:5/db?sslmode=require',
    options: '-c work_mem=8MB -c search_path=bullmq',
    query_timeout: 1_000,
    connectionTimeoutMillis: 1_000,
  });
});

it('says nothing about options when there are none', () => {
  expect(postgresConfig('postgresql://h/db', 'name', 1_000)).not.toHaveProperty('options');
});
