import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Browser, BrowserContext, FrameLocator, JSHandle, Page } from 'playwright-core';
import { servePage } from './browser.ts';

const PAGE = readFileSync(path.join(import.meta.dirname, '../fixtures/card-host-page.js'), 'utf8');

/** Loads a card into a frame of its own, under the policy that it declares, and passes messages on (MCP Apps, "Sandbox proxy"). */
const SANDBOX = `<!doctype html><meta charset="utf-8">
<style>html,body,iframe{margin:0;border:0;width:100%;height:100%;display:block}</style>
<body><script>
const inner = document.createElement('iframe');
const isOwn = (data) => String(data?.method).startsWith('ui/notifications/sandbox-');
addEventListener('message', ({ source, data }) => {
  if (source === parent && isOwn(data)) {
    inner.setAttribute('sandbox', 'allow-scripts allow-same-origin allow-forms');
    inner.srcdoc = data.params.html;
    document.body.append(inner);
  } else if (source === parent) inner.contentWindow?.postMessage(data, '*');
  else if (source === inner.contentWindow && !isOwn(data)) parent.postMessage(data, '*');
});
parent.postMessage({ jsonrpc: '2.0', method: 'ui/notifications/sandbox-proxy-ready', params: {} }, '*');
</script>`;

/** What hosts allow a card that declares nothing ("Content Security Policy"); a frame inside inherits it. */
const POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'none'";

export interface Setup {
  readonly url: string;
  readonly mode: 'legacy' | 'auto';
  readonly key?: string;
  readonly capabilities?: object;
}

/** A call as it stands in a conversation. */
export interface Turn {
  readonly name: string;
  readonly arguments: object;
  /** Null: the host has none for the card. */
  readonly result: object | null;
}

/** What a host is like; left out: as most are. */
export interface Look {
  readonly offers?: object;
  readonly context?: object;
  readonly width?: number;
  /** The host tells no arguments. */
  readonly input?: boolean;
  /** It lets cards call nothing, whatever it offers. */
  readonly refuses?: boolean;
  /** Makes an older page of the card's. */
  readonly version?: number;
}

export interface Seen {
  readonly calls: readonly string[];
  readonly heights: readonly number[];
  readonly contexts: readonly string[];
  readonly links: readonly string[];
  readonly downloads: readonly { readonly uri: string; readonly text?: string }[];
  readonly modes: readonly string[];
}

/** A card in a conversation. */
export interface ShownCard {
  readonly frame: FrameLocator;
  seen(): Promise<Seen>;
  /** HostContext has changed. */
  change(context: object): Promise<void>;
  /** Takes it away, as a host does that asks first. */
  tearDown(): Promise<void>;
}

/** A chat application in a browser: the page is of one origin, the cards of another. */
export class CardHost {
  readonly page: Page;
  /** What no card may do: break the policy, throw, open a dialog, reach anything but its host. */
  readonly offences: string[] = [];
  readonly #context: BrowserContext;
  readonly #sandbox: string;
  #latest = 0;
  readonly #connections = new Map<string, Promise<JSHandle>>();

  private constructor(context: BrowserContext, page: Page, sandbox: string) {
    this.#context = context;
    this.page = page;
    this.#sandbox = sandbox;
    page.on('pageerror', (error) => this.offences.push(`error: ${error.message}`));
    page.on('console', (message) => {
      if (/CSP|Content.Security.Policy|violates/i.test(message.text()))
        this.offences.push(`console: ${message.text()}`);
    });
    page.on('dialog', (dialog) => {
      this.offences.push(`dialog: ${dialog.message()}`);
      dialog.dismiss().catch(() => undefined);
    });
    page.on('request', (request) => {
      const isData = request.url().startsWith('data:');
      if (request.frame() !== page.mainFrame() && !isData && !request.isNavigationRequest())
        this.offences.push(`request: ${request.url()}`);
    });
  }

  static async open(browser: Browser, { host, sandbox }: CardServers): Promise<CardHost> {
    const context = await browser.newContext({ viewport: { width: 720, height: 900 } });
    const page = await context.newPage();
    const opened = new CardHost(context, page, sandbox);
    await page.goto(host);
    await opened.#load();
    return opened;
  }

  async #load(): Promise<void> {
    await this.page.addScriptTag({ type: 'module', content: PAGE });
    await this.page.waitForFunction('window.cardHost');
    this.#latest = 0;
    this.#connections.clear();
  }

  /** The conversation is opened again: nothing is left in memory, of the host or of cards. */
  async reload(): Promise<void> {
    await this.page.reload();
    await this.#load();
  }

  /** Takes all cards away. */
  async clear(): Promise<void> {
    await this.page.evaluate('document.body.replaceChildren()');
    this.#latest = 0;
  }

  /** @param setup.mode `legacy` for 2025-11-25, `auto` for 2026-07-28 */
  connect(setup: Setup): Promise<JSHandle> {
    const name = JSON.stringify(setup);
    const known = this.#connections.get(name);
    if (known !== undefined) return known;
    const opened = this.page.evaluateHandle(`cardHost.connect(${name})`);
    this.#connections.set(name, opened);
    return opened;
  }

  async show(connection: JSHandle, turn: Turn, look: Look = {}): Promise<ShownCard> {
    this.#latest += 1;
    const shown = await connection.evaluateHandle(
      (to, [sandbox, what, { version, ...rest }]) => {
        const html =
          version === undefined
            ? {}
            : { html: (page: string) => page.replace(/data-card="\d+"/, `data-card="${version}"`) };
        // biome-ignore lint/suspicious/noExplicitAny: what the page's own script has put there
        return (globalThis as any).cardHost.show(sandbox, to, what, { ...rest, ...html });
      },
      [this.#sandbox, turn, look] as const,
    );
    const slot = this.page.locator('.card').nth(this.#latest - 1);
    return {
      frame: slot.frameLocator('iframe').frameLocator('iframe'),
      seen: () => shown.evaluate(({ seen }) => seen),
      change: (context) =>
        shown.evaluate(({ bridge }, now) => bridge.sendHostContextChange(now), context),
      tearDown: async () => {
        await shown.evaluate(({ bridge }) => bridge.teardownResource({}));
      },
    };
  }

  close(): Promise<void> {
    return this.#context.close();
  }
}

export interface CardServers {
  readonly host: string;
  readonly sandbox: string;
  close(): Promise<void>;
}

export async function serveCards(): Promise<CardServers> {
  const pages = await servePage();
  const sandbox = createServer((_request, response) => {
    response
      .setHeader('Content-Security-Policy', POLICY)
      .setHeader('Content-Type', 'text/html')
      .end(SANDBOX);
  });
  await new Promise<void>((resolve) => sandbox.listen(0, '127.0.0.1', resolve));
  return {
    host: `http://127.0.0.1:${pages.port}`,
    sandbox: `http://127.0.0.1:${(sandbox.address() as AddressInfo).port}`,
    close: async () => {
      await new Promise<void>((resolve) => {
        sandbox.close(() => resolve());
        sandbox.closeAllConnections();
      });
      await pages.close();
    },
  };
}
