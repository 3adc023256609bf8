import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isBroadRoot, resolveTarget } from '../../../../src/core/workspace/resolveTarget.ts';
import { segmentsOf, type Location, type Target } from '../../../../src/core/workspace/places.ts';
import { FakeDisk } from './fakeDisk.ts';

const locationOf = (path: string, scheme = 'file', authority = ''): Location => ({
  scheme,
  authority,
  path,
});
const home = locationOf('/home/me');

/** A disk with several links to the root, the home folder and folders around it. */
const createDisk = (): FakeDisk =>
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
    const real = await disk.realPath(locationOf(`/${names.slice(0, count).join('/')}`));
    if (real !== undefined) return [real.path, ...names.slice(count)].join('/');
  }
  return path;
}

const isBelow = (path: string, folder: string): boolean =>
  folder === '/' || path === folder || path.startsWith(`${folder}/`);

async function resolveIn(
  disk: FakeDisk,
  folders: readonly string[],
  path: string,
): Promise<Target> {
  const workspaceFolders = folders.map((folder, index) => ({
    name: `f${index}`,
    location: locationOf(folder),
  }));
  return resolveTarget(path, { folders: workspaceFolders, platform: 'linux' }, disk, (root) =>
    isBroadRoot(root, home, disk),
  );
}

describe('a workspace folder', () => {
  it('includes files by their real path, unless it contains the home folder or a whole disk', async () => {
    const disk = createDisk();
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

  const broad: readonly (readonly [Location, Location | undefined])[] = [
    [locationOf('/'), undefined],
    [locationOf('//'), home],
    [locationOf('/c:'), undefined],
    [locationOf('/C:/'), undefined],
    [locationOf('/d:'), locationOf('/c:/Users/me')],
    [locationOf('/c:/Users'), locationOf('/c:/Users/me')],
    [locationOf('/C:/USERS/ME'), locationOf('/c:/Users/me')],
    [locationOf('/share', 'file', 'server'), undefined],
    [locationOf('/', 'file', 'wsl$'), undefined],
    [locationOf('/mnt/c'), home],
    [locationOf('/mnt/c/'), home],
    [locationOf('/System/Volumes/Data'), locationOf('/Users/me')],
    [locationOf('/HOME/Me'), home],
    [locationOf('/home/me/'), home],
    [locationOf('/home'), home],
    [locationOf('/', 'vscode-remote', 'ssh-remote+a'), undefined],
  ];
  for (const [root, near] of broad) {
    it(`is too broad as ${root.authority}${root.path}`, async () => {
      assert.equal(await isBroadRoot(root, near, undefined), true);
    });
  }

  const narrow = [
    locationOf('/home/me/work'),
    locationOf('/home/me2'),
    locationOf('/home/you'),
    locationOf('/c:/work'),
    locationOf('/mnt/c/work'),
    locationOf('/mnt/data'),
    locationOf('/share/project', 'file', 'server'),
    locationOf('/', 'memfs'),
    locationOf('/owner/repo', 'vscode-vfs', 'github'),
  ];
  for (const root of narrow) {
    it(`is not too broad as ${root.scheme}:${root.path}`, async () => {
      assert.equal(await isBroadRoot(root, home, undefined), false);
    });
  }

  it('is too broad if the home folder is mounted a second time', async () => {
    const disk = new FakeDisk()
      .folder('/home/me')
      .file('/again', '', { kind: 'folder', identity: 'same' })
      .file('/home/me', '', { kind: 'folder', identity: 'same' });
    assert.equal(await isBroadRoot(locationOf('/again'), home, disk), true);
  });

  it('is compared by path if identities are unknown', async () => {
    const disk = createDisk();
    disk.broken = 'status';
    assert.equal(await isBroadRoot(locationOf('/home'), home, disk), true);
    assert.equal(await isBroadRoot(locationOf('/srv/app'), home, disk), false);
  });
});
