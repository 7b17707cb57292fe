import { appendFile, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ToolError } from '@longshore/plugin';
import { AllowedDirectories, createOutputFile, createOutputFolder } from '@longshore/plugin/files';

let dataDir: string;
const fileLimits = { fileBytes: 1_000, principalBytes: 10_000 };
const ann = { principal: 'ann', taskId: 'task-1' };

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'longshore-out-'));
});

afterAll(() => rm(dataDir, { recursive: true, force: true }));

async function put(owner: typeof ann, name: string, text: string): Promise<string> {
  const file = await createOutputFile({ dataDir, fileLimits }, owner, name);
  await writeFile(file.temporaryPath, text);
  expect(await file.commit()).toBe(text.length);
  return file.path;
}

describe('an output file', () => {
  it('has its name only once it is complete', async () => {
    const file = await createOutputFile({ dataDir, fileLimits }, ann, 'report.csv');
    await writeFile(file.temporaryPath, 'half');
    await expect(readFile(file.path)).rejects.toThrow('ENOENT');
    await file.commit();
    expect(await readFile(file.path, 'utf8')).toBe('half');
    await file.discard();
    expect(await readdir(join(dataDir, 'ann/task-1'))).toEqual(['report.csv']);
  });

  it('leaves nothing behind when discarded', async () => {
    const owner = { principal: 'ann', taskId: 'task-2' };
    const file = await createOutputFile({ dataDir, fileLimits }, owner, 'report.csv');
    await writeFile(file.temporaryPath, 'half');
    await file.discard();
    expect(await readdir(join(dataDir, 'ann/task-2'))).toEqual([]);
  });

  it('replaces what an earlier attempt wrote', async () => {
    await put(ann, 'again.txt', 'first');
    expect(await readFile(await put(ann, 'again.txt', 'second'), 'utf8')).toBe('second');
  });

  it('is readable for its principal and nobody else', async () => {
    const path = await put(ann, 'private.txt', 'mine');
    const host = { directories: [dataDir.replace(/$/, '-none')], dataDir };
    const hers = await AllowedDirectories.of(host, ann).open(path);
    expect(await hers.handle.readFile('utf8')).toBe('mine');
    await hers.close();
    await put({ principal: 'bob', taskId: 'task-9' }, 'other.txt', 'his');
    await expect(AllowedDirectories.of(host, { principal: 'bob' }).open(path)).rejects.toThrow(
      'is outside the directories',
    );
  });

  it('is private also where the allowed directories contain it', async () => {
    const signal = new AbortController().signal;
    const options = { maxFiles: 9, signal };
    const hers = await put(ann, 'contained.txt', 'mine');
    await put({ principal: 'bob', taskId: 'task-9' }, 'contained.txt', 'his');
    const bob = { principal: 'bob' };
    const equal = { directories: [dataDir], dataDir };
    const above = { directories: [join(dataDir, '..')], dataDir };
    const pattern = `${basename(dataDir)}/**/contained.txt`;
    for (const host of [equal, above]) {
      await expect(AllowedDirectories.of(host, bob).open(hers)).rejects.toThrow('is outside');
      const file = await AllowedDirectories.of(host, ann).open(hers);
      expect(await file.handle.readFile('utf8')).toBe('mine');
      await file.close();
    }
    await expect(
      AllowedDirectories.of(equal, bob).open('ann/task-1/contained.txt'),
    ).rejects.toThrow('is outside');
    await expect(AllowedDirectories.of(above, bob).list(pattern, options)).rejects.toThrow(
      'is outside',
    );
    expect(await AllowedDirectories.of(equal, bob).list('**/contained.txt', options)).toEqual([
      { name: 'task-9/contained.txt', sizeBytes: 3 },
    ]);
    const walked = await AllowedDirectories.of(above, bob)
      .list(`${basename(dataDir).slice(0, -1)}?/**`, options)
      .catch((error: unknown) => String(error));
    expect(walked).toContain('matches');
  });

  it.each([
    '',
    '.',
    '..',
    '.hidden',
    '../up.txt',
    'a/b.txt',
    '/etc/x',
    'a\0b',
    '-rf',
    'x'.repeat(129),
  ])('refuses the name %j', async (name) => {
    await expect(createOutputFile({ dataDir, fileLimits }, ann, name)).rejects.toBeInstanceOf(
      ToolError,
    );
  });

  it('stays in its place whatever the ids are', async () => {
    const path = await put({ principal: '../..', taskId: '/etc' }, 'safe.txt', 'ok');
    expect(path.startsWith(join(dataDir, '/'))).toBe(true);
  });
});

describe('what output files may take', () => {
  const carl = { principal: 'carl', taskId: 'task-3' };
  const host = () => ({ dataDir, fileLimits: { fileBytes: 10, principalBytes: 25 } });
  const whole = async (name: string, text: string): Promise<number> => {
    const file = await createOutputFile(host(), carl, name);
    try {
      await writeFile(file.temporaryPath, text);
      return await file.commit();
    } finally {
      await file.discard();
    }
  };

  it('is bounded for each of them, and for all of a principal', async () => {
    const tooLarge = await createOutputFile(host(), carl, 'large');
    tooLarge.grow(10);
    expect(() => tooLarge.grow(11)).toThrow('large is over the limit of 10 bytes for a file');
    await tooLarge.discard();
    await expect(whole('large', 'x'.repeat(11))).rejects.toThrow('is over the limit of 10 bytes');
    expect(await whole('a', 'x'.repeat(10))).toBe(10);
    // One that is being written counts with what it has by now.
    const open = await createOutputFile(host(), carl, 'b');
    open.grow(10);
    await expect(whole('c', 'x'.repeat(6))).rejects.toThrow('all files of yours may take 25 bytes');
    await open.discard();
    expect(await whole('c', 'x'.repeat(6))).toBe(6);
    expect((await readdir(join(dataDir, 'carl/task-3'))).sort()).toEqual(['a', 'c']);
    // Somebody else has room of his own.
    const other = await createOutputFile(host(), { principal: 'dora', taskId: 'task-4' }, 'a');
    other.grow(10);
    await other.discard();
  });

  it('is watched while something else writes, which is stopped', async () => {
    const file = await createOutputFile(host(), { principal: 'emil', taskId: 'task-5' }, 'log');
    const written = file.watch(new AbortController().signal, async (signal) => {
      for (;;) {
        signal.throwIfAborted();
        await appendFile(file.temporaryPath, 'x');
      }
    });
    await expect(written).rejects.toThrow('log is over the limit of 10 bytes');
    await file.discard();
  });

  it('is for nobody else on the machine', async () => {
    const owner = { principal: 'fred', taskId: 'task-6' };
    const path = await put(owner, 'private.txt', 'mine');
    const modes = [path, join(path, '..'), join(path, '../..')].map(async (each) =>
      ((await stat(each)).mode & 0o777).toString(8),
    );
    expect(await Promise.all(modes)).toEqual(['600', '700', '700']);
  });
});

describe('an output folder', () => {
  const owner = { principal: 'ann', taskId: 'task-folder' };

  it('holds files in folders, readable for the same principal', async () => {
    const folder = createOutputFolder({ dataDir, fileLimits }, owner, 'thumbs');
    const file = await folder.file('2024/Große Brücke (1).webp');
    await writeFile(file.temporaryPath, 'pixels');
    await file.commit();
    expect(file.path).toBe(join(dataDir, 'ann/task-folder/thumbs/2024/Große Brücke (1).webp'));
    const host = { directories: [], dataDir };
    const listed = await AllowedDirectories.of(host, ann).list(folder.path, {
      maxFiles: 10,
      signal: new AbortController().signal,
    });
    expect(listed.map(({ name }) => name)).toEqual([file.path]);
  });

  it.each([
    '../up.webp',
    'a/../../up',
    '/abs',
    'a//b',
    '.hidden',
    'a/.b',
    'a\\b',
    'a\0b',
    'c:d',
    '',
  ])('refuses the name %j', async (name) => {
    const folder = createOutputFolder({ dataDir, fileLimits }, owner, 'thumbs');
    await expect(folder.file(name)).rejects.toBeInstanceOf(ToolError);
  });

  it.each(['..', 'a/b', '.x', ''])('is not called %j', (name) => {
    expect(() => createOutputFolder({ dataDir, fileLimits }, owner, name)).toThrow(ToolError);
  });
});
