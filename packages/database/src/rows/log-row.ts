import { type JsonValue, LOG_LEVELS, type LoggedMessage } from '@longshore/core';
import * as z from 'zod';

/** An event of kind `log`: its id as text, and the LogMessage it was made of. */
export const LogRow = z.object({
  id: z.string(),
  data: z.object({
    level: z.enum(LOG_LEVELS),
    logger: z.string().nullable(),
    data: z.custom<JsonValue>(),
  }),
});

export function toLoggedMessage({ id, data }: z.infer<typeof LogRow>): LoggedMessage {
  return { id, ...data };
}
