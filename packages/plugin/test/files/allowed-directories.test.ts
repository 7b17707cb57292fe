import { execFileSync } from 'node:child_process';
import { link, mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ToolError } from '@longshore/plugin';
import { AllowedDirectories } from '@longshore/plugin/files';

let root: string;
let files: AllowedDirectories;

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'longshore-guard-')));
  await mkdir(join(root, 'in/sub/deep'), { recursive: true });
  await mkdir(join(root, 'second'), { recursive: true });
  await mkdir(join(root, 'in/.git'), { recursive: true });
  await mkdir(join(root, 'in/.out/mine'), { recursive: true });
  await mkdir(join(root, 'in-not'), { recursive: true });
  await writeFile(join(root, 'secret.txt'), 'secret');
  await writeFile(join(root, 'in-not/a.txt'), 'secret');
  await writeFile(join(root, 'in/a.txt'), 'inside');
  await writeFile(join(root, 'in/..b.txt'), 'odd');
  await writeFile(join(root, 'in/.env'), 'KEY=1');
  await writeFile(join(root, 'in/.git/config'), 'x');
  await writeFile(join(root, 'in/.out/mine/r.txt'), 'result');
  await writeFile(join(root, 'in/sub/b.txt'), 'b');
  await writeFile(join(root, 'in/sub/deep/c.md'), 'cc');
  await writeFile(join(root, 'second/only-here.txt'), 'two');
  await symlink(join(root, 'in/sub/b.txt'), join(root, 'in/good-link.txt'));
  await symlink('../secret.txt', join(root, 'in/bad-link.txt'));
  await symlink(root, join(root, 'in/up'));
  await symlink(join(root, 'in/.env'), join(root, 'in/env-link.txt'));
  await symlink('loop', join(root, 'in/loop'));
  await symlink(join(root, 'in'), join(root, 'alias'));
  execFileSync('mkfifo', [join(root, 'in/pipe')]);
  files = new AllowedDirectories([join(root, 'in'), join(root, 'second'), join(root, 'absent')]);
});

afterAll(() => rm(root, { recursive: true, force: true }));

async function read(path: string, from = files): Promise<string> {
  const file = await from.open(path);
  try {
    return await file.handle.readFile('utf8');
  } finally {
    await file.close();
  }
}

describe('opening a file', () => {
  it('reads by a path relative to a directory', async () => {
    expect(await read('a.txt')).toBe('inside');
    expect(await read('./sub/../sub/b.txt')).toBe('b');
  });

  it('reads by an absolute path', async () => {
    expect(await read(join(root, 'in/a.txt'))).toBe('inside');
  });

  it('looks in each directory in turn', async () => {
    expect(await read('only-here.txt')).toBe('two');
  });

  it('follows a link that stays inside', async () => {
    expect(await read('good-link.txt')).toBe('b');
  });

  it('takes a directory that is itself a link, under both its names', async () => {
    const alias = new AllowedDirectories([join(root, 'alias')]);
    expect(await read(join(root, 'alias/a.txt'), alias)).toBe('inside');
    expect(await read(join(root, 'in/a.txt'), alias)).toBe('inside');
  });

  it('takes a directory whose own path is hidden, though another directory hides it', async () => {
    const both = new AllowedDirectories([join(root, 'in'), join(root, 'in/.out/mine')]);
    expect(await read(join(root, 'in/.out/mine/r.txt'), both)).toBe('result');
    expect(await read('r.txt', both)).toBe('result');
  });

  it('says what the file is', async () => {
    const file = await files.open('sub/b.txt');
    expect(file).toMatchObject({
      name: 'sub/b.txt',
      path: join(root, 'in/sub/b.txt'),
      sizeBytes: 1,
    });
    await file.close();
    await file.close();
  });
});

describe('a path that is refused', () => {
  const outside = 'is outside the directories this server may read';

  it.each<[string, () => string, string]>([
    ['nothing', () => '', 'the path is empty'],
    ['a NUL character', () => 'a.txt\0.csv', 'contains a NUL character'],
    ['..', () => '../secret.txt', outside],
    ['.. behind a folder', () => 'sub/../../secret.txt', outside],
    ['many ..', () => '../../../../../../../../etc/passwd', outside],
    ['an absolute path', () => '/etc/passwd', outside],
    ['an absolute path with ..', () => `${join(root, 'in')}/../secret.txt`, outside],
    ['a neighbour with the same beginning', () => join(root, 'in-not/a.txt'), outside],
    ['a link that leads outside', () => 'bad-link.txt', outside],
    ['a folder link that leads outside', () => 'up/secret.txt', outside],
    ['a missing file behind a link that leads outside', () => 'up/no-such-file', outside],
    ['a missing folder behind a link that leads outside', () => 'up/no/such/file', outside],
    ['a hidden file', () => '.env', 'is hidden'],
    ['a file in a hidden folder', () => '.git/config', 'is hidden'],
    ['a name that starts with two dots', () => '..b.txt', 'is hidden'],
    ['a link to a hidden file', () => 'env-link.txt', outside],
    ['a file that is not there', () => 'none.txt', 'none.txt does not exist'],
    ['a file below a file', () => 'a.txt/b', 'does not exist'],
    ['a folder', () => 'sub', 'sub is a directory, not a file'],
    ['a pipe', () => 'pipe', 'pipe is not a regular file'],
    ['a link to itself', () => 'loop', 'goes through too many symbolic links'],
    ['a name longer than names can be', () => 'x'.repeat(300), 'is too long for a path'],
    ['a path of another system', () => 'C:\\Windows\\win.ini', 'does not exist'],
    ['a URL', () => 'file:///etc/passwd', 'does not exist'],
    ['an encoded ..', () => '%2e%2e/secret.txt', 'does not exist'],
  ])('%s', async (_what, path, message) => {
    await expect(files.open(path())).rejects.toThrow(message);
    await expect(files.open(path())).rejects.toBeInstanceOf(ToolError);
  });

  it('in any way, when none of the directories exists', async () => {
    const none = new AllowedDirectories([join(root, 'absent')]);
    await expect(none.open('a.txt')).rejects.toThrow('none of the allowed directories exists');
  });

  it('has no way out while a file and a link to a secret are swapped all the time', async () => {
    const target = join(root, 'in/swap.txt');
    const [honest, evil] = [join(root, 'in/honest.tmp'), join(root, 'in/evil.tmp')];
    await writeFile(honest, 'inside');
    await symlink(join(root, 'secret.txt'), evil);
    let stop = false;
    const swapping = (async () => {
      while (!stop) {
        await link(honest, `${target}.n`).then(() => rename(`${target}.n`, target));
        await symlink(join(root, 'secret.txt'), `${target}.n`).then(() =>
          rename(`${target}.n`, target),
        );
      }
    })();
    const seen = new Set<string>();
    // On a slow machine the honest file is rarely there when it is read.
    for (let turn = 0; turn < 2_000 || (!seen.has('inside') && turn < 100_000); turn += 1) {
      seen.add(await read('swap.txt').catch((error: unknown) => `refused: ${String(error)}`));
    }
    stop = true;
    await swapping;
    expect(seen).toContain('inside');
    expect(seen).not.toContain('secret');
  });
});

describe('listing files', () => {
  const list = async (path: string, maxFiles = 100) => {
    const found = await files.list(path, { maxFiles, signal: new AbortController().signal });
    return found.map(({ name }) => name);
  };

  it('finds a file, all files of a folder, or what a pattern matches', async () => {
    expect(await list('a.txt')).toEqual(['a.txt']);
    expect(await list('sub')).toEqual(['sub/b.txt', 'sub/deep/c.md']);
    expect(await list('sub/')).toEqual(['sub/b.txt', 'sub/deep/c.md']);
    expect(await list('sub/*')).toEqual(['sub/b.txt']);
    expect(await list('**/*.md')).toEqual(['sub/deep/c.md']);
    expect(await list('sub/**')).toEqual(['sub/b.txt', 'sub/deep/c.md']);
    expect(await list('s*/d??p/?.md')).toEqual(['sub/deep/c.md']);
    expect(await list(join(root, 'in/sub/*.txt'))).toEqual([join(root, 'in/sub/b.txt')]);
  });

  it('leaves out hidden files and links', async () => {
    expect(await list('.')).toEqual(
      expect.not.arrayContaining(['.env', '.git/config', 'good-link.txt', 'up/secret.txt']),
    );
    await expect(list('.*')).rejects.toThrow('no file in . matches');
  });

  it('gives names that can be opened', async () => {
    for (const name of await list('**/*.txt')) expect(await read(name)).toBeTruthy();
  });

  it('refuses what opening refuses', async () => {
    await expect(list('../*')).rejects.toThrow('is outside the directories');
    await expect(list('/etc/*')).rejects.toThrow('is outside the directories');
    await expect(list('up/*')).rejects.toThrow('is outside the directories');
    await expect(list('.git/*')).rejects.toThrow('is hidden');
  });

  it('refuses to leave files out silently', async () => {
    expect(await list('sub', 2)).toHaveLength(2);
    await expect(list('sub', 1)).rejects.toThrow('holds more than 1 matching files');
  });

  it('takes a pattern of many stars in stride', async () => {
    await writeFile(join(root, 'in', 'a'.repeat(200)), '');
    await expect(list(`${'*a'.repeat(100)}*b`)).rejects.toThrow('no file in . matches');
  });

  it('stops when it is told to', async () => {
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(files.list('.', { maxFiles: 10, signal })).rejects.toThrow('enough');
  });
});
