/** What Longshore does for each task that is measured here, and no peer does all of. */
export type Guarantee =
  /** Accepted means: a row in a database is committed. */
  | 'durable rows'
  /** The result is there to be read after the end, and after a restart. */
  | 'results kept'
  /** An attempt that was given up can not write over the one that came after it. */
  | 'fences'
  /** A task belongs to who made it, and is nobody else's to see. */
  | 'principals'
  /** A long backlog of one caller does not hold up the others. */
  | 'turns'
  /** The client speaks MCP over HTTP. Elsewhere it is a library in the process that submits. */
  | 'MCP';

export type Peer = keyof typeof WITHOUT;

/** What each peer does not do, of its own and as it is set up here. */
export const WITHOUT = {
  // Tasks are a Map in the process; they belong to a session, whoever it is.
  'sdk-tasks': ['durable rows', 'results kept', 'fences', 'principals', 'turns'],
  // Redis with its file flushed every second; results for 15 minutes. Docket's generations count schedules, not redeliveries.
  'fastmcp-docket': ['durable rows', 'fences', 'turns'],
  // A worker's lock has a token. Results are kept end to end, where they are asked for, and not where jobs are finished.
  bullmq: ['durable rows', 'results kept', 'principals', 'turns', 'MCP'],
  // A job's row is deleted when it is through, by its id, whoever holds it then.
  'graphile-worker': ['results kept', 'fences', 'principals', 'turns', 'MCP'],
  // Whatever is active is completed, whoever took it.
  'pg-boss': ['fences', 'principals', 'turns', 'MCP'],
} as const satisfies Record<string, readonly Guarantee[]>;
