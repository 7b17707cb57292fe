import { readFileSync } from 'node:fs';
import path from 'node:path';
import { waitFor } from '@longshore/testing';
import { guard } from '@longshore/testing/processes';
import { Client as ClientV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as TransportV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { FULL_ABILITIES } from './person.ts';

export const CLI = path.join(import.meta.dirname, '..', '..', 'apps', 'cli', 'dist', 'main.js');

/** The official clients over `longshore stdio`, which they start themselves, as a host does. */
export class StdioHost {
  readonly dataDir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly #transports: { close(): Promise<void> }[] = [];

  constructor(dataDir: string, env: Readonly<Record<string, string>>) {
    this.dataDir = dataDir;
    this.env = { PATH: process.env['PATH'] ?? '', DATA_DIR: dataDir, ...env };
  }

  get parameters() {
    return { command: process.execPath, args: [CLI, 'stdio'], env: { ...this.env } };
  }

  async v1(): Promise<{ client: ClientV1; transport: TransportV1 }> {
    const transport = new TransportV1({ ...this.parameters, stderr: 'pipe' });
    const client = new ClientV1(
      { name: 'stdio-v1', version: '1' },
      { capabilities: FULL_ABILITIES },
    );
    this.#transports.push(transport);
    await client.connect(transport);
    return { client, transport };
  }

  async v2(
    mode: 'legacy' | 'auto' | { pin: string },
  ): Promise<{ client: ClientV2; transport: TransportV2 }> {
    const transport = new TransportV2({ ...this.parameters, stderr: 'pipe' });
    const client = new ClientV2(
      { name: 'stdio-v2', version: '1' },
      { capabilities: {}, versionNegotiation: { mode } },
    );
    this.#transports.push(transport);
    await client.connect(transport);
    return { client, transport };
  }

  /** Closes what a test has left open. */
  async close(): Promise<void> {
    await Promise.all(this.#transports.splice(0).map((transport) => transport.close()));
  }

  /** The process that runs the engine, which is killed should this test run die. */
  enginePid(directory = this.dataDir): number {
    const { pid } = JSON.parse(readFileSync(path.join(directory, 'engine.json'), 'utf8'));
    if (!Number.isInteger(pid)) throw new Error('engine.json names no process');
    return pid;
  }

  /** @returns gives the duty back */
  guardEngine(directory = this.dataDir): () => void {
    return guard({ pid: this.enginePid(directory), signal: 'SIGTERM' });
  }

  async stopEngine(directory = this.dataDir): Promise<void> {
    let pid: number;
    try {
      pid = this.enginePid(directory);
      process.kill(pid, 'SIGTERM');
    } catch {
      return; // It has ended by itself.
    }
    await waitFor(() => !isThere(pid), { what: 'the engine has ended', timeoutMs: 30_000 });
  }
}

export function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
