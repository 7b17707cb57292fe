import { type BusEvent, BusMessage } from '@longshore/core';

/** NOTIFY takes less than 8,000 bytes; some are left for what a transport puts around the text. */
export const MAX_PAYLOAD_BYTES = 7_900;

/** Said in place of messages that were lost, or are too long to be sent: read again. */
export const RESYNC_PAYLOAD = '{"kind":"resync"}';

const ELLIPSIS = '…';

/**
 * A message as text of at most `MAX_PAYLOAD_BYTES`. A long progress message is shortened by whole code
 * points; what is too long in any other way becomes a `resync`, which makes its readers look at the row.
 */
export function encodeBusMessage(message: BusMessage): string {
  const text = JSON.stringify(message);
  if (fits(text)) return text;
  if (message.kind !== 'progress' || message.message === null) return RESYNC_PAYLOAD;
  const frame = Buffer.byteLength(JSON.stringify({ ...message, message: ELLIPSIS }));
  const shortened = shorten(message.message, MAX_PAYLOAD_BYTES - frame) + ELLIPSIS;
  const shorter = JSON.stringify({ ...message, message: shortened });
  return fits(shorter) ? shorter : RESYNC_PAYLOAD;
}

/** @returns null when the text is no message of ours */
export function decodeBusMessage(text: string): BusEvent | null {
  if (text === RESYNC_PAYLOAD) return { kind: 'resync' };
  try {
    const parsed = BusMessage.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

function fits(text: string): boolean {
  // A UTF-16 unit takes at most three bytes, which spares most messages the count.
  return text.length * 3 <= MAX_PAYLOAD_BYTES || Buffer.byteLength(text) <= MAX_PAYLOAD_BYTES;
}

/** The longest beginning whose JSON takes at most `maxBytes`, never half a code point. */
function shorten(text: string, maxBytes: number): string {
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    // Control characters and quotes are longer in JSON than they look.
    bytes += Buffer.byteLength(JSON.stringify(character)) - 2;
    if (bytes > maxBytes) break;
    end += character.length;
  }
  return text.slice(0, end);
}
