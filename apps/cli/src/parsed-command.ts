/** A command with its options, as they were typed; which there are says its spec. */
export class ParsedCommand {
  readonly name: string;
  readonly positionals: readonly string[];
  readonly #values: Readonly<
    Record<string, string | boolean | readonly (string | boolean)[] | undefined>
  >;

  constructor(
    name: string,
    positionals: readonly string[],
    values: Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>,
  ) {
    this.name = name;
    this.positionals = positionals;
    this.#values = values;
  }

  text(option: string): string | undefined {
    const value = this.#values[option];
    return typeof value === 'string' ? value : undefined;
  }

  flag(option: string): boolean {
    return this.#values[option] === true;
  }

  list(option: string): readonly string[] {
    const value = this.#values[option];
    return Array.isArray(value) ? value.map(String) : [];
  }
}
