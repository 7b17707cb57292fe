import type sharpModule from 'sharp';
import type { Sharp } from 'sharp';
import type { ImageFormat } from './image-format.ts';

export interface EncoderOrder {
  readonly bytes: Uint8Array;
  /** Options of sharp for reading. */
  readonly open: object;
  /** What libvips itself keeps to. */
  readonly timeoutMs: number;
  readonly target: Target | null;
  readonly format: ImageFormat;
  readonly quality: number;
}

export interface EncodedImage {
  readonly data: Uint8Array;
  readonly width: number;
  /** Of one frame. */
  readonly height: number;
}

/** The second: what sharp said. */
export type EncoderAnswer =
  | ({ readonly kind: 'image' } & EncodedImage)
  | { readonly kind: 'error'; readonly message: string };

/** A size in pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Target extends Size {
  /** How the image fills that size: cut off at the edges, stretched, or with background around it. */
  readonly fit: 'cover' | 'fill' | 'contain';
  /** Cut so that what is likely to matter stays, instead of the middle. */
  readonly attention?: boolean;
  readonly background?: string;
}

/**
 * The process that decodes, resizes and encodes images. It is handed over as text (see Encoder), so it uses
 * nothing from around it.
 *
 * `process.argv[1]` is the path of sharp.
 */
export function runEncoder(): void {
  const { createRequire } = process.getBuiltinModule('node:module');
  const { writeFileSync } = process.getBuiltinModule('node:fs');
  const modulePath = process.argv[1] ?? '';
  const sharp: typeof sharpModule = createRequire(modulePath)(modulePath);

  /** Metadata is left out, and colours are converted to sRGB. */
  const encode = (image: Sharp, { format, quality }: EncoderOrder): Sharp => {
    switch (format) {
      case 'jpeg':
        // JPEG has no transparency: white, as paper, instead of black.
        return image.flatten({ background: 'white' }).jpeg({ quality, mozjpeg: true });
      case 'png':
        return image.png({ compressionLevel: 9 });
      case 'webp':
        return image.webp({ quality });
      case 'gif':
        return image.gif();
      case 'avif':
        return image.avif({ quality });
      case 'tiff':
        return image.tiff({ compression: 'deflate', predictor: 'horizontal' });
    }
  };

  const work = async (order: EncoderOrder): Promise<EncoderAnswer> => {
    const { bytes, open, timeoutMs, target } = order;
    const image = sharp(bytes, open)
      .timeout({ seconds: timeoutMs / 1_000 })
      .autoOrient();
    if (target !== null) {
      const { width, height, fit, attention = false, background } = target;
      image.resize({
        width,
        height,
        fit,
        ...(attention ? { position: 'attention' } : {}),
        ...(background === undefined ? {} : { background }),
      });
    }
    const { data, info } = await encode(image, order).toBuffer({ resolveWithObject: true });
    const { width, pageHeight } = info;
    return { kind: 'image', data, width, height: pageHeight ?? info.height };
  };

  // When memory runs out, the system should end this process and not the worker.
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // Another system, or not permitted: then it decides by itself.
  }
  // Nobody is left to answer; libvips may still be at work in another thread, so no orderly exit.
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  process.on('message', (order: EncoderOrder) => {
    void work(order)
      .catch(
        (error: unknown): EncoderAnswer => ({
          kind: 'error',
          message: error instanceof Error ? error.message : String(error),
        }),
      )
      .then((answer) => process.send?.(answer));
  });
}
