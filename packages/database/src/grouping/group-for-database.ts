import { GroupedCalls, type GroupedCallsOptions, LongshoreError } from '@longshore/core';
import { presentTrace, type TraceContext, traced, untraced } from '@longshore/tracing';

/*
 * Grouping: many callers, one statement. One over 64 rows costs Postgres and us a tenth of 64 statements.
 *
 * WHAT IS GROUPED. Calls of one kind in one process: accepting, claiming, finishing and retrying tasks, and reading tasks,
 * outcomes and logs. Each kind is one `GroupedCalls`, and a group of it is one statement, or one transaction of a few.
 *
 * STATES of a call: waiting, under way, settled. It waits in the order of its arrival. Two calls of one key (one task)
 * are never in one group: the second stays for the next one, so that a statement meets each row once.
 *
 * WHEN A GROUP LEAVES. At the end of the turn of the event loop in which a call came, when fewer than `maxInFlight` groups
 * are under way, else when one of them is through. No timer: a call on its own waits for no other, and while groups
 * are under way the next ones grow, up to `maxGroupSize` and `maxGroupWeight`, so the size follows the load by itself.
 *
 * AUTHORITY is with the database. A group has no state of its own that outlives it, and nothing is known of a call until its
 * statement has committed: when the process dies, the calls that wait have not happened, and those under way have happened
 * or not as Postgres says.
 *
 * FAILURE. A group is all or nothing. When a member is at fault (a value the server refuses), nothing was committed, and the
 * group is done again in halves, down to the member, so that only its call fails. When the failure is shared
 * (`isSharedFailure`: the server is away, the answer was lost), all calls of the group fail at once, and nothing is tried again
 * here, for the group may have been committed: the caller decides. Beyond `maxWaiting` calls are refused at once, with an
 * error that may be retried. `close` refuses those that wait and waits for those under way.
 *
 * WHAT A CALLER MAY RELY ON. It is answered once, after the commit, with what is of its own row. A read that begins after
 * an answer sees what the answer says. The order of calls is not kept: two groups may be under way, with two calls of one key,
 * and which comes first is for the database to say. A member that is refused takes nobody with it, but makes its group slower.
 */

type Parts<Input, Output> = Pick<
  GroupedCallsOptions<Input, Output>,
  'name' | 'run' | 'keyOf' | 'weightOf'
> & { readonly maxGroupSize?: number };

/*
 * 500 rows and 4 Mi characters of JSON: above 100 rows a row gets no cheaper, and a statement stays well
 * under a second and a message under what either side wants to hold in memory. Two in flight: while one
 * waits for its commit the other one's rows are worked on; a third adds nothing on the machines tried.
 * 20,000 waiting: some seconds of work. Who comes later had better try another process.
 */
const BOUNDS = {
  maxGroupSize: 500,
  maxGroupWeight: 4 * 1024 * 1024,
  maxInFlight: 2,
  maxWaiting: 20_000,
} as const;

/** A call, and the trace it is a part of. */
interface Traced<Input> {
  readonly input: Input;
  readonly trace: TraceContext | null;
}

/** Grouped calls whose groups are one statement each. `weightOf` counts characters. */
export class DatabaseGroup<Input, Output> {
  readonly #calls: GroupedCalls<Traced<Input>, Output>;

  constructor({ keyOf, weightOf, run, ...parts }: Parts<Input, Output>) {
    this.#calls = new GroupedCalls<Traced<Input>, Output>({
      ...BOUNDS,
      ...parts,
      keyOf: keyOf === null ? null : ({ input }) => keyOf(input),
      weightOf: ({ input }) => weightOf(input),
      run: (group) => tracedGroup(parts.name, group, run),
      overflowCode: 'DATABASE_UNAVAILABLE',
      isSharedFailure: (error) => error instanceof LongshoreError && error.retryable,
    });
  }

  call(input: Input): Promise<Output> {
    return this.#calls.call({ input, trace: presentTrace() });
  }

  close(): Promise<void> {
    return this.#calls.close();
  }
}

export function groupForDatabase<Input, Output>(
  parts: Parts<Input, Output>,
): DatabaseGroup<Input, Output> {
  return new DatabaseGroup(parts);
}

/** One span for what is done together: a part of the first trace that is in it, with links to the others. */
function tracedGroup<Input, Output>(
  name: string,
  group: readonly Traced<Input>[],
  run: Parts<Input, Output>['run'],
): Promise<readonly Output[]> {
  const inputs = group.map(({ input }) => input);
  const [parent, ...links] = group.flatMap(({ trace }) => (trace === null ? [] : [trace]));
  // Not of whatever was under way when the group before it left.
  if (parent === undefined) return untraced(() => run(inputs));
  const attributes = { 'longshore.group.size': group.length };
  return traced(name, { parent, links, attributes }, () => run(inputs));
}
