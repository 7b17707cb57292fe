import { createHash } from 'node:crypto';

/*
 * Every name that leaves this package: Redis keys, BullMQ queues, pub/sub channels. Built here and
 * nowhere else, so that two installations can share a server under different prefixes.
 *
 * BullMQ makes its Redis keys of these: `<prefix>:<prefix>-<queue>:<thing>`, such as
 * `longshore:longshore-default:wait`.
 */

export const DEFAULT_PREFIX = 'longshore';

/** The schema BullMQ's Postgres backend lives in, beside our own tables. Fixed by that backend for shared pools. */
export const BULL_SCHEMA = 'bullmq';

/** Postgres cuts identifiers, channels included, after this many bytes. */
const MAX_CHANNEL_BYTES = 63;

const PREFIX = /^[a-z][a-z0-9-]{0,39}$/;

/** @throws {RangeError} when the prefix would not fit into every name */
export function checkPrefix(prefix: string): string {
  if (PREFIX.test(prefix)) return prefix;
  throw new RangeError(
    `prefix ${JSON.stringify(prefix)} must be 1 to 40 of a-z, 0-9 and '-', starting with a letter`,
  );
}

/** The BullMQ queue behind a queue that tools name. */
export function queueName(prefix: string, queue: string): string {
  return `${prefix}-${queue}`;
}

/** The queue of wakes for schedules. No tool can name it, for a dot is in it. */
export const SCHEDULE_QUEUE = '.schedules';

/**
 * The pub/sub channel of a topic, the same on Redis and Postgres. Topics too long for a Postgres channel are
 * hashed: a channel is never turned back into its topic.
 */
export function busChannel(prefix: string, topic: string): string {
  const channel = `${prefix}:${topic}`;
  if (Buffer.byteLength(channel) <= MAX_CHANNEL_BYTES) return channel;
  const digest = createHash('sha256').update(topic).digest('base64url').slice(0, 22);
  return `${prefix}:${digest}`;
}

/** What the names of a principal's request counts begin with; `:` and its id follow. They have a ttl. */
export function requestCountPrefix(prefix: string): string {
  return `${prefix}:requests`;
}

/** What the names of a tool's counts of starts begin with; `:` and its name follow. They have a ttl. */
export function toolStartPrefix(prefix: string): string {
  return `${prefix}:starts`;
}

/** What BullMQ keeps of a queue for ever: a few hundred bytes each, and an event stream cut to `MAX_EVENTS`. */
const PERMANENT_THINGS = ['meta', 'id', 'events', 'marker'];

/** Whether a Redis key may exist without a ttl while no job is in any queue. */
export function isPermanentKey(prefix: string, key: string): boolean {
  const [first, queue, thing, ...rest] = key.split(':');
  return (
    first === prefix &&
    queue?.startsWith(`${prefix}-`) === true &&
    thing !== undefined &&
    PERMANENT_THINGS.includes(thing) &&
    rest.length === 0
  );
}
