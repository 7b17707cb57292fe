// The limit for accepting tasks: Express, one grouped INSERT per event-loop turn with `pg`, addBulk after
// the commit. No sessions, no catalogue, no validation, no history.
import { randomUUID } from 'node:crypto';
import { Queue } from 'bullmq';
import express from 'express';
import { Redis } from 'ioredis';
import pg from 'pg';

interface Waiting {
  readonly id: string;
  readonly args: string;
  resolve(createdAt: Date): void;
  reject(error: unknown): void;
}

const MAX_IN_FLIGHT = 2;
const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 4 });
const connection = new Redis(process.env['REDIS_URL'] ?? '', { maxRetriesPerRequest: null });
const queue = new Queue('bare', { connection, defaultJobOptions: { removeOnComplete: true } });
await pool.query(
  'CREATE TABLE IF NOT EXISTS bare_tasks (id uuid PRIMARY KEY, principal_id uuid, tool text, args jsonb, ttl_ms bigint, created_at timestamptz(3) NOT NULL DEFAULT now())',
);
const principal = randomUUID();
let waiting: Waiting[] = [];
let inFlight = 0;

async function flush(): Promise<void> {
  if (waiting.length === 0 || inFlight >= MAX_IN_FLIGHT) return;
  inFlight += 1;
  const group = waiting;
  waiting = [];
  try {
    const { rows } = await pool.query<{ created_at: Date }>({
      name: 'accept',
      text: 'INSERT INTO bare_tasks (id, principal_id, tool, args, ttl_ms) SELECT i, $2, $3, a, $4 FROM unnest($1::uuid[], $5::jsonb[]) AS t(i, a) RETURNING created_at',
      values: [
        group.map((task) => task.id),
        principal,
        'noop',
        60_000,
        group.map((task) => task.args),
      ],
    });
    group.forEach((task, index) => {
      const row = rows[index];
      if (row === undefined) task.reject(new Error('no row'));
      else task.resolve(row.created_at);
    });
    await queue.addBulk(
      group.map((task) => ({ name: 'task', data: {}, opts: { jobId: task.id } })),
    );
  } catch (error) {
    for (const task of group) task.reject(error);
  } finally {
    inFlight -= 1;
    if (waiting.length > 0) setImmediate(() => void flush());
  }
}

const app = express();
app.disable('x-powered-by');
app.disable('etag');
app.use(express.json());
app.post('/mcp', async (request, response) => {
  const id = randomUUID();
  const createdAt = await new Promise<Date>((resolve, reject) => {
    waiting.push({ id, args: JSON.stringify(request.body.params.arguments), resolve, reject });
    if (waiting.length === 1) setImmediate(() => void flush());
  });
  const at = createdAt.toISOString();
  response.json({
    jsonrpc: '2.0',
    id: request.body.id,
    result: {
      task: { taskId: id, status: 'working', createdAt: at, lastUpdatedAt: at, ttl: 60_000 },
    },
  });
});
const server = app.listen(0, '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  process.send?.({ url: `http://127.0.0.1:${port}/mcp` });
});
process.once('SIGTERM', () => process.exit(0));
