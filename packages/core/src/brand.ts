declare const brand: unique symbol;

/** A string that is told apart from other strings at compile time only. */
export type Brand<Name extends string> = string & { readonly [brand]: Name };

/** UUID of a task, of version 7 for those of clients; also its BullMQ job id. */
export type TaskId = Brand<'TaskId'>;
/** UUID of a `ctx.map` of a task. */
export type BatchId = Brand<'BatchId'>;
/** UUID of a question to a client. */
export type InputRequestId = Brand<'InputRequestId'>;
/** UUID of a principal: who owns a task. */
export type PrincipalId = Brand<'PrincipalId'>;
/** UUID of the row that ties a task to its principal. */
export type AuthBindingId = Brand<'AuthBindingId'>;
/** UUID of a legacy MCP session; travels as `MCP-Session-Id`. */
export type SessionId = Brand<'SessionId'>;
/** UUID a worker process gives itself at start. */
export type WorkerId = Brand<'WorkerId'>;
/** UUID of a schedule. */
export type ScheduleId = Brand<'ScheduleId'>;
