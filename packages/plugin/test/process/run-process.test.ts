import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type ProcessOptions, runProcess } from '@longshore/plugin/process';

const never = new AbortController().signal;

/** Runs JavaScript in a process of its own and collects its lines. */
async function run(code: string, options: Partial<ProcessOptions> = {}): Promise<string[]> {
  const lines: string[] = [];
  await runProcess(process.execPath, ['-e', code], {
    signal: never,
    onLine: (line) => void lines.push(line),
    ...options,
  });
  return lines;
}

describe('a process that ends well', () => {
  it('gets its input, and its lines come in order', async () => {
    const echo = "process.stdin.on('data', (d) => process.stdout.write(d + '\\r\\nlä\\n\\nlast'))";
    expect(await run(echo, { input: 'first' })).toEqual(['first', 'lä', '', 'last']);
  });

  it('need not read its input', async () => {
    expect(await run('console.log(1)', { input: 'x'.repeat(1_000_000) })).toEqual(['1']);
  });

  it('waits for whoever takes its lines', async () => {
    let busy = 0;
    let most = 0;
    await run('for (let n = 0; n < 20; n += 1) console.log(n)', {
      onLine: async () => {
        busy += 1;
        most = Math.max(most, busy);
        await new Promise((resolve) => setImmediate(resolve));
        busy -= 1;
      },
    });
    expect(most).toBe(1);
  });

  it('has no shell, and the environment it is given', async () => {
    const code = 'console.log(process.argv[1], process.env.A, process.env.B)';
    const lines: string[] = [];
    await runProcess(process.execPath, ['-e', code, '$(id); *'], {
      signal: never,
      env: { A: 'a' },
      onLine: (line) => void lines.push(line),
    });
    expect(lines).toEqual(['$(id); * a undefined']);
  });
});

describe('a process that fails', () => {
  it('tells its exit code and the end of what it complained of', async () => {
    const failing = run("console.error('x'.repeat(9000) + ' out of rum'); process.exitCode = 3");
    await expect(failing).rejects.toMatchObject({ name: 'ProcessFailed', exitCode: 3 });
    await expect(failing).rejects.toThrow(/ended with exit code 3: x+ out of rum$/);
    const { errorOutput } = await failing.catch((error) => error);
    expect(errorOutput).toHaveLength(4_096);
  });

  it('can not be run', async () => {
    const missing = runProcess('/no/such/program', [], { signal: never });
    await expect(missing).rejects.toMatchObject({ name: 'ProcessFailed', exitCode: null });
    await expect(missing).rejects.toThrow(/can not be run.*ENOENT/);
  });

  it('writes a line that is too long', async () => {
    const long = "process.stdout.write('x'.repeat(2000)); setInterval(() => {}, 1000)";
    await expect(run(long, { maxLineBytes: 1_000 })).rejects.toThrow('longer than 1000 bytes');
    expect(await run("console.log('é'.repeat(500))", { maxLineBytes: 1_000 })).toHaveLength(1);
  });

  it('takes too long', async () => {
    const slow = run('setInterval(() => {}, 1000)', { timeoutMs: 200 });
    await expect(slow).rejects.toMatchObject({ name: 'ProcessFailed' });
    await expect(slow).rejects.toThrow(/did not end within 200 ms/);
  });

  it('is ended by an error of whoever takes its lines', async () => {
    const onLine = (): never => {
      throw new Error('enough');
    };
    const code = "console.log('a'); setInterval(() => {}, 1000)";
    await expect(run(code, { onLine })).rejects.toThrow('enough');
  });

  it('is not started when the run is stopped already', async () => {
    const signal = AbortSignal.abort(new Error('too late'));
    await expect(runProcess('/no/such/program', [], { signal })).rejects.toThrow('too late');
  });
});

describe('what a process started', () => {
  let server: Server;
  let lifeline: Promise<Socket>;
  let port: number;
  beforeEach(async () => {
    server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
    lifeline = once(server, 'connection').then(([socket]) => socket);
  });
  afterEach(() => void server.close());

  /** Ignores being asked to end, and starts one that does so too and is connected to us while it lives. */
  const family = (onceConnected: string): string => {
    const child = `process.on('SIGTERM', () => {});
      require('net').connect(${port}, '127.0.0.1', () => process.send('connected')).on('error', () => {}).resume()`;
    return `process.on('SIGTERM', () => {});
      require('child_process')
        .spawn(process.execPath, ['-e', ${JSON.stringify(child)}], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
        .on('message', () => { ${onceConnected} });`;
  };

  const closed = async (): Promise<void> => {
    const socket = await lifeline;
    socket.on('error', () => {});
    await once(socket.resume(), 'close');
  };

  it('is killed with it when the run is stopped', async () => {
    const stop = new AbortController();
    const gone = closed();
    const code = family("console.log('up')");
    const onLine = (): void => stop.abort(new Error('cancelled'));
    const running = run(code, { signal: stop.signal, killAfterMs: 100, onLine });
    await expect(running).rejects.toThrow('cancelled');
    await gone;
  });

  it('does not outlive it, nor hold it up', async () => {
    const gone = closed();
    expect(await run(family("console.log('done'); process.exit(0)"))).toEqual(['done']);
    await gone;
  });
});
