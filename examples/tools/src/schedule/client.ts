import { setTimeout as sleep } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const [url = 'http://127.0.0.1:3000/mcp'] = process.argv.slice(2);
const say = (text: string): void => void process.stdout.write(`${text}\n`);

const client = new Client({ name: 'schedule', version: '1.0.0' });
await client.connect(new StreamableHTTPClientTransport(new URL(url)));

/** Says what the server answers, and gives its structured content. */
async function call(name: string, args: Record<string, unknown> = {}): Promise<unknown> {
  const { content, structuredContent, isError } = await client.callTool({ name, arguments: args });
  const [block] = content;
  const text = block?.type === 'text' ? block.text : '';
  if (isError === true) throw new Error(text);
  say(`${name}: ${text}`);
  return structuredContent;
}

/** `cron: '0 9 * * 1-5', time_zone: 'Europe/Berlin'` instead would be every working day at nine. */
await call('job_schedule', {
  name: 'soon',
  tool: 'hash_texts',
  arguments: { texts: ['ahoy'] },
  run_at: new Date(Date.now() + 3_000).toISOString(),
});

let job: string | undefined;
while (job === undefined) {
  await sleep(500);
  const { schedules } = (await call('job_schedules')) as {
    schedules: { last_task_id?: string }[];
  };
  job = schedules[0]?.last_task_id;
}
await call('job_wait', { task_id: job });
await client.close();
