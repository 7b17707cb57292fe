/**
 * The command that runs JavaScript in a Node.js of its own with a limit on its memory: what it allocates beyond
 * that fails in it, and nowhere else. Windows has no such limit, macOS does not keep to it.
 *
 * @param script CommonJS; a function of yours as text uses nothing from around it
 * @param args of the script, from `process.argv[1]` on
 * @param memoryKib private memory of the process, in KiB; Node.js itself takes about 150,000
 */
export function limitedNode(
  script: string,
  args: readonly string[],
  memoryKib: number,
): [command: string, args: string[]] {
  const node = ['--input-type=commonjs', '-e', script, '--', ...args];
  if (process.platform === 'win32') return [process.execPath, node];
  const limited = `ulimit -c 0; ulimit -d ${memoryKib}; exec "$0" "$@"`;
  return ['/bin/sh', ['-c', limited, process.execPath, ...node]];
}
