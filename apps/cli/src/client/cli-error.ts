/** Why a command ends, for its user, with the exit code that says so (docs/cli.md). */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: number;

  constructor(exitCode: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

export const EXIT = {
  failed: 1,
  usage: 2,
  unreachable: 3,
  refused: 4,
  cancelled: 5,
  interrupted: 130,
} as const;

/** What ends a command means, and nothing else does. */
export const EXIT_CODES: readonly (readonly [code: number, meaning: string])[] = [
  [0, 'done; of a task: it completed'],
  [1, 'it failed: the tool, an item of a batch, the task, or what the server was asked for'],
  [2, 'the command makes no sense: flags, JSON, a file, a tool that is not there'],
  [3, 'no server answers'],
  [4, 'the server does not admit the caller'],
  [5, 'the task was cancelled'],
  [130, 'interrupted: the task goes on'],
];
