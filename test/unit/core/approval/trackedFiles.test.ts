import assert from 'node:assert/strict';
import { trackedFiles } from '../../../../src/core/approval/inspect.ts';
import type { FileSystemView } from '../../../../src/core/workspace/disk.ts';
import type { Location } from '../../../../src/core/workspace/places.ts';
import { FakeDisk } from '../workspace/fakeDisk.ts';
import { change, GateRig } from './gateRig.ts';
import { fileAt, target } from './policyRig.ts';

/** A disk whose Git tracks these files, and the questions that it was asked. */
function diskWith(
  tracked: readonly string[] | undefined,
  disk = new FakeDisk().folder('/ws/.git'),
): { readonly disk: FakeDisk; readonly asked: string[] } {
  const asked: string[] = [];
  const trackedByGit: FileSystemView['trackedByGit'] = (repository, files) => {
    asked.push([repository, ...files].map(({ path }) => path).join(' '));
    return Promise.resolve(tracked && new Set(tracked));
  };
  return { disk: Object.assign(disk, { trackedByGit }), asked };
}

const existing = (path: string, location: Location = fileAt(path)) => target(path, { location });

async function covers(view: FileSystemView | undefined, path: string): Promise<boolean> {
  const file = existing(path);
  return (await trackedFiles([file], view)).has(file.location.path);
}

describe('the files that an approval of edits covers', () => {
  it('are those that Git tracks, which it is asked for once', async () => {
    const { disk, asked } = diskWith(['/ws/a.ts', '/ws/src/b.ts']);
    const files = ['/ws/a.ts', '/ws/src/b.ts', '/ws/src/c.ts'].map((path) => existing(path));
    assert.deepEqual([...(await trackedFiles(files, disk))], ['/ws/a.ts', '/ws/src/b.ts']);
    assert.deepEqual(asked, ['/ws /ws/a.ts /ws/src/b.ts /ws/src/c.ts']);
  });

  it('are those of the innermost repository, which may be a submodule or around the workspace', async () => {
    const { disk, asked } = diskWith(['/ws/sub/a.ts', '/ws/a.ts']);
    disk.file('/ws/sub/.git', 'gitdir: ../.git/modules/sub');
    const files = ['/ws/sub/src/b.ts', '/ws/sub/a.ts'].map((path) => existing(path));
    assert.deepEqual([...(await trackedFiles(files, disk))], ['/ws/sub/a.ts', '/ws/a.ts']);
    assert.deepEqual(asked, ['/ws/sub /ws/sub/src/b.ts /ws/sub/a.ts']);
    assert.equal(await covers(disk, '/ws/a.ts'), true);
  });

  it('are no new files, which Git is not asked for', async () => {
    for (const disk of [new FakeDisk(), diskWith(['/ws/new.ts']).disk]) {
      const file = { ...existing('/ws/new.ts'), kind: 'missing' } as const;
      assert.equal((await trackedFiles([file], disk)).size, 0);
    }
  });

  it('are all existing files where there is no repository', async () => {
    assert.equal(await covers(new FakeDisk(), '/ws/a.ts'), true);
    const { disk, asked } = diskWith([], new FakeDisk().folder('/other/.git'));
    assert.equal(await covers(disk, '/ws/a.ts'), true);
    assert.deepEqual(asked, []);
  });

  it('are none if this is unknown', async () => {
    const path = '/ws/a.ts';
    assert.equal(await covers(undefined, path), false);
    assert.equal(await covers(diskWith(undefined).disk, path), false);
    assert.equal(await covers(new FakeDisk().folder('/ws/.git'), path), false);
    const trackedByGit = (): Promise<never> => Promise.reject(new Error('dubious ownership'));
    const failing = Object.assign(new FakeDisk().folder('/ws/.git'), { trackedByGit });
    assert.equal(await covers(failing, path), false);
    const { disk } = diskWith([path]);
    disk.broken = 'status';
    assert.equal(await covers(disk, path), false);
    const virtual = existing(path, { ...fileAt(path), scheme: 'vscode-vfs' });
    assert.equal((await trackedFiles([virtual], new FakeDisk())).size, 0);
  });
});

describe('the gate before edits that no approval covers', () => {
  it('asks each time in the panel, even if edits are allowed in this chat, and says why', async () => {
    const rig = new GateRig();
    const tracked = ['/ws/src/app.ts', '/ws/vite.config.ts', '/ws/node_modules/a/b.js'];
    diskWith(tracked, rig.disk.folder('/ws/.git'));
    for (const path of [...tracked.slice(1), '/ws/out/a.js']) rig.disk.file(path);
    rig.click = 'chat';
    await rig.edit(change('src/app.ts'));
    await rig.edit(change('src/app.ts'));
    assert.equal(rig.panels.length, 1);
    for (const [path, untracked] of [
      ['vite.config.ts', undefined],
      ['node_modules/a/b.js', undefined],
      ['out/a.js', true],
      ['new.js', true],
    ] as const) {
      const panelCount: number = rig.panels.length;
      rig.click = 'chat';
      await assert.rejects(rig.edit(change(path)), /denied/, path);
      assert.equal(rig.requests.at(-1)?.untracked, untracked);
      rig.click = 'once';
      await rig.edit(change(path));
      await rig.edit(change('src/app.ts'), change(path));
      assert.equal(rig.panels.length, panelCount + 3, path);
      assert.ok(rig.panels.slice(panelCount).every(({ forChat }) => !forChat));
    }
    assert.deepEqual(rig.dialogs, []);
  });

  it('asks if Git no longer tracks the file once it was decided', async () => {
    const rig = new GateRig();
    rig.click = 'chat';
    await rig.edit(change('src/app.ts'));
    const answers = [['/ws/src/app.ts'], []];
    rig.disk.folder('/ws/.git');
    Object.assign(rig.disk, { trackedByGit: () => Promise.resolve(new Set(answers.shift())) });
    await assert.rejects(rig.edit(change('src/app.ts')), /changed while it was being checked/);
    assert.equal(rig.effects, 1);
  });
});
