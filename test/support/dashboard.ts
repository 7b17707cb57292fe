import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContext, Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Someone at a dashboard, in a browser session of their own. */
export class Visitor {
  readonly page: Page;
  /** What no visit may have: breaches of the page's policy, errors of its scripts, requests to other hosts, dialogs. */
  readonly offences: string[] = [];
  readonly #origin: string;
  readonly #context: BrowserContext;

  private constructor(context: BrowserContext, page: Page, origin: string) {
    this.#context = context;
    this.page = page;
    this.#origin = origin;
    this.#watch(page);
  }

  #watch(page: Page): void {
    page.on('pageerror', (error) => this.offences.push(`error: ${error.message}`));
    page.on('console', (message) => {
      if (/Content.Security.Policy|violates|React/i.test(message.text()))
        this.offences.push(`console: ${message.text()}`);
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(`${this.#origin}/`) && !request.url().startsWith('data:'))
        this.offences.push(`request: ${request.url()}`);
    });
    page.on('dialog', (dialog) => {
      this.offences.push(`dialog: ${dialog.message()}`);
      dialog.dismiss().catch(() => undefined);
    });
  }

  /** @param origin of the server, such as `http://127.0.0.1:3000` */
  static async come(browser: Browser, origin: string): Promise<Visitor> {
    const context = await browser.newContext({ timezoneId: 'Asia/Kolkata' });
    return new Visitor(context, await context.newPage(), origin);
  }

  /** @param path below /dashboard */
  async open(path: string): Promise<void> {
    await this.page.goto(`${this.#origin}/dashboard${path}`);
  }

  /** Opens one more tab of the same browser. */
  async openTab(path: string): Promise<Page> {
    const page = await this.#context.newPage();
    this.#watch(page);
    await page.goto(`${this.#origin}/dashboard${path}`);
    return page;
  }

  /** Opens a page, gives the key to the form that is there instead, and waits until the page is there. */
  async logIn(key: string, path = '/tasks'): Promise<void> {
    await this.open(path);
    await this.give(key);
    await this.page.getByRole('navigation', { name: 'Pages', exact: true }).waitFor();
  }

  async give(key: string): Promise<void> {
    await this.page.getByLabel('API key').fill(key);
    await this.page.getByRole('button', { name: 'Log in' }).click();
  }

  /** Presses a button, and the one of the same words that asks whether one means it. */
  async press(name: string | RegExp, confirm = false): Promise<void> {
    await this.page.getByRole('button', { name }).first().click();
    if (confirm) await this.page.getByRole('dialog').getByRole('button', { name }).click();
  }

  sees(text: string | RegExp): Promise<void> {
    return this.page.getByText(text).first().waitFor();
  }

  cookies() {
    return this.#context.cookies();
  }

  /**
   * What a screen reader or a keyboard stumbles over, as one line for each rule.
   *
   * @param rules looked at instead of all
   */
  async barriers(rules: readonly string[] | null = null): Promise<string[]> {
    await this.page.evaluate(AXE);
    const only = rules === null ? '' : `, runOnly: ${JSON.stringify(rules)}`;
    return this.page.evaluate(
      `axe.run({ resultTypes: ['violations']${only} }).then(({ violations }) => violations.map(
        ({ id, help, nodes }) => id + ': ' + help + ': ' + nodes.slice(0, 3).map(({ html }) => html.slice(0, 160)).join(' | ')))`,
    );
  }

  /** The page looks as its state is. */
  painted(): Promise<void> {
    return this.page.evaluate(
      'new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(() => painted())))',
    );
  }

  /** By how many pixels the page is wider than the window. */
  async overhang(): Promise<number> {
    return this.page.evaluate('document.documentElement.scrollWidth - innerWidth');
  }

  /** Reads nothing until it is opened again. */
  async rest(): Promise<void> {
    await this.page.goto('about:blank');
  }

  leave(): Promise<void> {
    return this.#context.close();
  }
}
