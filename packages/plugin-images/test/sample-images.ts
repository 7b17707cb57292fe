import { crc32 } from 'node:zlib';
import sharp from 'sharp';

/** A picture with a gradient, so that it is neither empty nor too easy to compress. */
export function gradient(width: number, height: number) {
  const pixels = Buffer.alloc(width * height * 3);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      pixels.set([(x * 255) / width, (y * 255) / height, (x ^ y) & 255], (y * width + x) * 3);
    }
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } });
}

/** As a camera held sideways writes it: the pixels lie, EXIF says how to turn them and where it was. */
export function sidewaysPhoto(width: number, height: number): Promise<Buffer> {
  return gradient(width, height)
    .withExif({
      IFD0: { Make: 'Testcam' },
      IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 3230/100' },
    })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer();
}

/** Three frames. */
export async function animation(width: number, height: number): Promise<Buffer> {
  const frames = await Promise.all(
    ['#ff0000', '#00ff00', '#0000ff'].map((background) =>
      sharp({ create: { width, height, channels: 3, background } })
        .png()
        .toBuffer(),
    ),
  );
  return sharp(frames, { join: { animated: true } })
    .gif()
    .toBuffer();
}

/** A PNG of a few bytes that says it has 3.6 gigapixels. */
export async function pixelBomb(): Promise<Buffer> {
  const png = await gradient(8, 8).png().toBuffer();
  png.writeUInt32BE(60_000, 16);
  png.writeUInt32BE(60_000, 20);
  png.writeUInt32BE(crc32(png.subarray(12, 29)), 29);
  return png;
}
