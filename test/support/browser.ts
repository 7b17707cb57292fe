import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { type Browser, chromium } from 'playwright-core';

/** Debian's place of it; `.ci/run` installs it there. */
const CHROMIUM = process.env['TEST_CHROMIUM'] ?? '/usr/bin/chromium';

const MODULES = path.join(import.meta.dirname, '../../node_modules');

/** What a page may import by name: the official client and bridge, as a bundler would find them for browsers. */
const IMPORTS = {
  '@modelcontextprotocol/client': '@modelcontextprotocol/client/dist/index.mjs',
  '@modelcontextprotocol/client/_shims': '@modelcontextprotocol/client/dist/shimsBrowser.mjs',
  '@modelcontextprotocol/core': '@modelcontextprotocol/core/dist/index.mjs',
  '@modelcontextprotocol/core/internal': '@modelcontextprotocol/core/dist/internal.mjs',
  '@modelcontextprotocol/ext-apps/app-bridge':
    '@modelcontextprotocol/ext-apps/dist/src/app-bridge.js',
  eventsource: 'eventsource/dist/index.js',
  'eventsource-parser': 'eventsource-parser/dist/index.js',
  'eventsource-parser/stream': 'eventsource-parser/dist/stream.js',
  'pkce-challenge': 'pkce-challenge/dist/index.browser.js',
  'zod/v4': 'zod/v4/index.js',
};

/** For `describeWhere`. */
export function missingBrowser(): string | null {
  if (existsSync(CHROMIUM)) return null;
  return 'there is no Chromium: install it (apt-get install chromium), or set TEST_CHROMIUM to one';
}

/** @param args flags beside those that every test needs */
export function openBrowser(args: readonly string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM,
    args: [
      ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
      ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
      ...args,
    ],
  });
}

/** An empty page of an origin of its own, whose scripts may import the official client. */
export interface PageServer {
  readonly port: number;
  close(): Promise<void>;
}

export async function servePage(): Promise<PageServer> {
  const imports = Object.entries(IMPORTS).map(([name, file]) => [name, `/node_modules/${file}`]);
  const map = JSON.stringify({ imports: Object.fromEntries(imports) });
  const page = `<!doctype html><title>A page</title><script type="importmap">${map}</script>`;
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://page');
    if (!pathname.startsWith('/node_modules/')) {
      response.setHeader('Content-Type', 'text/html').end(page);
      return;
    }
    readFile(path.join(MODULES, pathname.slice('/node_modules/'.length))).then(
      (script) => response.setHeader('Content-Type', 'text/javascript').end(script),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
