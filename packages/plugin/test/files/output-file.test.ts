import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ToolError } from '@longshore/plugin';
import { AllowedDirectories, createOutputFile, createOutputFolder } from '@longshore/plugin/files';

let dataDir: string;
const ann = { principal: 'ann', taskId: 'task-1' };

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'longshore-out-'));
});

afterAll(() => rm(dataDir, { recursive: true, force: true }));

async function put(owner: typeof ann, name: string, text: string): Promise<string> {
  const file = await createOutputFile({ dataDir }, owner, name);
  await writeFile(file.temporaryPath, text);
  expect(await file.commit()).toBe(text.length);
  return file.path;
}

describe('an output file', () => {
  it('has its name only once it is complete', async () => {
    const file = await createOutputFile({ dataDir }, ann, 'report.csv');
    await writeFile(file.temporaryPath, 'half');
    await expect(readFile(file.path)).rejects.toThrow('ENOENT');
    await file.commit();
    expect(await readFile(file.path, 'utf8')).toBe('half');
    await file.discard();
    expect(await readdir(join(dataDir, 'ann/task-1'))).toEqual(['report.csv']);
  });

  it('leaves nothing behind when discarded', async () => {
    const owner = { principal: 'ann', taskId: 'task-2' };
    const file = await createOutputFile({ dataDir }, owner, 'report.csv');
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
    await expect(createOutputFile({ dataDir }, ann, name)).rejects.toBeInstanceOf(ToolError);
  });

  it('stays in its place whatever the ids are', async () => {
    const path = await put({ principal: '../..', taskId: '/etc' }, 'safe.txt', 'ok');
    expect(path.startsWith(join(dataDir, '/'))).toBe(true);
  });
});

describe('an output folder', () => {
  const owner = { principal: 'ann', taskId: 'task-folder' };

  it('holds files in folders, readable for the same principal', async () => {
    const folder = createOutputFolder({ dataDir }, owner, 'thumbs');
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
    const folder = createOutputFolder({ dataDir }, owner, 'thumbs');
    await expect(folder.file(name)).rejects.toBeInstanceOf(ToolError);
  });

  it.each(['..', 'a/b', '.x', ''])('is not called %j', (name) => {
    expect(() => createOutputFolder({ dataDir }, owner, name)).toThrow(ToolError);
  });
});
