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
