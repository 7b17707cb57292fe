import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { describe, expect, it } from '@jest/globals';
import { createFiles, type FileSink } from '../../src/host.ts';
import { defineTool, type TaskFiles, z } from '../../src/index.ts';
import { runTool, startTool } from '../../src/testing/index.ts';

const TASK = '00000000-0000-4000-8000-000000000001';

/** A host that says what became of its one file. */
function recordingHost(sink: Partial<FileSink> = {}): { files: TaskFiles; calls: string[] } {
  const calls: string[] = [];
  const files = createFiles({
    taskId: TASK,
    open: async ({ name, mimeType }) => {
      calls.push(`open ${name} ${mimeType}`);
      return {
        write: async (chunk) => {
          calls.push(`write ${Buffer.from(chunk).toString()}`);
          await sink.write?.(chunk);
        },
        close: async () => {
          calls.push('close');
          await sink.close?.();
        },
        abort: async () => {
          calls.push('abort');
        },
      };
    },
  });
  return { files, calls };
}

describe('a file of a task', () => {
  it('is written piece by piece, and named by a link', async () => {
    const { files, calls } = recordingHost();
    const link = await files.file('ä b.csv', { mimeType: 'text/csv' }).save(['a,', 'b\n']);
    expect(calls).toEqual(['open ä b.csv text/csv', 'write a,', 'write b\n', 'close']);
    expect(link).toEqual({
      type: 'resource_link',
      uri: `longshore://tasks/${TASK}/files/%C3%A4%20b.csv`,
      name: 'ä b.csv',
      mimeType: 'text/csv',
    });
  });

  it.each([
    ['a text', 'text'],
    ['bytes', Buffer.from('text')],
    ['a stream', Readable.from(['text'])],
    [
      'a generator',
      (function* () {
        yield 'text';
      })(),
    ],
  ])('is saved from %s', async (_what, content) => {
    const { files, calls } = recordingHost();
    await files.file('f').save(content);
    expect(calls).toEqual(['open f application/octet-stream', 'write text', 'close']);
  });

  it('is a stream for those who have one', async () => {
    const { files, calls } = recordingHost();
    await pipeline(Readable.from(['x', 'y']), files.file('f'));
    expect(calls.slice(1)).toEqual(['write x', 'write y', 'close']);
  });

  it('may be empty', async () => {
    const { files, calls } = recordingHost();
    await files.file('f').save('');
    expect(calls.at(-1)).toBe('close');
  });

  it('makes its writer wait while the host does', async () => {
    let goOn = (): void => {};
    const gate = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const { files } = recordingHost({ write: () => gate });
    let produced = 0;
    const endless = (function* () {
      for (; produced < 10_000; produced += 1) yield Buffer.alloc(1_000);
    })();
    const saved = files.file('f').save(endless);
    await new Promise((resolve) => setImmediate(resolve));
    expect(produced).toBeLessThan(100);
    goOn();
    await saved;
    expect(produced).toBe(10_000);
  });

  it('is given up when its source fails, or the host', async () => {
    const source = recordingHost();
    const failing = (function* () {
      yield 'half';
      throw new Error('no more');
    })();
    await expect(source.files.file('f').save(failing)).rejects.toThrow('no more');
    expect(source.calls.at(-1)).toBe('abort');
    const host = recordingHost({ close: () => Promise.reject(new Error('not kept')) });
    await expect(host.files.file('f').save('x')).rejects.toThrow('not kept');
    expect(host.calls.slice(-2)).toEqual(['close', 'abort']);
  });

  it.each([
    '',
    'a/b',
    'a\\b',
    '..',
    '.hidden',
    'x.',
    ' x',
    'a\u0000b',
    'a\u202Eb',
    '\uD800',
    'ä'.repeat(101),
  ])('is not called %j', (name) => {
    expect(() => recordingHost().files.file(name)).toThrow(TypeError);
  });

  it.each(['', 'text', 'text/', 'text/x\r\nSet-Cookie: a', 'text/html; q="', 'a/b/c'])(
    'is not of the type %j',
    (mimeType) => {
      expect(() => recordingHost().files.file('f', { mimeType })).toThrow('no media type');
    },
  );

  it.each(['text/csv', 'application/vnd.ms-excel', 'text/plain; charset=utf-8', 'image/svg+xml'])(
    'may be of the type %j',
    async (mimeType) => {
      expect((await recordingHost().files.file('f', { mimeType }).save('')).mimeType).toBe(
        mimeType,
      );
    },
  );
});

describe('the test kit', () => {
  const report = defineTool({
    name: 'report',
    description: 'Writes a file.',
    input: z.object({ rows: z.int() }),
    async run({ rows }, ctx) {
      const lines = Array.from({ length: rows }, (_, n) => `${n}\n`);
      await ctx.file('rows.txt', { mimeType: 'text/plain' }).save(lines);
      return `${rows} rows`;
    },
  });

  it('records files that were finished', async () => {
    const { files, output } = await runTool(report, { rows: 3 });
    expect(output).toBe('3 rows');
    expect(files.get('rows.txt')).toMatchObject({ mimeType: 'text/plain', text: '0\n1\n2\n' });
  });

  it('takes no files of a run that was stopped', async () => {
    const run = startTool(report, { rows: 3 });
    run.abort(new Error('stopped'));
    await expect(run.output).rejects.toThrow('stopped');
    expect(run.files.size).toBe(0);
  });
});
