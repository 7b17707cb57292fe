// Tries the compose file for real, as docs/deployment.md says to use it: with keys, two APIs behind the proxy, three
// workers and a plugin of its own. Runs tasks from an MCP client while a worker and an API are killed and Postgres and
// Redis restart, starts workers that can not work, and takes everything down again, volumes included.
// Needs a Docker engine with compose and no `.env`, which it writes; prints the transcript that the page shows.
import assert from 'node:assert/strict';
import { execSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
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
// Containers and volumes of its own: what is up beside it is left alone.
process.env.COMPOSE_PROJECT_NAME = 'longshore-drill';
const PORT = 3100;
const ENDPOINT = `http://127.0.0.1:${PORT}/mcp`;
const UP = 'docker compose up -d --wait --wait-timeout 180 --scale api=2 --scale worker=3';

const FILES = {
  '.env': `AUTH=api-key\nALLOWED_HOSTS=localhost,127.0.0.1,jobs.example.com\nPORT=${PORT}\nWORKER_CONCURRENCY=4\nLOG_LEVEL=debug\n`,
  'plugins/.env': 'DRILL_KEY=from plugins/.env\n',
  'plugins/drill.ts': `
import { setTimeout as sleep } from 'node:timers/promises';
import { defineTool, z } from '@longshore/plugin';

export const count = defineTool({
  name: 'drill_count',
  description: 'Counts, two numbers a second.',
  input: z.object({ to: z.int() }),
  output: z.object({ counted: z.int(), key: z.string() }),
  task: { attempts: 3 },
  async run({ to }, ctx) {
    for (let step = 1; step <= to; step += 1) {
      await sleep(500, undefined, { signal: ctx.signal });
      ctx.progress(step, to);
    }
    return { counted: to, key: process.env['DRILL_KEY'] ?? 'none' };
  },
});
`,
  'data/drill.csv': 'id,quantity\n1,40\n2,2\n',
};
const BROKEN = 'plugins/drill-broken.js';

const startedAt = Date.now();
const say = (text) =>
  process.stdout.write(`${((Date.now() - startedAt) / 1000).toFixed(1).padStart(6)} s  ${text}\n`);
const quiet = (command) =>
  execSync(command, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
function run(command) {
  say(`$ ${command}`);
  return quiet(command);
}
const write = (name, text) => {
  mkdirSync(path.join(root, path.dirname(name)), { recursive: true });
  writeFileSync(path.join(root, name), text);
};
const apis = () =>
  quiet('docker compose ps -q api')
    .split('\n')
    .map((id) => id.slice(0, 12));
const sql = (text) => quiet(`docker compose exec -T postgres psql -U longshore -tAc "${text}"`);
/** As a crash would: from inside, so that its restart policy brings it back. */
const killInside = (container) => run(`docker exec ${container} sh -c 'kill -KILL -1' || true`);

const taken = Object.keys(FILES).find((name) => existsSync(path.join(root, name)));
if (taken !== undefined) {
  process.stderr.write(`${taken} is there already: move it away\n`);
  process.exit(1);
}
for (const [name, text] of Object.entries(FILES)) write(name, text);
try {
  say(`$ cat .env   # ${FILES['.env'].trim().replaceAll('\n', ' ')}`);
  run('docker compose build');
  run(UP);
  await drill();
} finally {
  run('docker compose down -v');
  for (const name of [...Object.keys(FILES), BROKEN])
    rmSync(path.join(root, name), { force: true });
}
say('done');

async function drill() {
  checkConfinement();
  const command = 'docker compose exec -T api longshore keys create --name drill --json';
  const { key } = JSON.parse(run(command));
  await checkSettings(key);
  await leaveCall(key);
  const client = new Client({ name: 'drill', version: '1' });
  const requestInit = { headers: { Authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(ENDPOINT), { requestInit }));
  const { tools } = await client.listTools();
  say(`tools: ${tools.map((tool) => tool.name).join(', ')}`);
  const { structuredContent } = await client.callTool({
    name: 'data_query',
    arguments: { files: { o: 'drill.csv' }, sql: 'SELECT sum(quantity)::BIGINT AS n FROM o' },
  });
  say(`./data is read: ${JSON.stringify(structuredContent?.rows)}`);
  assert.deepEqual(structuredContent?.rows, [[42]]);

  await disturb(client, 'nothing happens', () => {});
  await disturb(client, 'its worker is killed', (taskId) =>
    killInside(
      sql(
        `SELECT host FROM workers JOIN tasks ON claimed_by = workers.id WHERE tasks.id = '${taskId}'`,
      ),
    ),
  );
  await disturb(client, 'an API is killed', () => killInside(apis()[0]));
  run(UP);
  await disturb(client, 'Postgres restarts', () => run('docker compose restart postgres'));
  await disturb(client, 'Redis restarts', () => run('docker compose restart redis'));

  const taskId = await submit(client);
  await until(client, taskId, () => isClaimed(taskId));
  const cancelled = await client.request(
    { method: 'tasks/cancel', params: { taskId } },
    CancelTaskResultSchema,
  );
  say(`cancelled a running task: ${cancelled.status}`);
  await client.close();
  const served = apis().map((id) => quiet(`docker logs ${id}`).split('request served').length - 1);
  say(`the APIs have served ${served.join(' and ')} requests`);
  assert.ok(Math.min(...served) > 50);
  checkCrashingWorkers();
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

/** That what `.env` says is in force. */
async function checkSettings(key) {
  const withKey = { Authorization: `Bearer ${key}` };
  const statuses = {
    'without a key': await listStatus({}),
    'with it': await listStatus(withKey),
    'for jobs.example.com': await listStatus({ ...withKey, Host: 'jobs.example.com' }),
    'for another host': await listStatus({ ...withKey, Host: 'other.example.com' }),
  };
  const said = Object.entries(statuses).map(([whose, status]) => `${status} ${whose}`);
  say(`tools/list: ${said.join(', ')}`);
  assert.deepEqual(Object.values(statuses), [401, 200, 200, 403]);
  const seats = sql("SELECT string_agg(concurrency::text, ' ') FROM workers");
  say(`seats of the workers: ${seats}`);
  assert.equal(seats, '4 4 4');
}

/** @returns the HTTP status */
async function listStatus(headers) {
  const response = await post('tools/list', {}, headers);
  return response.resume().statusCode;
}

/** That the proxy tells an API at once that a client has left, for a call of 2026-07-28 ends with its connection. */
async function leaveCall(key) {
  const call = { name: 'drill_count', arguments: { to: 600 } };
  const headers = { Authorization: `Bearer ${key}`, 'Mcp-Name': call.name };
  const response = await post('tools/call', { ...call, _meta: { progressToken: 'p' } }, headers);
  await once(response, 'data');
  response.destroy();
  for (let tries = 1; ; tries += 1) {
    const state = sql('SELECT state FROM tasks ORDER BY created_at DESC LIMIT 1');
    if (state === 'cancelled') break;
    assert.ok(tries < 60, `the call is ${state}`);
    await delay(500);
  }
  say('a call whose client leaves is cancelled');
}

/** Sends a request of 2026-07-28, which needs no session. */
async function post(method, params, headers) {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'drill', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const body = { ...params, _meta: { ...params._meta, ...meta } };
  const sent = request(ENDPOINT, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': method,
      ...headers,
    },
  });
  sent.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: body }));
  const [response] = await once(sent, 'response');
  return response;
}

/** That nobody takes workers for well that start again and again. */
function checkCrashingWorkers() {
  write(BROKEN, "throw new Error('this plugin has no licence');\n");
  run('docker compose restart worker');
  assert.throws(() => run(UP.replace('180', '30')), /not healthy|unhealthy/);
  const reason = quiet('docker compose logs --no-log-prefix worker')
    .split('\n')
    .findLast((line) => line.includes('no licence'));
  // Compose puts a control sequence before some lines.
  say(`it fails, for no worker works: ${reason.slice(reason.indexOf('longshore'))}`);
  rmSync(path.join(root, BROKEN));
  run('docker compose restart worker');
  run(UP);
}

/** Runs the long task, disturbs it when it runs, and asks each API for its result from before that. */
async function disturb(client, what, disturbance) {
  const taskId = await submit(client);
  const results = Promise.all([resultOf(client, taskId), resultOf(client, taskId)]);
  await until(client, taskId, () => isClaimed(taskId));
  disturbance(taskId);
  const [{ structuredContent }, other] = await results;
  assert.deepEqual(other.structuredContent, structuredContent);
  const { status } = await until(client, taskId, () => true);
  const history = sql(
    `SELECT string_agg(kind || coalesce(' ' || attempt, ''), ', ' ORDER BY id) FROM task_events WHERE task_id = '${taskId}'`,
  );
  say(`${what}: ${status}, ${JSON.stringify(structuredContent)}; ${history}`);
  assert.deepEqual(
    [status, structuredContent],
    ['completed', { counted: 20, key: 'from plugins/.env' }],
  );
}

function isClaimed(taskId) {
  return sql(`SELECT attempt FROM tasks WHERE id = '${taskId}'`) === '1';
}

async function submit(client) {
  const call = { name: 'drill_count', arguments: { to: 20 }, task: { ttl: 600_000 } };
  const { task } = await client.request(
    { method: 'tools/call', params: call },
    CreateTaskResultSchema,
  );
  return task.taskId;
}

function resultOf(client, taskId) {
  return again(() =>
    client.request({ method: 'tasks/result', params: { taskId } }, CallToolResultSchema, {
      timeout: 300_000,
    }),
  );
}

/** Polls until the condition holds. */
async function until(client, taskId, condition) {
  const get = { method: 'tasks/get', params: { taskId } };
  for (let tries = 0; tries < 120; tries += 1) {
    const task = await again(() => client.request(get, GetTaskResultSchema));
    if (condition(task)) return task;
    await delay(500);
  }
  throw new Error('the task is not taken');
}

/** Asks as a client does that takes a connection that breaks, and what is retryable, for "try again". */
async function again(ask) {
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask();
    } catch (error) {
      const isPassing = /retryable|fetch failed|terminated|SSE|50[234]/.test(
        `${error} ${error.cause} ${JSON.stringify(error.data)}`,
      );
      if (!isPassing || tries === 60) throw error;
      say(`asks again: ${error.message.slice(0, 100)}`);
      await delay(500);
    }
  }
}
