import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { askServer, createProgram, EXIT, type Handlers, runProgram } from '@longshore/cli';
import { loadConfig } from '@longshore/config';

/** What a command came to: its exit code, and what it wrote to both outputs, without the last end of line. */
export interface Asked {
  readonly code: number;
  readonly said: string;
}

/**
 * Runs a command that asks a server as the program does, but in this process, which costs a second less. What a process
 * is, such as signals and exit codes, is tested with processes.
 *
 * @param env of the command alone
 */
export async function runCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Asked> {
  const output = new PassThrough();
  let said = '';
  output.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const print = (text: string): void => void output.write(`${text}\n`);
  const { signal: stop } = new AbortController();
  let code = 0;
  const elsewhere = (): never => {
    throw new Error(`${args.join(' ')} asks no server: it takes a process`);
  };
  const handlers: Handlers = {
    ask: async (options, command) => {
      const config = loadConfig({ ...process.env, ...env });
      const outputs = { stdout: output, stderr: output };
      const terminal = { version: 'test', print, ...outputs, ask: null, keyboard: null, stop };
      code = await askServer(options, config, terminal, command);
    },
    serve: elsewhere,
    author: elsewhere,
    keys: elsewhere,
    doctor: elsewhere,
    print,
    printError: (text) => void output.write(text),
  };
  const reading = await runProgram(createProgram('test', handlers), args);
  if (reading.kind === 'mistake') {
    output.write(`longshore: ${reading.message}\n`);
    code = EXIT.usage;
  }
  output.end();
  await once(output, 'end');
  return { code, said: said.replace(/\n$/, '') };
}
