import type { MediaType } from './media-type.ts';

/** A page says its encoding within its first 1,024 bytes (HTML standard, 13.2.3.2). */
const PRESCAN_BYTES = 1_024;

const META_CHARSET = /<meta[^>]{0,500}?charset\s*=\s*["']?\s*([\w:.-]{1,40})/i;
const XML_ENCODING = /^<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w:.-]{1,40})["']/;

/**
 * Text of bytes, as browsers read it: the byte order mark counts first, then what the server says, then what
 * the page says of itself. Failing these it is UTF-8 when it can be, else Windows-1252. Bytes that mean
 * nothing become U+FFFD.
 */
export function decodeText(bytes: Buffer, { charset }: Pick<MediaType, 'charset'>): string {
  const marked = byteOrderMark(bytes);
  if (marked !== null) return new TextDecoder(marked).decode(bytes);
  const beginning = bytes.subarray(0, PRESCAN_BYTES).toString('latin1');
  const said = META_CHARSET.exec(beginning)?.[1] ?? XML_ENCODING.exec(beginning)?.[1] ?? null;
  // A page that can be searched for ASCII is none in UTF-16, whatever it says.
  const own = said !== null && /^utf-?16/i.test(said) ? 'utf-8' : said;
  const decoder = decoderFor(charset) ?? decoderFor(own);
  if (decoder !== null) return decoder.decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

function byteOrderMark(bytes: Buffer): string | null {
  const mark = bytes.subarray(0, 3).toString('hex');
  if (mark === 'efbbbf') return 'utf-8';
  if (mark.startsWith('feff')) return 'utf-16be';
  return mark.startsWith('fffe') ? 'utf-16le' : null;
}

/** @returns null for a name that is no encoding */
function decoderFor(label: string | null): InstanceType<typeof TextDecoder> | null {
  if (label === null) return null;
  try {
    return new TextDecoder(label);
  } catch {
    return null;
  }
}
