export interface SchemaEngine {
  /** SQL from another schema's text (null: from nothing) to the one the engine was opened with. */
  diff(fromSchema: string | null): Promise<string>;
  /** What `prisma migrate deploy` does. Resolves to the names of the migrations it applied. */
  applyMigrations(directory: string): Promise<string[]>;
  /** Ends its sessions, one of which may hold Prisma's advisory lock. */
  close(): Promise<void>;
}

/** `url`: a live database, asked for its version; `schema`: the text of a schema.prisma. */
export function openSchemaEngine(options: {
  readonly url: string;
  readonly schema: string;
}): Promise<SchemaEngine>;
