/** What can be read. */
export const READABLE_FORMATS = ['jpeg', 'png', 'webp', 'gif', 'avif', 'tiff'] as const;
export type ImageFormat = (typeof READABLE_FORMATS)[number];

/** What can be written. */
export const WRITABLE_FORMATS = READABLE_FORMATS;

/** The ending of a file's name. */
export const ENDINGS: Readonly<Record<ImageFormat, string>> = {
  jpeg: 'jpg',
  png: 'png',
  webp: 'webp',
  gif: 'gif',
  avif: 'avif',
  tiff: 'tif',
};

const IMAGE_NAME = /\.(jpe?g|png|webp|gif|avif|tiff?)$/i;

/** Whether a file found in a folder is taken for an image. */
export function hasImageName(name: string): boolean {
  return IMAGE_NAME.test(name);
}

/** Major and compatible brands of ISO media files (ISO/IEC 23008-12 and the AVIF specification). */
const AVIF_BRANDS: ReadonlySet<string> = new Set(['avif', 'avis']);

/**
 * The format by the first bytes, whatever the name says. libvips would also read SVG, PDF and more, whose
 * readers do far more than decode pixels: they never get to see the bytes.
 *
 * @returns null for everything else
 */
export function sniffFormat(bytes: Buffer): ImageFormat | null {
  const hex = bytes.subarray(0, 8).toString('hex');
  if (hex.startsWith('ffd8ff')) return 'jpeg';
  if (hex === '89504e470d0a1a0a') return 'png';
  if (/^47494638(37|39)61/.test(hex)) return 'gif';
  if (/^(49492a00|4d4d002a|49492b00|4d4d002b)/.test(hex)) return 'tiff';
  const text = bytes.subarray(0, 64).toString('latin1');
  if (text.startsWith('RIFF') && text.slice(8, 12) === 'WEBP') return 'webp';
  return text.slice(4, 8) === 'ftyp' && isAvif(bytes, text) ? 'avif' : null;
}

function isAvif(bytes: Buffer, text: string): boolean {
  const end = Math.min(bytes.readUInt32BE(0), text.length);
  for (let at = 8; at + 4 <= end; at += 4) {
    if (AVIF_BRANDS.has(text.slice(at, at + 4))) return true;
  }
  return false;
}
