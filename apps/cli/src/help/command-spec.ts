/** An option of a command: what the parser, the help, the completion and docs/cli.md know of it. */
export interface OptionSpec {
  readonly type: 'string' | 'boolean';
  readonly multiple?: true;
  /** What the value is called: `FILE`. */
  readonly value?: string;
  /** All there are. */
  readonly values?: readonly string[];
  readonly text: string;
}

/** A command, such as `call` or `tasks list`. */
export interface CommandSpec {
  readonly name: string;
  /** What follows the name, without options: `TOOL`. */
  readonly positionals: readonly string[];
  /** One line. */
  readonly summary: string;
  readonly about: string;
  readonly options: Readonly<Record<string, OptionSpec>>;
  /** What one types, and what it does. */
  readonly examples: readonly (readonly [command: string, does: string])[];
}
