import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RoundRobinProxy, startRoundRobinProxy } from '@longshore/testing/network';
import { type AuthorizationServer, startAuthorizationServer } from './support/oidc-provider.ts';
import { type Stack, startStack } from './support/stack.ts';

/** A browser without pages: it keeps cookies, and goes where it is sent. */
class Browser {
  readonly #cookies = new Map<string, Map<string, string>>();

  async open(url: string, init: RequestInit = {}): Promise<{ url: string; response: Response }> {
    const { origin } = new URL(url);
    const kept = this.#cookies.get(origin) ?? new Map<string, string>();
    this.#cookies.set(origin, kept);
    const cookie = [...kept].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, {
      ...init,
      headers: { ...init.headers, cookie },
      redirect: 'manual',
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') kept.delete(name);
      else kept.set(name, value);
    }
    const location = response.headers.get('location');
    return location === null ? { url, response } : this.open(new URL(location, url).href);
  }

  cookie(url: string, name: string): string | undefined {
    return this.#cookies.get(new URL(url).origin)?.get(name);
  }

  /** Fills in the forms of the authorization server until it sends the browser elsewhere. */
  async logIn(
    url: string,
    issuer: string,
    name: string,
  ): Promise<{ url: string; response: Response }> {
    let page = await this.open(url);
    for (let forms = 0; page.url.startsWith(`${issuer}/interaction/`) && forms < 3; forms += 1) {
      const html = await page.response.text();
      const prompt = /name="prompt" value="(\w+)"/.exec(html)?.[1] ?? '';
      page = await this.open(page.url, {
        method: 'POST',
        body: new URLSearchParams({ prompt, login: name, password: 'any' }),
      });
    }
    return page;
  }
}

describe('a login of the dashboard at an authorization server', () => {
  let authorization: AuthorizationServer;
  let proxy: RoundRobinProxy;
  let stack: Stack;
  let origin: string;

  beforeAll(async () => {
    proxy = await startRoundRobinProxy(['http://127.0.0.1:1/mcp']);
    origin = new URL(proxy.url).origin;
    const callback = `${origin}/api/v1/session/callback`;
    authorization = await startAuthorizationServer(proxy.url, 600, callback);
    // Two APIs in turn: one begins the login, the other ends it.
    stack = await startStack({
      mode: 'postgres',
      apis: 2,
      workers: 0,
      environment: {
        AUTH: 'oauth',
        OAUTH_ISSUER: authorization.issuer,
        OAUTH_CLIENT_ID: 'dashboard',
        OAUTH_LOGIN_SCOPES: 'tasks:read ops:read',
        PUBLIC_URL: origin,
      },
    });
    proxy.retarget(stack.urls);
  });
  afterAll(async () => {
    await stack.stop();
    await authorization.process.kill();
    await proxy.close();
  });

  const begin = (returnTo: string): string =>
    `${origin}/api/v1/session/oauth?return=${encodeURIComponent(returnTo)}`;

  it('ends at the page that was asked for, as who logged in, and no token is shown', async () => {
    const browser = new Browser();
    const ways = await browser.open(`${origin}/api/v1/session`);
    expect(await ways.response.json()).toEqual({ auth: 'oauth', hasOAuthLogin: true });
    const page = await browser.logIn(
      begin('/dashboard/tasks?tool=x'),
      authorization.issuer,
      'grace',
    );
    expect(page.url).toBe(`${origin}/dashboard/tasks?tool=x`);
    expect(browser.cookie(origin, 'longshore-login')).toBeUndefined();
    const session = browser.cookie(origin, 'longshore') ?? '';
    expect(session.split('.')).toHaveLength(5);
    expect(Buffer.from(session.split('.')[3] ?? '', 'base64url').toString()).not.toContain('eyJ');
    const me = await browser.open(`${origin}/api/v1/me`);
    expect(await me.response.json()).toMatchObject({
      auth: 'oauth',
      principal: { kind: 'oauth', subject: expect.stringContaining('grace') },
      seesAll: true,
      operates: false,
    });
  });

  it('sends nobody to a page of somebody else', async () => {
    for (const elsewhere of [
      'https://evil.example/',
      '//evil.example',
      '/dashboard\\@evil.example',
      '/mcp',
    ]) {
      const page = await new Browser().logIn(begin(elsewhere), authorization.issuer, 'ada');
      expect(page.url).toBe(`${origin}/dashboard/`);
    }
  });

  it('takes no code that it has not asked for', async () => {
    const browser = new Browser();
    const callback = `${origin}/api/v1/session/callback`;
    expect((await browser.open(`${callback}?code=x&state=y`)).response.status).toBe(401);
    // One that began its own login is given the code of another.
    const begun = await fetch(begin('/dashboard/'), { redirect: 'manual' });
    const [cookie = ''] = begun.headers.getSetCookie();
    const forged = await fetch(`${callback}?code=x&state=y&iss=${authorization.issuer}`, {
      headers: { cookie: cookie.split(';')[0] ?? '' },
    });
    expect(forged.status).toBe(401);
    expect(forged.headers.getSetCookie()).toEqual([]);
  });
});
