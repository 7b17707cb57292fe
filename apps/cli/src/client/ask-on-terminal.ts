import { createInterface } from 'node:readline';

/** Asks somebody at a terminal what an interruption meant. Another Ctrl-C, or no answer, leaves the task running. */
export function askOnTerminal(
  input: NodeJS.ReadStream,
  output: NodeJS.WriteStream,
): (() => Promise<'cancel' | 'detach'>) | null {
  if (!(input.isTTY && output.isTTY)) return null;
  return () =>
    new Promise((resolve) => {
      const lines = createInterface({ input, output });
      const finish = (wish: 'cancel' | 'detach'): void => {
        resolve(wish);
        lines.close();
      };
      lines.on('close', () => resolve('detach'));
      lines.on('SIGINT', () => {
        output.write('\n');
        finish('detach');
      });
      lines.question('\nCancel the task, or leave it running? [c/L] ', (answer) =>
        finish(/^c/i.test(answer.trim()) ? 'cancel' : 'detach'),
      );
    });
}
