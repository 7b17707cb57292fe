// Tries the compose file for real: brings it up with three workers, runs tasks through it from an MCP client
// while a worker is killed and Postgres and Redis restart, and takes everything down again, volumes included.
// Needs a Docker engine with compose; prints the transcript that docs/deployment.md shows.
import assert from 'node:assert/strict';
import { execSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CallToolResultSchema,
  CancelTaskResultSchema,
  CreateTaskResultSchema,
  GetTaskResultSchema,
} from '@modelcontextprotocol/sdk/types.js';

const root = path.join(import.meta.dirname, '..');
const startedAt = Date.now();
const say = (text) =>
  process.stdout.write(`${((Date.now() - startedAt) / 1000).toFixed(1).padStart(6)} s  ${text}\n`);
const quiet = (command) =>
  execSync(command, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
function run(command) {
  say(`$ ${command}`);
  quiet(command);
}
const sql = (text) => quiet(`docker compose exec -T postgres psql -U longshore -tAc "${text}"`);

mkdirSync(path.join(root, 'data'), { recursive: true });
const rows = Array.from(
  { length: 250_000 },
  (_, n) => `${n},customer-${n % 20_000},${(n % 40) + 1}`,
);
writeFileSync(path.join(root, 'data/orders.csv'), `id,customer,quantity\n${rows.join('\n')}\n`);

/** Some ten seconds of work. */
const LONG = {
  name: 'data_query',
  arguments: {
    files: { o: 'orders.csv' },
    sql: 'SELECT count(*)::BIGINT AS n FROM o a JOIN o b USING (customer) JOIN o c USING (customer) JOIN o d USING (customer) JOIN o e USING (customer) WHERE a.quantity + b.quantity > c.quantity AND e.id % 3 = 0',
  },
};

run('docker compose build');
run('docker compose up -d --wait --scale worker=3');
try {
  await drill();
} finally {
  run('docker compose down -v');
}
say('done');

async function drill() {
  checkConfinement();
  const client = new Client({ name: 'drill', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL('http://127.0.0.1:3000/mcp')));
  const { tools } = await client.listTools();
  say(`tools: ${tools.map((tool) => tool.name).join(', ')}`);

  const expected = await disturb(client, 'nothing happens', () => {});
  await disturb(
    client,
    'its worker is killed',
    (taskId) => {
      const worker = `SELECT host FROM workers JOIN tasks ON claimed_by = workers.id WHERE tasks.id = '${taskId}'`;
      run(`docker kill --signal KILL ${sql(worker)}`);
    },
    expected,
  );
  await disturb(
    client,
    'Postgres restarts',
    () => run('docker compose restart postgres'),
    expected,
  );
  await disturb(client, 'Redis restarts', () => run('docker compose restart redis'), expected);

  const taskId = await submit(client);
  await until(
    client,
    taskId,
    () => sql(`SELECT attempt FROM tasks WHERE id = '${taskId}'`) === '1',
  );
  const cancelled = await client.request(
    { method: 'tasks/cancel', params: { taskId } },
    CancelTaskResultSchema,
  );
  say(`cancelled a running task: ${cancelled.status}`);
  await client.close();
}

/** That no container may more than the file says, and that nobody gets in with a password that can be guessed. */
function checkConfinement() {
  const ids = quiet('docker compose ps -aq').split('\n').join(' ');
  for (const { Name, HostConfig, Config } of JSON.parse(quiet(`docker inspect ${ids}`))) {
    const { CapDrop, SecurityOpt, ReadonlyRootfs, Memory } = HostConfig;
    const isConfined =
      CapDrop?.includes('ALL') && SecurityOpt?.includes('no-new-privileges:true') && ReadonlyRootfs;
    assert.ok(isConfined && Memory > 0, `${Name} is not confined`);
    assert.doesNotMatch(
      Config.Env.join('\n'),
      /[a-z]:[^/@\s]+@/,
      `${Name} has a password in its environment`,
    );
  }
  // Over the network of the containers: on its own loopback Postgres trusts whoever is in its container.
  const guess = 'psql -h postgres -U longshore -c "SELECT 1"';
  assert.throws(
    () => quiet(`docker compose exec -T -e PGPASSWORD=longshore postgres ${guess}`),
    /password authentication failed/,
  );
  assert.match(quiet('docker compose exec -T redis sh -c "redis-cli ping || true"'), /NOAUTH/);
  say('every container is confined; Postgres and Redis refuse who has no password of theirs');
}

/** Runs the long task, disturbs it when it runs, and waits for its result. */
async function disturb(client, what, disturbance, expected) {
  const taskId = await submit(client);
  await until(
    client,
    taskId,
    () => sql(`SELECT attempt FROM tasks WHERE id = '${taskId}'`) === '1',
  );
  disturbance(taskId);
  const task = await until(
    client,
    taskId,
    ({ status }) => status !== 'working' && status !== 'input_required',
  );
  const result = await client.request(
    { method: 'tasks/result', params: { taskId } },
    CallToolResultSchema,
  );
  const n = result.structuredContent?.rows?.[0]?.[0];
  const history = sql(
    `SELECT string_agg(kind || coalesce(' ' || attempt, ''), ', ' ORDER BY id) FROM task_events WHERE task_id = '${taskId}'`,
  );
  say(`${what}: ${task.status}, n = ${n}; ${history}`);
  assert.equal(task.status, 'completed');
  if (expected !== undefined) assert.equal(n, expected);
  return n;
}

async function submit(client) {
  const request = { method: 'tools/call', params: { ...LONG, task: { ttl: 600_000 } } };
  const { task } = await client.request(request, CreateTaskResultSchema);
  return task.taskId;
}

/** Polls, as a client does that takes a 503 for "try again". */
async function until(client, taskId, condition) {
  for (let tries = 0; tries < 600; tries += 1) {
    try {
      const task = await client.request(
        { method: 'tasks/get', params: { taskId } },
        GetTaskResultSchema,
      );
      if (condition(task)) return task;
    } catch (error) {
      if (!String(error).includes('retryable')) throw error;
      say('the API says: try again');
    }
    await delay(500);
  }
  throw new Error('the task does not end');
}
