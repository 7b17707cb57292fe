import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawnProcess } from '@longshore/testing/processes';

const SCRIPT = path.join(import.meta.dirname, '..', 'scripts', 'audit.js');
const BULK = '/-/npm/v1/security/advisories/bulk';

/** Asked by the real npm about the real lockfile; knows one advisory for one package that runs in production. */
class Registry {
  readonly #server: Server;
  /** Null: it has no audit endpoint, as many mirrors. */
  severity: string | null = null;
  asked = 0;

  constructor() {
    this.#server = createServer((request, response) => {
      request.resume();
      if (request.url === BULK && this.severity !== null) {
        this.asked += 1;
        response.end(
          JSON.stringify({
            express: [this.#advisory(this.severity)],
            // Only tests need it: that is no danger to anybody's server.
            jest: [this.#advisory('critical')],
          }),
        );
      } else if (request.url === '/express' || request.url === '/jest') {
        const name = request.url.slice(1);
        response.end(JSON.stringify({ name, versions: {}, 'dist-tags': {} }));
      } else response.writeHead(405).end();
    });
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', () => resolve()));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #advisory(severity: string): object {
    return {
      id: 1_000_001,
      url: 'https://github.com/advisories/GHSA-test-test-test',
      title: 'Something is wrong',
      severity,
      vulnerable_versions: '>=0',
      cwe: [],
      cvss: { score: 9, vectorString: null },
    };
  }
}

describe('the audit of dependencies', () => {
  const registry = new Registry();
  let directory: string;

  beforeAll(async () => {
    directory = mkdtempSync(path.join(tmpdir(), 'longshore-audit-'));
    await registry.start();
  });
  afterAll(() => {
    registry.close();
    rmSync(directory, { recursive: true });
  });

  const audit = async (
    severity: string | null,
    exceptions: readonly object[] = [],
    env: Record<string, string> = {},
  ) => {
    registry.severity = severity;
    const file = path.join(directory, 'exceptions.json');
    writeFileSync(file, JSON.stringify(exceptions));
    // npm remembers what it knows of an advisory.
    const cache = `--cache=${mkdtempSync(path.join(directory, 'cache-'))}`;
    const args = [SCRIPT, file, `--registry=${registry.url}`, cache];
    const app = await spawnProcess(process.execPath, args, { env });
    const { code } = await app.exited;
    return { code, output: app.logs() };
  };
  const exception = (more: object = {}) => ({
    advisory: 'GHSA-test-test-test',
    reason: 'that part is not used',
    reviewed: '2026-01-01',
    until: '2999-01-01',
    ...more,
  });

  it.each(['high', 'critical'])('fails on a %s vulnerability', async (severity) => {
    const { code, output } = await audit(severity);
    expect(output).toContain(`FAILED: GHSA-test-test-test (${severity}) in express: Something`);
    expect(code).toBe(1);
    expect(registry.asked).toBeGreaterThan(0);
  });

  it('notes a lesser one', async () => {
    const { code, output } = await audit('moderate');
    expect(output).toContain('noted: GHSA-test-test-test (moderate)');
    expect(code).toBe(0);
  });

  it('passes one that was looked into, until the exception ends', async () => {
    const excepted = await audit('high', [exception()]);
    expect(excepted.output).toContain('that part is not used');
    expect(excepted.code).toBe(0);
    const over = await audit('high', [exception({ until: '2026-02-01' })]);
    expect(over.output).toContain('excepted until 2026-02-01');
    expect(over.code).toBe(1);
  });

  it('refuses exceptions that nothing needs, and those without a reason', async () => {
    const idle = await audit('high', [exception(), exception({ advisory: 'GHSA-aaaa' })]);
    expect(idle.output).toContain('GHSA-aaaa is not needed');
    expect(idle.code).toBe(1);
    expect((await audit('high', [exception({ reason: '' })])).code).toBe(1);
  });

  it('says that it could not ask, and fails then only when it must not go unasked', async () => {
    const { code, output } = await audit(null);
    expect(output).toMatch(/NOT CHECKED .*405/);
    expect(code).toBe(0);
    expect((await audit(null, [], { AUDIT_REQUIRED: 'true' })).code).toBe(1);
  });
});
