import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ToolError } from '@longshore/plugin';
import { type RunOptions, runTool, startTool, ToolSchemaError } from '@longshore/plugin/testing';
import * as plugin from '@longshore/plugin-images';
import { createPluginWorkspace, type PluginWorkspace } from '@longshore/testing/plugins';
import sharp from 'sharp';
import { Encoder } from '../src/encoder.ts';
import { animation, gradient, pixelBomb, sidewaysPhoto } from './sample-images.ts';

interface Made {
  readonly folder: string;
  readonly done: number;
  readonly failed: number;
  readonly bytes_before: number;
  readonly bytes_after: number;
  readonly files: readonly {
    readonly source: string;
    readonly path: string;
    readonly format: string;
    readonly width: number;
    readonly height: number;
    readonly bytes: number;
  }[];
  readonly failures: readonly {
    readonly source: string;
    readonly code: string;
    readonly message: string;
  }[];
}

let workspace: PluginWorkspace;
let photo: Buffer;

beforeAll(async () => {
  workspace = await createPluginWorkspace(plugin);
  photo = await sidewaysPhoto(320, 200);
  await workspace.write('photos/harbour.jpg', photo);
  await workspace.write(
    'photos/2024/Große Brücke (1).png',
    await gradient(64, 48).png().toBuffer(),
  );
  await workspace.write('photos/notes.txt', 'not an image, and not called like one');
  await workspace.write('moving/flag.gif', await animation(60, 40));
  await workspace.write('twins/a.jpg', photo);
  await workspace.write('twins/a.png', await gradient(20, 20).png().toBuffer());
  await workspace.write('bad/bomb.png', await pixelBomb());
  await workspace.write('bad/half.jpg', photo.subarray(0, photo.length / 2));
  await workspace.write('bad/empty.png', '');
  await workspace.write('bad/text.jpg', 'hello');
  await workspace.write(
    'bad/drawing.png',
    '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>',
  );
  await workspace.write('bad/good.webp', await gradient(16, 16).webp().toBuffer());
  for (let number = 0; number < 12; number += 1) {
    await workspace.write(`many/${String(number).padStart(2, '0')}.jpg`, photo);
  }
});

afterAll(() => workspace.remove());

let tasks = 0;
/** Each run is a task of its own, so that none finds files of another. */
const run = async (tool: string, input: object, options: RunOptions = {}) => {
  tasks += 1;
  const finished = await runTool(workspace.tool(tool), input, {
    taskId: `task-${tasks}`,
    principal: 'ann',
    ...options,
  });
  return { ...finished, output: finished.output as Made };
};

describe('images_info', () => {
  it('describes the images of a folder, as they are seen', async () => {
    const { output } = await runTool(workspace.tool('images_info'), { paths: ['photos'] });
    expect(output).toEqual({
      images: 2,
      failed: 0,
      total_bytes: expect.any(Number),
      formats: { jpeg: 1, png: 1 },
      files: [
        expect.objectContaining({
          path: 'photos/2024/Große Brücke (1).png',
          width: 64,
          height: 48,
        }),
        {
          path: 'photos/harbour.jpg',
          format: 'jpeg',
          width: 200,
          height: 320,
          frames: 1,
          bytes: photo.length,
          has_alpha: false,
          colour_space: 'srgb',
          has_metadata: true,
        },
      ],
      failures: [],
    });
  });

  it('says what is wrong with each bad file, and goes on', async () => {
    const { output } = await runTool(workspace.tool('images_info'), {
      paths: ['bad', 'photos/notes.txt', 'moving'],
    });
    const { images, failures } = output as {
      images: number;
      failures: { path: string; code: string }[];
    };
    // The header of half a file is whole: only its pixels are missing.
    expect(images).toBe(3);
    expect(failures.map(({ path, code }) => [path, code])).toEqual([
      ['bad/bomb.png', 'TOO_MANY_PIXELS'],
      ['bad/drawing.png', 'NOT_AN_IMAGE'],
      ['bad/empty.png', 'NOT_AN_IMAGE'],
      ['bad/text.jpg', 'NOT_AN_IMAGE'],
      ['photos/notes.txt', 'NOT_AN_IMAGE'],
    ]);
  });
});

describe('images_resize', () => {
  it('keeps shape and folders, turns upright, drops metadata and leaves the originals alone', async () => {
    const { output, progress } = await run('images_resize', { paths: ['photos'], width: 100 });
    expect(output).toMatchObject({ done: 2, failed: 0 });
    expect(
      output.files.map(({ path, width, height }) => [relative(output.folder, path), width, height]),
    ).toEqual([
      ['2024/Große Brücke (1).png', 64, 48],
      ['harbour.jpg', 100, 160],
    ]);
    const made = output.files[1]?.path ?? '';
    const metadata = await sharp(made).metadata();
    expect(metadata).toMatchObject({ format: 'jpeg', width: 100, height: 160 });
    expect([metadata.exif, metadata.orientation]).toEqual([undefined, undefined]);
    expect(await readFile(join(workspace.root, 'in/photos/harbour.jpg'))).toEqual(photo);
    expect(progress.at(-1)).toEqual({ done: 2, total: 2, message: '2 of 2' });
    expect(output.bytes_after).toBe(output.files.reduce((sum, { bytes }) => sum + bytes, 0));
  });

  it.each([
    [{ width: 100, height: 100 }, 63, 100],
    [{ width: 100, height: 100, fit: 'cover' }, 100, 100],
    [{ width: 100, height: 100, fit: 'contain' }, 100, 100],
    [{ width: 100, height: 100, fit: 'fill' }, 100, 100],
    [{ height: 160 }, 100, 160],
    [{ width: 400 }, 200, 320],
    [{ width: 400, enlarge: true }, 400, 640],
    [{ width: 400, height: 400, fit: 'cover' }, 200, 200],
    [{ width: 400, height: 400, fit: 'contain' }, 320, 320],
    [{ width: 400, height: 300, fit: 'cover', enlarge: true }, 400, 300],
  ])('makes of 200 x 320 with %j: %i x %i', async (wanted, width, height) => {
    const { output } = await run('images_resize', { paths: ['photos/harbour.jpg'], ...wanted });
    const metadata = await sharp(output.files[0]?.path ?? '').metadata();
    expect([metadata.width, metadata.height]).toEqual([width, height]);
  });

  it('keeps all frames of an animation where the format can', async () => {
    const frames = async (format: string) => {
      const { output } = await run('images_resize', { paths: ['moving'], width: 30, format });
      const {
        pages = 1,
        width,
        pageHeight,
        height,
      } = await sharp(output.files[0]?.path ?? '', {
        animated: true,
      }).metadata();
      expect(output.files[0]).toMatchObject({ width: 30, height: 20 });
      return [pages, width, pageHeight ?? height];
    };
    expect([await frames('webp'), await frames('gif'), await frames('png')]).toEqual([
      [3, 30, 20],
      [3, 30, 20],
      [1, 30, 20],
    ]);
  });

  it('refuses to write more pixels than it would read', async () => {
    const { output } = await run('images_resize', {
      paths: ['photos/harbour.jpg'],
      width: 16_000,
      enlarge: true,
    });
    expect(output).toMatchObject({ done: 0, failed: 1, failures: [{ code: 'TOO_MANY_PIXELS' }] });
  });

  it.each([
    ['avif', 9_999],
    ['webp', 9_999],
    ['gif', 9_999],
  ])('refuses %s that its encoder takes gigabytes for', async (format, side) => {
    const { output } = await run('images_resize', {
      paths: ['photos/harbour.jpg'],
      width: side,
      height: side,
      fit: 'fill',
      enlarge: true,
      format,
    });
    expect(output).toMatchObject({ done: 0, failed: 1, failures: [{ code: 'TOO_MANY_PIXELS' }] });
  });

  it.each([
    [{ paths: ['photos'] }, 'say a width'],
    [{ paths: ['photos'], width: 10, folder: '../up' }, 'is no file name'],
    [{ paths: ['../photos'], width: 10 }, 'is outside the directories'],
    [{ paths: ['photos/missing.jpg'], width: 10 }, 'does not exist'],
    [{ paths: ['photos/*.txt'], width: 10 }, 'no image in photos/*.txt'],
  ])('refuses %j', async (input, message) => {
    const failed = run('images_resize', input);
    await expect(failed).rejects.toThrow(message);
    await expect(failed).rejects.toBeInstanceOf(ToolError);
  });

  it.each([
    { paths: [] },
    { paths: ['a'], width: 0 },
    { paths: ['a'], width: 20_000 },
    { paths: ['a'], width: 10, background: 'url(x)' },
    { paths: ['a'], width: 10, format: 'svg' },
  ])('refuses the arguments %j', async (input) => {
    await expect(run('images_resize', input)).rejects.toBeInstanceOf(ToolSchemaError);
  });
});

describe('images_convert', () => {
  it.each(['jpeg', 'png', 'webp', 'gif', 'avif', 'tiff'])(
    'writes %s that reads back',
    async (to) => {
      const { output } = await run('images_convert', { paths: ['photos/harbour.jpg'], to });
      const path = output.files[0]?.path ?? '';
      const metadata = await sharp(path).metadata();
      expect(metadata.format).toBe(to === 'avif' ? 'heif' : to);
      expect([metadata.width, metadata.height]).toEqual([200, 320]);
      const again = await runTool(
        workspace.tool('images_info'),
        { paths: [path] },
        { principal: 'ann' },
      );
      expect(again.output).toMatchObject({ images: 1, formats: { [to]: 1 } });
    },
  );

  it('gives files that would be called the same different names', async () => {
    const { output } = await run('images_convert', { paths: ['twins'], to: 'webp' });
    const names = output.files.map(({ path }) => relative(output.folder, path));
    expect(names.sort()).toEqual(['a-2.webp', 'a.webp']);
    expect(output.done).toBe(2);
  });

  it('tells bad files apart and converts the good one', async () => {
    const { output, progress } = await run('images_convert', { paths: ['bad'], to: 'png' });
    expect(output.files.map(({ source }) => source)).toEqual(['bad/good.webp']);
    expect(output.failures.map(({ source, code }) => [source, code])).toEqual([
      ['bad/bomb.png', 'TOO_MANY_PIXELS'],
      ['bad/drawing.png', 'NOT_AN_IMAGE'],
      ['bad/empty.png', 'NOT_AN_IMAGE'],
      ['bad/half.jpg', 'DAMAGED'],
      ['bad/text.jpg', 'NOT_AN_IMAGE'],
    ]);
    expect(progress.at(-1)?.message).toBe('6 of 6, 5 failed');
    expect(await readdir(output.folder)).toEqual(['good.png']);
  });
});

describe('images_thumbnail', () => {
  it('makes small ones of the first frame, in shape or square, and enlarges nothing', async () => {
    const shaped = await run('images_thumbnail', { paths: ['photos', 'moving'], size: 50 });
    expect(shaped.output.files.map(({ width, height, format }) => [width, height, format])).toEqual(
      [
        [50, 38, 'webp'],
        [31, 50, 'webp'],
        [50, 33, 'webp'],
      ],
    );
    const square = await run('images_thumbnail', { paths: ['photos'], size: 60, square: true });
    expect(square.output.files.map(({ width, height }) => [width, height])).toEqual([
      [48, 48],
      [60, 60],
    ]);
    const flag = shaped.output.files[2]?.path ?? '';
    expect((await sharp(flag, { animated: true }).metadata()).pages ?? 1).toBe(1);
  });
});

describe('an image that needs more memory than its process has', () => {
  it('fails alone, and the next one is encoded', async () => {
    const encoder = new Encoder(200_000);
    const order = (side: number) => ({
      bytes: photo,
      open: {},
      timeoutMs: 60_000,
      target: { width: side, height: side, fit: 'fill' as const },
      format: 'avif' as const,
      quality: 50,
    });
    const { signal } = new AbortController();
    try {
      await expect(encoder.encode(order(4_000), signal)).rejects.toThrow(/memory|alloc|heif/i);
      await expect(encoder.encode(order(16), signal)).resolves.toMatchObject({ width: 16 });
    } finally {
      encoder.close();
    }
  });
});

describe('a task that is interrupted', () => {
  const input = { paths: ['many'], to: 'webp' };
  const options = { taskId: 'interrupted', principal: 'ann' };

  it('stops, and leaves no half file', async () => {
    const stopped = startTool(workspace.tool('images_convert'), input, {
      taskId: 'stopped',
      principal: 'ann',
      onProgress: ({ done }) => {
        if (done === 6) stopped.abort(new Error('killed'));
      },
    });
    await expect(stopped.output).rejects.toThrow('killed');
    const written = await readdir(join(workspace.host.dataDir, 'ann/stopped/converted'));
    expect(written.length).toBeLessThan(12);
    for (const name of written.filter((file) => !file.startsWith('.'))) {
      const path = join(workspace.host.dataDir, 'ann/stopped/converted', name);
      expect((await sharp(path).metadata()).width).toBe(200);
    }
  });

  it('does the rest only, and again what is not on the disk any more', async () => {
    const whole = await run('images_convert', input, options);
    // As if the first attempt had been killed in the middle: what it had saved, and what it had written.
    const saved = [...whole.checkpoints.values()].flat().slice(0, 6) as { name: string }[];
    const path = ({ name }: { name: string }): string => join(whole.output.folder, name);
    const kept = saved.slice(1);
    for (const { path: made } of whole.output.files) {
      if (!kept.some((entry) => path(entry) === made)) await rm(made);
    }
    const modified = () =>
      Promise.all(kept.map(async (entry) => (await stat(path(entry), { bigint: true })).mtimeNs));
    const before = await modified();
    const again = await run('images_convert', input, {
      ...options,
      attempt: 2,
      checkpoints: new Map([['images/0', saved]]),
    });
    expect(again.output).toEqual(whole.output);
    expect(again.progress.map(({ done }) => done)).toEqual([5, 6, 7, 8, 9, 10, 11, 12]);
    expect(await modified()).toEqual(before);
    expect(await readdir(whole.output.folder)).toHaveLength(12);
  });
});
