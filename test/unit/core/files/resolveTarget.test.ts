import fc from 'fast-check';
import assert from 'node:assert/strict';
import { ToolError } from '../../../../src/core/support/toolError.ts';
import {
  type Location,
  type Platform,
  segmentsOf,
  type Target,
  type WorkspaceFolder,
} from '../../../../src/core/files/places.ts';
import {
  isBroadRoot,
  locateDropped,
  resolveTarget,
} from '../../../../src/core/files/resolveTarget.ts';
import { fileAt } from '../approval/policyRig.ts';
import { FakeDisk } from './fakeDisk.ts';

const platforms = ['linux', 'mac', 'windows'] as const;

/** A workspace `/ws` (`c:/ws`) next to a folder `/out`, with links in all directions. */
function createDisk(platform: Platform): { disk: FakeDisk; folders: readonly WorkspaceFolder[] } {
  const drive = platform === 'windows' ? '/c:' : '';
  const disk = new FakeDisk(platform)
    .file(`${drive}/ws/src/app.ts`)
    .file(`${drive}/ws/README.md`)
    .file(`${drive}/ws/caf\u00e9.md`)
    .file(`${drive}/ws-other/app.ts`)
    .file(`${drive}/out/secret.txt`)
    .link(`${drive}/ws/out`, `${drive}/out`)
    .link(`${drive}/ws/notes.txt`, `${drive}/out/secret.txt`)
    .link(`${drive}/ws/code`, 'src')
    .link(`${drive}/ws/code-again`, 'code')
    .link(`${drive}/ws/nowhere`, `${drive}/out/new.txt`)
    .link(`${drive}/ws/circle`, 'circle2')
    .link(`${drive}/ws/circle2`, 'circle')
    .link(`${drive}/back`, `${drive}/ws`);
  return { disk, folders: [{ name: 'ws', location: fileAt(`${drive}/ws`) }] };
}

/**
 * Result for a path: `+label` inside, `-path` outside, `denied`, `failed`, `error` of the disk.
 * One for all platforms, or one for Linux, one for the Mac and one for Windows.
 */
type Outcome = string;
const table: readonly (readonly [string, Outcome, Outcome?, Outcome?])[] = [
  // Plain paths
  ['src/app.ts', '+src/app.ts'],
  ['./src/app.ts', '+src/app.ts'],
  ['src/./app.ts', '+src/app.ts'],
  ['.', '+.'],
  ['', '+.'],
  ['src', '+src'],
  ['src/new.ts', '+src/new.ts'],
  ['new/deep/file.ts', '+new/deep/file.ts'],
  ['src/app.ts/below-a-file', '+src/app.ts/below-a-file'],
  ['...', '+...', '+...', 'denied'],
  ['~backup/a', '+~backup/a'],
  // Parent folders
  ['..', '-/', '-/', '-c:'],
  ['../out/secret.txt', '-/out/secret.txt', '-/out/secret.txt', '-c:/out/secret.txt'],
  ['src/../../out/secret.txt', '-/out/secret.txt', '-/out/secret.txt', '-c:/out/secret.txt'],
  ['src/../README.md', '+README.md'],
  ['../ws/README.md', '+README.md'],
  ['../ws-other/app.ts', '-/ws-other/app.ts', '-/ws-other/app.ts', '-c:/ws-other/app.ts'],
  ['../../../../../etc/passwd', '-/etc/passwd', '-/etc/passwd', '-c:/etc/passwd'],
  ['missing/../src/app.ts', '+src/app.ts'],
  ['out/../README.md', '+README.md'],
  // Links
  ['out/secret.txt', '-/out/secret.txt', '-/out/secret.txt', '-c:/out/secret.txt'],
  ['out/new.txt', '-/out/new.txt', '-/out/new.txt', '-c:/out/new.txt'],
  ['out/deep/new.txt', '-/out/deep/new.txt', '-/out/deep/new.txt', '-c:/out/deep/new.txt'],
  ['notes.txt', '-/out/secret.txt', '-/out/secret.txt', '-c:/out/secret.txt'],
  ['code/app.ts', '+src/app.ts'],
  ['code-again/app.ts', '+src/app.ts'],
  ['code/new.ts', '+src/new.ts'],
  ['nowhere', 'error'],
  ['circle', 'error'],
  ['circle/a', 'error'],
  // Absolute paths
  ['/ws/src/app.ts', '+src/app.ts', '+src/app.ts', 'denied'],
  ['/back/src/app.ts', '+src/app.ts', '+src/app.ts', 'denied'],
  ['/ws', '+.', '+.', 'denied'],
  ['/ws-other/app.ts', '-/ws-other/app.ts', '-/ws-other/app.ts', 'denied'],
  ['/etc/passwd', '-/etc/passwd', '-/etc/passwd', 'denied'],
  ['/', '-/', '-/', 'denied'],
  ['/ws/../out/secret.txt', '-/out/secret.txt', '-/out/secret.txt', 'denied'],
  ['c:\\ws\\src\\app.ts', 'denied', 'denied', '+src/app.ts'],
  ['C:/ws/src/app.ts', 'denied', 'denied', '+src/app.ts'],
  ['c:/WS/SRC/APP.TS', 'denied', 'denied', '+SRC/APP.TS'],
  ['c:/back/src/app.ts', 'denied', 'denied', '+src/app.ts'],
  ['c:/ws/../../out/secret.txt', 'denied', 'denied', '-c:/out/secret.txt'],
  ['c:src/app.ts', '+c:src/app.ts', '+c:src/app.ts', 'denied'],
  ['c:', '+c:', '+c:', 'denied'],
  ['src\\app.ts', '+src\\app.ts', '+src\\app.ts', '+src/app.ts'],
  ['..\\out\\secret.txt', '+..\\out\\secret.txt', '+..\\out\\secret.txt', '-c:/out/secret.txt'],
  ['src\\..\\..\\out', '+src\\..\\..\\out', '+src\\..\\..\\out', '-c:/out'],
  // Case and Unicode normalization
  ['/WS/src/app.ts', '-/WS/src/app.ts', '+src/app.ts', 'denied'],
  ['cafe\u0301.md', '+cafe\u0301.md'],
  ['/ws/CAFÉ.md', '+CAFÉ.md', '+CAFÉ.md', 'denied'],
  // Network paths, devices, streams, short names
  ['\\\\evil\\share\\x', 'denied'],
  ['//evil/share/x', 'denied'],
  ['\\/evil/share', '+\\/evil/share', '+\\/evil/share', 'denied'],
  ['\\\\?\\C:\\ws\\README.md', 'denied'],
  ['\\\\.\\PhysicalDrive0', 'denied'],
  ['NUL', '+NUL', '+NUL', 'denied'],
  ['src/con.txt', '+src/con.txt', '+src/con.txt', 'denied'],
  ['src/COM1', '+src/COM1', '+src/COM1', 'denied'],
  ['lpt¹.log', '+lpt¹.log', '+lpt¹.log', 'denied'],
  ['aux .txt', '+aux .txt', '+aux .txt', 'denied'],
  ['console.ts', '+console.ts'],
  ['src/app.ts::$DATA', '+src/app.ts::$DATA', '+src/app.ts::$DATA', 'denied'],
  ['src/app.ts:hidden', '+src/app.ts:hidden', '+src/app.ts:hidden', 'denied'],
  ['PROGRA~1/x', '+PROGRA~1/x', '+PROGRA~1/x', 'denied'],
  ['src/app.ts.', '+src/app.ts.', '+src/app.ts.', 'denied'],
  ['src/app.ts ', '+src/app.ts'],
  ['`src/app.ts`', '+src/app.ts'],
  ['"src/app.ts"', '+src/app.ts'],
  ['src /app.ts', '+src /app.ts', '+src /app.ts', 'denied'],
  ['src/a*.ts', '+src/a*.ts', '+src/a*.ts', 'denied'],
  // Control characters, the home folder, encodings
  ['src/app.ts\0.png', 'denied'],
  ['src/\napp.ts', 'denied'],
  ['~', 'denied'],
  ['~/x', 'denied'],
  ['~\\x', 'denied'],
  ['%2e%2e/out/secret.txt', 'denied'],
  ['..%2fout', 'denied'],
  ['..%5Cout', 'denied'],
  ['a%00b', 'denied'],
  // URIs
  ['file:///ws/src/app.ts', '+src/app.ts', '+src/app.ts', 'denied'],
  ['file:///c:/ws/src/app.ts', '-c:/ws/src/app.ts', '-c:/ws/src/app.ts', '+src/app.ts'],
  ['file:///c%3A/ws/README.md', '-c:/ws/README.md', '-c:/ws/README.md', '+README.md'],
  ['FILE:///ws/README.md', '+README.md', '+README.md', 'denied'],
  ['file:///ws/%2e%2e/out/secret.txt', '-/out/secret.txt', '-/out/secret.txt', 'denied'],
  ['file:///ws/%252e%252e/out', 'denied'],
  ['file:///ws/..%2fout', 'denied'],
  ['file:///ws/a%zz', 'denied'],
  ['file:///ws/a?b', 'denied'],
  ['file://evil/share/x', 'denied'],
  ['file:/ws/README.md', 'denied'],
  ['https://example.com/x', 'denied'],
  ['vscode-userdata:/User/settings.json', 'denied'],
  ['untitled:Untitled-1', 'denied'],
  ['javascript:alert(1)', 'denied'],
  ['File:README.md', 'denied'],
  ['mem://x/a.ts', 'denied'],
  // Names with a colon
  ['test:unit.ts', '+test:unit.ts', '+test:unit.ts', 'denied'],
  ['./test:unit.ts', '+test:unit.ts', '+test:unit.ts', 'denied'],
  ['std:vector/a.md', '+std:vector/a.md', '+std:vector/a.md', 'denied'],
  ['std:/../../out/secret.txt', '-/out/secret.txt', '-/out/secret.txt', 'denied'],
];

async function outcomeOf(resolve: Promise<Target>): Promise<Outcome> {
  try {
    const { inside, label } = await resolve;
    return (inside ? '+' : '-') + label;
  } catch (error) {
    return error instanceof ToolError ? error.outcome : 'error';
  }
}

describe('resolveTarget', () => {
  for (const [index, platform] of platforms.entries()) {
    const { disk, folders } = createDisk(platform);
    for (const [text, ...outcomes] of table) {
      const expected = outcomes[index] ?? outcomes[0];
      it(`${platform}: ${JSON.stringify(text)} → ${expected}`, async () => {
        const resolved = resolveTarget(text, { folders, platform }, disk);
        assert.equal(await outcomeOf(resolved), expected);
      });
    }
  }

  it('returns the kind, and the path before links were followed', async () => {
    const { disk, folders } = createDisk('linux');
    const surroundings = { folders, platform: 'linux' } as const;
    const notes = await resolveTarget('notes.txt', surroundings, disk);
    assert.deepEqual([notes.requested, notes.kind], ['notes.txt', 'file']);
    assert.deepEqual([notes.named.path, notes.location.path], ['/ws/notes.txt', '/out/secret.txt']);
    assert.equal((await resolveTarget('src', surroundings, disk)).kind, 'folder');
    assert.equal((await resolveTarget('src/b.ts', surroundings, disk)).kind, 'missing');
  });

  it('returns the identity of its folder for a missing file', async () => {
    const { disk, folders } = createDisk('linux');
    const surroundings = { folders, platform: 'linux' } as const;
    const first = await resolveTarget('src/new/b.ts', surroundings, disk);
    disk.remove('/ws/src').folder('/ws/src');
    const second = await resolveTarget('src/new/b.ts', surroundings, disk);
    assert.notEqual(first.identity, second.identity);
  });

  it('distinguishes case if the disk does', async () => {
    const disk = new FakeDisk('linux').file('/ws/a.ts').file('/WS/a.ts');
    const { folders } = createDisk('mac');
    const target = await resolveTarget('/WS/a.ts', { folders, platform: 'mac' }, disk);
    assert.equal(target.inside, false);
  });

  it('follows a link on the way to the workspace folder', async () => {
    const disk = new FakeDisk().file('/real/ws/a.ts').link('/ws', '/real/ws');
    const { folders } = createDisk('linux');
    const surroundings = { folders, platform: 'linux' } as const;
    assert.equal((await resolveTarget('a.ts', surroundings, disk)).label, 'a.ts');
    assert.equal((await resolveTarget('/real/ws/a.ts', surroundings, disk)).inside, true);
  });
});

describe('resolveTarget with several folders', () => {
  const folders = [
    { name: 'app', location: fileAt('/work/app') },
    { name: 'lib', location: fileAt('/work/app/lib') },
  ];
  const surroundings = { folders, platform: 'linux' } as const;
  const disk = new FakeDisk().file('/work/app/a.ts').file('/work/app/lib/b.ts');

  it("requires the folder's name as prefix, and includes it in labels", async () => {
    assert.equal((await resolveTarget('app/a.ts', surroundings, disk)).label, 'app/a.ts');
    assert.equal((await resolveTarget('./lib/b.ts', surroundings, disk)).label, 'lib/b.ts');
    assert.equal((await resolveTarget('lib', surroundings, disk)).label, 'lib');
    await assert.rejects(resolveTarget('a.ts', surroundings, disk), /app, lib/);
    await assert.rejects(resolveTarget('.', surroundings, disk), /app, lib/);
  });

  it('labels a file by the innermost folder', async () => {
    assert.equal((await resolveTarget('app/lib/b.ts', surroundings, disk)).label, 'lib/b.ts');
  });

  it('requires and returns absolute paths if the names of folders are ambiguous', async () => {
    const twins = {
      folders: [
        { name: 'app', location: fileAt('/a/app') },
        { name: 'App', location: fileAt('/b/app') },
        { name: 'src/api', location: fileAt('/c/api') },
        { name: 'c: d', location: fileAt('/d') },
        { name: 'lib', location: fileAt('/lib') },
      ],
      platform: 'linux',
    } as const;
    const both = new FakeDisk().file('/a/app/x.js').file('/b/app/x.js').file('/c/api/x.js');
    both.file('/d/x.js').file('/lib/x.js');
    for (const path of ['/a/app/x.js', '/b/app/x.js', '/c/api/x.js', '/d/x.js', '/a/app']) {
      const target = await resolveTarget(path, twins, both);
      assert.deepEqual([target.label, target.inside, target.location.path], [path, true, path]);
    }
    assert.equal((await resolveTarget('/lib/x.js', twins, both)).label, 'lib/x.js');
    for (const path of ['app/x.js', 'App/x.js', 'src/api/x.js', 'c: d/x.js', '.', 'app']) {
      const known = /: \/a\/app, \/b\/app, \/c\/api, \/d, lib\.$/;
      await assert.rejects(resolveTarget(path, twins, both), known);
    }
  });

  it('resolves each label to its file, whatever the names of folders are', async () => {
    const called = fc.constantFrom(...'a A b a/b .. . ~ x: a%2fb é e\u0301'.split(' '), '');
    const chosen = fc.array(called, { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(chosen, async (names) => {
        const open = names.map((name, index) => ({ name, location: fileAt(`/${index}/w`) }));
        const all = new FakeDisk();
        open.forEach((_, index) => all.file(`/${index}/w/f`));
        for (const { location } of open) {
          const here = { folders: open, platform: 'linux' } as const;
          const { label } = await resolveTarget(`${location.path}/f`, here, all);
          const { named } = await resolveTarget(label, here, all);
          assert.equal(named.path, `${location.path}/f`);
        }
      }),
    );
  });

  it('requires an absolute path if no folder is open', async () => {
    const none = { folders: [], platform: 'linux' } as const;
    await assert.rejects(resolveTarget('a.ts', none, disk), /absolute path/);
    assert.equal((await resolveTarget('/work/app/a.ts', none, disk)).inside, false);
  });
});

describe('resolveTarget in a virtual workspace', () => {
  const location = { scheme: 'vscode-vfs', authority: 'github', path: '/owner/repo' };
  const surroundings = { folders: [{ name: 'repo', location }], platform: 'linux' } as const;
  const outcome = (text: string): Promise<Outcome> =>
    outcomeOf(resolveTarget(text, surroundings, undefined));

  it('compares only scheme, authority and path segments', async () => {
    assert.equal(await outcome('src/app.ts'), '+src/app.ts');
    assert.equal(await outcome('/owner/repo/a.ts'), '+a.ts');
    assert.equal(await outcome('vscode-vfs://github/owner/repo/a.ts'), '+a.ts');
    assert.equal(await outcome('../other/a.ts'), '-vscode-vfs://github/owner/other/a.ts');
    assert.equal(await outcome('vscode-vfs://github/owner/other/a.ts'), 'denied');
    assert.equal(await outcome('vscode-vfs://gitlab/owner/repo/a.ts'), 'denied');
    assert.equal((await resolveTarget('a.ts', surroundings, undefined)).identity, '');
  });
});

const home = fileAt('/home/me');

/** A disk with several links to the root, the home folder and folders around it. */
const broadDisk = (): FakeDisk =>
  new FakeDisk()
    .file('/home/me/work/app/src/a.ts')
    .file('/home/me/notes.txt')
    .file('/home/you/b.txt')
    .file('/srv/app/c.ts')
    .file('/etc/shadow')
    .link('/users', '/home')
    .link('/srv/app/all', '/')
    .link('/srv/everything', '/')
    .link('/srv/me', '/users/me')
    .link('/srv/homes', '/home')
    .link('/srv/mine', '/home/me/work');

/** Possible workspace folders. */
const roots =
  '/ /home /home/me /home/me/work /home/me/work/app /home/you /srv /srv/app /etc /users /users/me /srv/everything /srv/me /srv/homes /srv/mine /srv/app/all /srv/app/all/home'.split(
    ' ',
  );
const files =
  '/home/me/work/app/src/a.ts /home/me/notes.txt /home/you/b.txt /srv/app/c.ts /etc/shadow /etc/cron.d/x /users/me/notes.txt /srv/app/all/etc/shadow /srv/mine/app/src/a.ts /srv/homes/me/new.txt /swapfile'.split(
    ' ',
  );

async function realOf(disk: FakeDisk, path: string): Promise<string> {
  const names = segmentsOf(path);
  for (let count = names.length; count > 0; count--) {
    const real = await disk.realPath(fileAt(`/${names.slice(0, count).join('/')}`));
    if (real !== undefined) return [real.path, ...names.slice(count)].join('/');
  }
  return path;
}

const isBelow = (path: string, folder: string): boolean =>
  folder === '/' || path === folder || path.startsWith(`${folder}/`);

function resolveIn(disk: FakeDisk, roots: readonly string[], path: string): Promise<Target> {
  const folders = roots.map((root, index) => ({ name: `f${index}`, location: fileAt(root) }));
  return resolveTarget(path, { folders, platform: 'linux' }, disk, (root) =>
    isBroadRoot(root, home, disk),
  );
}

/** The parts of a URI, decoded as VS Code does. */
function parse(address: string): Location {
  const [, scheme = '', authority = '', path = ''] =
    /^([^:]+):\/\/([^/]*)(.*)$/.exec(address) ?? [];
  return { scheme, authority: decodeURIComponent(authority), path: decodeURIComponent(path) };
}

/** Folders that contain a home folder or a whole disk, with the home folder if it is known. */
const broad = `
file:///
file://// /home/me
file:///c:
file:///C:/
file:///d: /c:/Users/me
file:///c:/Users /c:/Users/me
file:///C:/USERS/ME /c:/Users/me
file://server/share
file://wsl$/
file:///mnt/c /home/me
file:///mnt/c/ /home/me
file:///System/Volumes/Data /Users/me
file:///HOME/Me /home/me
file:///home/me/ /home/me
file:///home /home/me
vscode-remote://ssh-remote+a/
`;
const narrow = `
file:///home/me/work file:///home/me2 file:///home/you file:///c:/work file:///mnt/c/work file:///mnt/data
file://server/share/project memfs:/// vscode-vfs://github/owner/repo
`;

describe('a workspace folder', () => {
  it('includes files by their real path, unless it contains the home folder or a whole disk', async () => {
    const disk = broadDisk();
    const chosen = fc.array(fc.constantFrom(...roots), { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(chosen, fc.constantFrom(...files), async (folders, file) => {
        const real = await realOf(disk, file);
        const realRoots = await Promise.all(folders.map((folder) => realOf(disk, folder)));
        const counted = realRoots.filter((root) => !isBelow(home.path, root));
        const { inside, label, location } = await resolveIn(disk, folders, file);
        assert.equal(
          inside,
          counted.some((root) => isBelow(real, root)),
        );
        assert.equal(location.path, real);
        // Files outside are labeled by their whole path.
        if (!inside) assert.equal(label, real);
      }),
      { numRuns: 500 },
    );
  });

  for (const row of broad.trim().split('\n'))
    it(`is too broad as ${row}`, async () => {
      const [address = '', near] = row.split(' ');
      const homeFolder = near === undefined ? undefined : fileAt(near);
      assert.equal(await isBroadRoot(parse(address), homeFolder, undefined), true);
    });

  for (const address of narrow.trim().split(/\s+/))
    it(`is not too broad as ${address}`, async () => {
      assert.equal(await isBroadRoot(parse(address), home, undefined), false);
    });

  it('is too broad if the home folder is mounted a second time', async () => {
    const disk = new FakeDisk()
      .folder('/home/me')
      .file('/again', '', { kind: 'folder', identity: 'same' })
      .file('/home/me', '', { kind: 'folder', identity: 'same' });
    assert.equal(await isBroadRoot(fileAt('/again'), home, disk), true);
  });

  it('is compared by path if identities are unknown', async () => {
    const disk = broadDisk();
    disk.broken = 'status';
    assert.equal(await isBroadRoot(fileAt('/home'), home, disk), true);
    assert.equal(await isBroadRoot(fileAt('/srv/app'), home, disk), false);
  });
});

/** The remote and the folder of a window, a dropped address, and its file unless it is refused. */
const dropped = String.raw`
- file:///work  file:///work/a.ts → file:///work/a.ts
- -  file:///c%3A/a%20b.ts → file:///c:/a b.ts
ssh-remote file:///work  vscode-remote://ssh-remote%2Bdevbox/work/a.ts → file:///work/a.ts
ssh-remote file:///work  vscode-remote://SSH-REMOTE+devbox/elsewhere/a.ts → file:///elsewhere/a.ts
wsl file:///work  vscode-remote://wsl%2Bubuntu/work/%C3%BC%23.ts → file:///work/ü#.ts
dev-container -  vscode-remote://dev-container%2B7b2268/work/a.ts → file:///work/a.ts
127.0.0.1:8080 file:///work  vscode-remote://127.0.0.1:8080/work/a.ts → file:///work/a.ts
localhost:3000 file:///work  vscode-remote://localhost%3A3000/work/a.ts → file:///work/a.ts
- vscode-vfs://github/o/r  vscode-vfs://github/o/r/a.ts → vscode-vfs://github/o/r/a.ts
- vscode-vfs://github/o/r  vscode-vfs://github/o/other/a.ts → vscode-vfs://github/o/other/a.ts
- memfs:///x  memfs:///x/a.ts → memfs:///x/a.ts
tunnel vscode-remote://tunnel+box/work  vscode-remote://tunnel%2Bbox/work/a → vscode-remote://tunnel+box/work/a
- file:///work  vscode-remote://ssh-remote%2Bdevbox/work/a.ts
wsl file:///work  vscode-remote://ssh-remote%2Bdevbox/work/a.ts
ssh-remote file:///work  vscode-remote://ssh-remote.evil%2Bx/work/a.ts
127.0.0.1:8080 file:///work  vscode-remote://127.0.0.1:9090/work/a.ts
"" file:///work  vscode-remote:///work/a.ts
- file:///work  file://server/share/a.ts
wsl file:///work  file://wsl/share/a.ts
- file:///work  vscode-vfs://github/o/r/a.ts
- vscode-vfs://github/o/r  vscode-vfs://gitlab/o/r/a.ts
- memfs:///x  vscode-userdata:///x/settings.json
`;

describe('a dropped file', () => {
  for (const row of dropped.trim().split('\n')) {
    const [, remote = '', folder = '', address = '', file] =
      /^(\S+) (\S+) {2}(\S+)(?: → (.*))?$/.exec(row) ?? [];
    it(`is ${file === undefined ? 'refused' : 'found'}: ${row}`, () => {
      const window = {
        remote: remote === '-' ? undefined : remote.replace('""', ''),
        folders: folder === '-' ? [] : [parse(folder)],
      };
      const found = locateDropped(parse(address), window);
      assert.equal(found && `${found.scheme}://${found.authority}${found.path}`, file);
    });
  }
});
