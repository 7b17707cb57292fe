import { z } from '@longshore/plugin';

/** Sent to an engine process, one at a time. */
export interface EngineRequest {
  readonly sql: string;
  /** Values of $1, $2 and so on. */
  readonly values: readonly string[];
  /** Rows to return; the query is not run further than that. */
  readonly maxRows: number;
  /** Rows are returned up to this size as JSON, in UTF-16 units. */
  readonly maxLength: number;
}

const Column = z.object({ name: z.string(), type: z.string() });

/** Rows of a query, as arrays in the order of the columns. */
export const EngineRows = z.object({
  columns: z.array(Column),
  rows: z.array(z.array(z.json())),
  /** More rows would follow. */
  truncated: z.boolean(),
});
export type EngineRows = z.infer<typeof EngineRows>;

/** What an engine process sends back. */
export const EngineMessage = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ready') }),
  z.object({ kind: z.literal('progress'), percentage: z.number() }),
  z.object({ kind: z.literal('rows'), result: EngineRows }),
  /** DuckDB's message. */
  z.object({ kind: z.literal('error'), message: z.string() }),
]);
export type EngineMessage = z.infer<typeof EngineMessage>;
