// Takes the pictures of the dashboard in docs/dashboard, from a real server with real work:
//   npm run screenshots
// TEST_CHROMIUM names another browser than /usr/bin/chromium.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { chromium } from 'playwright-core';

const ROOT = path.join(import.meta.dirname, '..');
const OUT = path.join(ROOT, 'docs/dashboard');
const READY = /ready at (http:\/\/[^/]+)/;

const home = mkdtempSync(path.join(tmpdir(), 'longshore-screenshots-'));
const server = spawn(process.execPath, [path.join(ROOT, 'apps/cli/dist/main.js'), 'start'], {
  cwd: ROOT,
  env: {
    ...process.env,
    ...{ PORT: '0', DATA_DIR: home, WORKERS: '2', LOG_LEVEL: 'error' },
    PLUGINS: path.join(ROOT, 'examples/tools/dist/index.js'),
  },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const stopped = once(server, 'exit');
try {
  await take(await originOf(server));
} finally {
  server.kill('SIGTERM');
  await stopped;
  rmSync(home, { recursive: true, force: true });
}

async function originOf({ stdout }) {
  for await (const line of createInterface({ input: stdout })) {
    const origin = READY.exec(line)?.[1];
    if (origin !== undefined) return origin;
  }
  throw new Error('the server ended before it was ready');
}

async function take(origin) {
  const call = async (route, body) => {
    const response = await fetch(`${origin}/api/v1${route}`, {
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      headers: { 'content-type': 'application/json' },
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(`${route}: ${answer.error.message}`);
    return answer;
  };
  const run = async (tool, args) => (await call(`/tools/${tool}/run`, { arguments: args })).task.id;
  const until = async (what, condition) => {
    for (let tries = 0; tries < 600; tries += 1) {
      if (await condition()) return;
      await delay(100);
    }
    throw new Error(`waited in vain: ${what}`);
  };
  await until('the tools are there', async () => (await call('/tools')).tools.length > 8);

  const documents = [
    'README.md',
    'ARCHITECTURE.md',
    'CHANGELOG.md',
    'docs/batches.md',
    'docs/limits.md',
  ];
  for (let round = 0; round < 12; round += 1) {
    for (const document of documents) await run('text_count', { path: document, top: 3 });
    if (round % 3 === 0) await run('text_count', { path: `drafts/chapter-${round}.md` });
    await run('estimate_pi', { darts: 20_000_000, seed: round + 1 });
    await delay(500);
  }
  const counted = await run('text_count', { path: 'README.md', top: 8 });
  const batch = await run('batch', {
    tool: 'text_count',
    concurrency: 6,
    items: Array.from({ length: 12_000 }, (_, n) => ({
      path: n % 211 === 0 ? `drafts/page-${n}.md` : documents[n % documents.length],
    })),
  });
  for (let seed = 100; seed < 106; seed += 1)
    await run('estimate_pi', { darts: 900_000_000, seed });
  await until('the batch is half-way', async () => {
    const map = await call(`/tasks/${batch}/batch`).catch(() => null);
    return map !== null && map.done > 5_000;
  });

  const browser = await chromium.launch({
    executablePath: process.env['TEST_CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--headless', '--no-sandbox', '--disable-gpu'],
  });
  mkdirSync(OUT, { recursive: true });
  const chat = await browser.newPage({ viewport: { width: 680, height: 400 } });
  await chat.goto(`${origin}/healthz`);
  await chat.evaluate(hostCard, batch);
  await chat.frameLocator('iframe').getByText('left').waitFor();
  await chat.locator('iframe').screenshot({ path: path.join(OUT, 'card.png') });
  await chat.close();
  const pictures = [
    ['batch', `/tasks/${batch}`, 'light', 1_280, 860],
    ['phone', '/tasks', 'dark', 360, 640],
    ['tasks', '/tasks', 'dark', 1_280, 720],
    ['task', `/tasks/${counted}`, 'light', 1_280, 760],
    ['overview', '/', 'dark', 1_280, 860],
  ];
  for (const [name, at, colorScheme, width, height] of pictures) {
    const page = await browser.newPage({
      viewport: { width, height },
      colorScheme,
      timezoneId: 'UTC',
    });
    await page.goto(`${origin}/dashboard${at}`);
    await page.locator('#main h1').waitFor();
    await page.locator('.live[data-state=live]').waitFor();
    // Rates and charts need a few looks.
    await delay(5_000);
    await page.screenshot({ path: path.join(OUT, `${name}.png`) });
    await page.close();
  }
  await browser.close();
}

/** In a page: as much of a host of MCP Apps as the card of a batch needs. */
async function hostCard(batch) {
  const rpc = async (method, params) => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const response = await fetch('/mcp', {
      method: 'POST',
      headers: {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        'mcp-name': params.name ?? params.uri,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
    });
    return (await response.json()).result;
  };
  const frame = document.createElement('iframe');
  frame.style.cssText = 'width:640px;border:1px solid #d7dce2;border-radius:8px;display:block';
  const tell = (message) => frame.contentWindow.postMessage({ jsonrpc: '2.0', ...message }, '*');
  const answers = {
    'ui/initialize': () => ({
      hostCapabilities: { serverTools: {}, serverResources: {}, downloadFile: {} },
      hostContext: { theme: 'light' },
    }),
    'tools/call': (params) => rpc('tools/call', params),
    'resources/read': (params) => rpc('resources/read', params),
  };
  addEventListener('message', ({ data: { id, method, params } }) => {
    if (id !== undefined)
      void Promise.resolve(answers[method](params)).then((result) => tell({ id, result }));
    if (method === 'ui/notifications/initialized') {
      const result = { content: [], structuredContent: { job: { task_id: batch } } };
      tell({ method: 'ui/notifications/tool-result', params: result });
    }
    if (method === 'ui/notifications/size-changed') frame.style.height = `${params.height}px`;
  });
  const { contents } = await rpc('resources/read', { uri: 'ui://longshore/job' });
  frame.srcdoc = contents[0].text;
  document.body.replaceChildren(frame);
}
