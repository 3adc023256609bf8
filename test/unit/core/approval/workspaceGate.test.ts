import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { Approved } from '../../../../src/core/approval/gate.ts';
import { trackedFiles } from '../../../../src/core/approval/inspect.ts';
import { ToolError } from '../../../../src/core/support/toolError.ts';
import type { FileSystemView } from '../../../../src/core/files/disk.ts';
import type { Location } from '../../../../src/core/files/places.ts';
import { until } from '../../../support/until.ts';
import { FakeDisk } from '../files/fakeDisk.ts';
import { change, GateRig } from './gateRig.ts';
import { fileAt, target } from './policyRig.ts';

const denied = (error: unknown): boolean =>
  error instanceof ToolError && error.outcome === 'denied';
const failed = (error: unknown): boolean =>
  error instanceof ToolError && error.outcome === 'failed';

describe('the gate', () => {
  let rig = new GateRig();
  beforeEach(() => (rig = new GateRig()));

  it('allows reading in the workspace, with the resolved path', async () => {
    assert.match(await rig.read('src/../src/app.ts'), /"path":"\/ws\/src\/app\.ts"/);
    assert.deepEqual(rig.log, ['effect']);
    assert.deepEqual(rig.requests, []);
  });

  it('asks in a dialog before reading outside the workspace, with both paths', async () => {
    rig.reply = 'once';
    assert.match(await rig.read('link.txt'), /"path":"\/out\/notes\.txt"/);
    const [dialog] = rig.dialogs;
    assert.equal(dialog?.reason, 'outside');
    assert.ok(dialog.subject.type === 'read');
    assert.equal(dialog.subject.target.named.path, '/ws/link.txt');
    assert.equal(dialog.subject.target.location.path, '/out/notes.txt');
    assert.deepEqual(rig.requests, [{ by: 'dialog', forChat: false, files: [] }]);
  });

  it('denies a call if the person does, and tells the model', async () => {
    await assert.rejects(rig.read('/out/notes.txt'), denied);
    await assert.rejects(rig.edit(change('src/app.ts')), /The person denied/);
    await assert.rejects(rig.run('ls'), denied);
    await assert.rejects(rig.external(), denied);
    assert.equal(rig.effects, 0);
    assert.deepEqual(rig.errors, []);
  });

  describe('with links from the home folder to a dotfiles folder', () => {
    beforeEach(() => {
      rig.situation.folders = [{ name: 'dotfiles', location: fileAt('/home/me/dotfiles') }];
      rig.disk
        .file('/home/me/dotfiles/ssh/work_key', 'key')
        .file('/home/me/dotfiles/config/Code - Insiders/User/settings.json', '{}')
        .file('/home/me/dotfiles/config/fish/config.fish', 'set x')
        .file('/home/me/dotfiles/bashrc', 'x=1')
        .file('/home/me/dotfiles/notes.txt', 'x')
        .remove('/home/me/.ssh')
        .link('/home/me/.ssh', 'dotfiles/ssh')
        .link('/home/me/.config', 'dotfiles/config')
        .link('/home/me/.bashrc', '/home/me/dotfiles/bashrc')
        .link('/home/me/.nowhere', 'dotfiles/nothing')
        .link('/home/me/notes', 'dotfiles/notes.txt');
      rig.reply = rig.click = 'once';
    });

    it("denies files that can't be allowed by their real name, too", async () => {
      for (const path of ['ssh/work_key', '/home/me/.ssh/work_key', 'ssh/new', 'ssh']) {
        await assert.rejects(rig.read(path), denied, path);
      }
      const settings = 'config/Code - Insiders/User/settings.json';
      await assert.rejects(rig.edit(change(settings)), denied);
      await assert.rejects(rig.edit(change('config/google-chrome-beta/x')), denied);
      assert.deepEqual(rig.requests, []);
      assert.equal(rig.gate.mayShow('ssh/work_key'), false);
      assert.equal(rig.gate.mayShow('notes.txt'), true);
    });

    it('asks in a dialog for files that shells and programs read', async () => {
      await rig.edit(change('config/fish/config.fish'));
      await rig.edit(change('bashrc'));
      assert.deepEqual(
        rig.dialogs.map(({ reason }) => reason),
        ['protected', 'protected'],
      );
      await rig.edit(change('notes.txt'));
      assert.equal(rig.panels.length, 1);
    });

    it('asks in a dialog if each file of a folder is a separate link', async () => {
      rig.disk
        .remove('/home/me/.config')
        .folder('/home/me/.config/Code/User')
        .folder('/home/me/.aws')
        .link('/home/me/.config/fish', '/home/me/dotfiles/config/fish')
        .file('/home/me/dotfiles/settings.json', '{}')
        .link('/home/me/.config/Code/User/settings.json', '/home/me/dotfiles/settings.json')
        .file('/home/me/dotfiles/aws', 'x')
        .link('/home/me/.aws/config', '/home/me/dotfiles/aws');
      for (const path of ['config/fish/config.fish', 'settings.json', 'aws']) {
        await rig.edit(change(path));
        assert.equal(rig.dialogs.at(-1)?.reason, 'protected', path);
      }
      assert.equal(rig.dialogs.length, 3);
    });

    it('resolves the links again for other workspace folders', async () => {
      await rig.read('notes.txt');
      rig.disk.link('/work', '/home/me/dotfiles');
      rig.situation.folders = [{ name: 'work', location: fileAt('/work') }];
      await rig.read('notes.txt');
      assert.equal(rig.gate.mayShow('ssh/work_key'), false);
    });
  });

  it('denies everything in an untrusted workspace, without accessing it', async () => {
    rig.situation.trusted = false;
    rig.reply = rig.click = 'once';
    await assert.rejects(rig.read('src/app.ts'), denied);
    await assert.rejects(rig.edit(change('src/app.ts')), denied);
    await assert.rejects(rig.run('ls'), denied);
    await assert.rejects(rig.external(), denied);
    assert.equal(rig.dialogs.length + rig.panels.length + rig.effects, 0);
    assert.equal(rig.disk.looks, 0);
  });

  it('inspects the first bytes of a possible key', async () => {
    await rig.read('tool.key');
    rig.disk.file('/ws/tool.key', '-----BEGIN PRIVATE KEY-----');
    await assert.rejects(rig.read('tool.key'), denied);
    assert.equal(rig.dialogs[0]?.reason, 'secret');
  });

  it('discards the result of reading if its folder leads elsewhere afterwards', async () => {
    const read = rig.gate.read('src/app.ts', rig.context(), () => {
      rig.disk.remove('/ws/src').link('/ws/src', '/out');
      return Promise.resolve('what was found there');
    });
    await assert.rejects(read, denied);
  });

  it('reads the bytes of the file that it inspected, and of no other', async () => {
    const path = '/ws/src/app.ts';
    const swaps: readonly (() => unknown)[] = [
      () => rig.disk.remove(path).file(path, 'other'),
      () => rig.disk.remove(path).link(path, '/out/notes.txt'),
      () => rig.disk.remove(path).folder(path),
      () => rig.disk.remove(path).special(path),
      () => rig.disk.remove(path),
    ];
    for (const swap of swaps) {
      rig.disk.remove(path).file(path, 'mine');
      const read = rig.gate.read('src/app.ts', rig.context(), async (target) => {
        const bytes = await rig.gate.bytes(target, 100);
        assert.equal(new TextDecoder().decode(bytes), 'mine');
        swap();
        await assert.rejects(rig.gate.bytes(target, 100), /changed while it was being read/);
      });
      await assert.rejects(read, denied);
    }
  });

  it('reports to an edit whether its file is still in place', async () => {
    rig.click = 'once';
    const placesAfter = (path: string, swap: () => unknown): Promise<boolean> =>
      rig.gate.edit([change(path)], rig.context(), async ({ value: [planned] }) => {
        swap();
        return (await planned?.isInPlace()) ?? false;
      });
    assert.equal(await placesAfter('src/app.ts', () => undefined), true);
    assert.equal(await placesAfter('src/new.ts', () => rig.disk.file('/ws/src/new.ts')), true);
    const toOther = (): unknown => rig.disk.link('/ws/src/new2.ts', '/out/notes.txt');
    assert.equal(await placesAfter('src/new2.ts', toOther), false);
    const folder = (): unknown => rig.disk.remove('/ws/src').link('/ws/src', '/out');
    assert.equal(await placesAfter('src/app.ts', folder), false);
  });

  it('excludes denied places from lists, and secrets from searches too', () => {
    const { has } = rig.gate.leftOut(fileAt('/home/me'), 'names');
    assert.deepEqual([has('.ssh/id_rsa'), has('ws/.env'), has('notes.txt')], [true, false, false]);
    assert.equal(rig.gate.leftOut(fileAt('/home/me'), 'content').has('ws/.env'), true);
  });

  it('shows search results, except those in secrets and denied places', () => {
    assert.equal(rig.gate.mayShow('src/app.ts'), true);
    assert.equal(rig.gate.mayShow('packages/a/.env.local'), false);
    assert.equal(rig.gate.mayShow('/home/me/.ssh/config'), false);
    assert.equal(rig.gate.mayShow('/home/me/notes.txt'), true);
    rig.situation.folders = [{ name: 'me', location: fileAt('/home/me') }];
    assert.equal(rig.gate.mayShow('.ssh/config'), false);
    rig.situation.trusted = false;
    assert.equal(rig.gate.mayShow('src/app.ts'), false);
  });
});

describe('the gate in a workspace that contains the home folder or the whole disk', () => {
  for (const path of ['/home/me', '/everything']) {
    it(`asks in ${path} as it does outside the workspace, with no grant for commands`, async () => {
      const rig = new GateRig();
      rig.disk.link('/everything', '/').file('/home/me/notes.txt').file('/home/me/src/a.ts');
      rig.situation.folders = [
        { name: 'all', location: fileAt(path) },
        { name: 'ws', location: fileAt('/ws') },
      ];
      rig.reply = rig.click = 'once';
      await rig.read('/home/me/notes.txt');
      await rig.edit(change('/home/me/src/a.ts'));
      await rig.run('ls', '/home/me');
      assert.deepEqual(
        rig.dialogs.map(({ reason, offers }) => [reason, offers.map(({ scope }) => scope.type)]),
        [
          ['outside', ['file']],
          ['outside', []],
          ['run', []],
        ],
      );
      assert.equal(rig.panels.length, 0);
      await rig.read('ws/src/app.ts');
      await rig.edit(change('ws/src/app.ts'));
      assert.equal(rig.panels.length, 1);
    });
  }
});

describe('the gate before an edit', () => {
  let rig = new GateRig();
  beforeEach(() => (rig = new GateRig()));

  it('asks in the panel, with the files by their labels', async () => {
    rig.click = 'once';
    rig.disk.file('/ws/src/b.ts').link('/ws/again.ts', 'src/b.ts');
    await rig.edit(change('./src/app.ts'), change('again.ts'));
    assert.deepEqual(rig.requests, [
      {
        by: 'panel',
        forChat: true,
        files: [
          { path: 'src/app.ts', kind: 'edit', addedLines: 1, removedLines: 1 },
          { path: 'src/b.ts', kind: 'edit', addedLines: 1, removedLines: 1 },
        ],
      },
    ]);
    assert.deepEqual(
      rig.panels[0]?.changes.map(({ path, target }) => [path, target.label]),
      [
        ['./src/app.ts', 'src/app.ts'],
        ['again.ts', 'src/b.ts'],
      ],
    );
    assert.equal(rig.effects, 1);
  });

  it('stops asking in this chat, and says why', async () => {
    rig.disk.file('/ws/src/other.ts');
    rig.click = 'chat';
    await rig.edit(change('src/app.ts'));
    await rig.edit(change('src/other.ts'));
    assert.deepEqual(rig.log, ['effect', 'under edits', 'effect']);
    assert.equal(rig.panels.length, 1);
    assert.equal(rig.grants.list('')[0]?.uses, 1);
    rig.grants.endAll();
    rig.click = 'deny';
    await assert.rejects(rig.edit(change('src/app.ts')), denied);
  });

  it('asks for each protected file separately, and for the others together', async () => {
    rig.click = rig.reply = 'once';
    rig.disk.file('/ws/Makefile');
    await rig.edit(
      change('src/app.ts'),
      change('package.json'),
      change('src/b.ts'),
      change('Makefile'),
    );
    assert.equal(rig.panels.length, 1);
    assert.equal(rig.panels[0]?.changes.length, 2);
    assert.deepEqual(
      rig.dialogs.map(({ subject }) => subject.type === 'edit' && subject.change.target.label),
      ['package.json', 'Makefile'],
    );
    assert.equal(rig.effects, 1);
  });

  it('changes nothing if one of the files is denied', async () => {
    rig.click = 'once';
    rig.reply = 'deny';
    await assert.rejects(rig.edit(change('src/app.ts'), change('package.json')), denied);
    assert.equal(rig.effects, 0);
  });

  it('changes nothing if the mode, the trust or the approval ended during its last check', async () => {
    let isAllowed = true;
    const context = {
      ...rig.context(),
      requireAllowed: () => {
        if (!isAllowed) throw new ToolError('Not run: this mode reads only.', 'denied');
      },
    };
    const ends: readonly (() => void)[] = [
      () => (isAllowed = false),
      () => (rig.situation.trusted = false),
      () => rig.grants.endAll(),
    ];
    for (const end of ends) {
      rig.click = 'chat';
      isAllowed = rig.situation.trusted = true;
      await rig.edit(change('src/app.ts'));
      const { effects } = rig;
      let checks = 0;
      const isCurrent = (): Promise<boolean> => {
        if (++checks === 2) end();
        return Promise.resolve(true);
      };
      rig.click = 'deny';
      const edit = rig.gate.edit([change('src/app.ts', { isCurrent })], context, rig.effect);
      await assert.rejects(edit, denied);
      assert.deepEqual([checks, rig.effects], [2, effects]);
    }
  });

  it('protects a repository that is not in .git', async () => {
    rig.disk.file('/ws/.git', 'gitdir: data/repo\n').folder('/ws/data/repo');
    await assert.rejects(rig.edit(change('data/repo/config')), denied);
    assert.equal(rig.dialogs[0]?.reason, 'protected');
    rig.click = 'once';
    await rig.edit(change('data/repo-2/config'));
  });

  it('edits if `.git` names a path of another system, and still protects that file', async () => {
    rig.click = rig.reply = 'once';
    for (const gitFolder of ['C:/Users/me/repo/.git/worktrees/x', '//srv/share/repo', '~/x']) {
      rig.disk.file('/ws/.git', `gitdir: ${gitFolder}\n`);
      await rig.edit(change('src/app.ts'));
      await rig.edit(change('.git'));
    }
    assert.equal(rig.panels.length, 3);
    assert.ok(rig.dialogs.every(({ reason }) => reason === 'protected'));
    assert.equal(rig.dialogs.length, 3);
  });

  it('refuses to edit a file that changed before or during the approval', async () => {
    rig.click = 'once';
    const stale = change('src/app.ts', { isCurrent: () => Promise.resolve(false) });
    await assert.rejects(rig.edit(stale), /Read it again/);
    assert.equal(rig.panels.length, 0);
    let current = true;
    const changing = change('src/app.ts', { isCurrent: () => Promise.resolve(current) });
    rig.click = () => {
      current = false;
      return 'once';
    };
    await assert.rejects(rig.edit(changing), failed);
    assert.equal(rig.effects, 0);
  });

  it('writes the displayed text even if the tool modifies its objects', async () => {
    const planned = { ...change('src/app.ts') };
    rig.click = () => {
      planned.after = 'something else';
      planned.path = 'package.json';
      return 'once';
    };
    const value = await rig.edit(planned);
    assert.match(value, /more text/);
    assert.doesNotMatch(value, /something else|package\.json/);
  });

  it('refuses folders, and the same file twice under any names', async () => {
    rig.click = 'once';
    rig.disk.link('/ws/again.ts', 'src/app.ts');
    await assert.rejects(rig.edit(change('src/app.ts'), change('again.ts')), /twice/);
    rig.disk.file('/ws/one', '', { identity: 'same' }).file('/ws/ONE', '', { identity: 'same' });
    await assert.rejects(rig.edit(change('one'), change('ONE')), /twice/);
    await assert.rejects(rig.edit(change('src')), /is a folder/);
  });
});

describe('the gate before a command', () => {
  let rig = new GateRig();
  beforeEach(() => (rig = new GateRig()));

  it('shows the text, the folder and the shell', async () => {
    rig.reply = 'once';
    assert.match(await rig.run('npm test', 'src'), /"path":"\/ws\/src"/);
    const subject = rig.dialogs[0]?.subject;
    assert.ok(subject?.type === 'run');
    assert.equal(subject.command, 'npm test');
    assert.equal(subject.shell, 'bash');
    assert.equal(subject.cwd.label, 'src');
  });

  it('can be allowed permanently for exactly this command and folder', async () => {
    rig.reply = 'grant';
    await rig.run('npm test');
    rig.grants.endAll();
    rig.reply = 'deny';
    await rig.run('npm test');
    assert.deepEqual(rig.log, ['dialog', 'effect', 'under command', 'effect']);
    rig.disk.remove('/ws').folder('/ws');
    await assert.rejects(rig.run('npm test'), denied);
  });

  it("refuses control keys, an empty command, and paths that aren't folders", async () => {
    rig.reply = 'once';
    await assert.rejects(rig.run('ls\u0003'), denied);
    await assert.rejects(rig.run('  '), failed);
    await assert.rejects(rig.run('ls', 'missing'), denied);
    await rig.run('ls\npwd');
    assert.equal(rig.effects, 1);
  });

  it('runs in the first folder of several, and nowhere without one', async () => {
    rig.reply = 'once';
    rig.situation.folders = [
      { name: 'one', location: fileAt('/ws') },
      { name: 'two', location: fileAt('/out') },
    ];
    assert.match(await rig.run('ls'), /"path":"\/ws"/);
    rig.situation.folders = [];
    await assert.rejects(rig.run('ls'), /No folder is open/);
  });
});

describe('the gate before another extension’s tool', () => {
  it('asks again if the description of the tool changes', async () => {
    const rig = new GateRig();
    rig.reply = 'grant';
    await rig.external('{"a":1}');
    rig.reply = 'deny';
    await rig.external('{"b":2}');
    await assert.rejects(rig.external('{}', 'sample-2'), denied);
  });
});

describe('the gate after a grant', () => {
  const calls: readonly (readonly [string, (rig: GateRig) => Promise<string>])[] = [
    ['reading a file outside', (rig) => rig.read('/out/notes.txt')],
    ['reading a secret', (rig) => rig.read('.env')],
    ['listing a folder outside', (rig) => rig.read('/out')],
    ['an edit', (rig) => rig.edit(change('src/app.ts'))],
    ['a command', (rig) => rig.run('npm test')],
    ['another extension’s tool', (rig) => rig.external()],
  ];
  it('asks again for every other caller', async () => {
    for (const [name, call] of calls) {
      const rig = new GateRig();
      // The first offer of commands is for the chat, the last one for the workspace.
      rig.grantedOffer = 0;
      rig.click = 'chat';
      rig.reply = 'grant';
      await call(rig);
      rig.reply = rig.click = 'deny';
      await call(rig);
      assert.equal(rig.requests.length, 1, name);
      for (const other of ['another', '', undefined]) {
        rig.conversation = other;
        await assert.rejects(call(rig), denied, `${name} ${String(other)}`);
      }
      assert.deepEqual(rig.dialogs.at(-1)?.offers ?? [], []);
      assert.equal(rig.requests.at(-1)?.forChat, false);
    }
  });

  it('stores no grant for a caller without a conversation', async () => {
    const rig = new GateRig();
    rig.conversation = undefined;
    const within = { folder: fileAt('/out'), identity: '1-2' };
    const scope = { type: 'file', file: fileAt('/out/notes.txt'), within } as const;
    rig.forcedResponse = { type: 'grant', offer: { lifetime: 'chat', scope } };
    await assert.rejects(rig.read('/out/notes.txt'), denied);
    assert.deepEqual(rig.grants.list(''), []);
  });
});

describe('the folder of a skill outside the workspace', () => {
  const file = '/skills/notes/SKILL.md';

  it('needs no approval for reading, and grants nothing else', async () => {
    const rig = new GateRig();
    await rig.read(file);
    assert.deepEqual(rig.requests, []);
    for (const path of ['/skills/notes/../x', '/skills/notes/link.txt', '/skills/notes/.env'])
      await assert.rejects(rig.read(path), denied, path);
    assert.equal(rig.dialogs.length, 3);
    await assert.rejects(rig.edit(change(file)), denied);
    await assert.rejects(rig.run(`sh ${file}`), denied);
    assert.equal(rig.dialogs.length, 5);
  });

  it('is not read if the skill changes during the call', async () => {
    const rig = new GateRig();
    rig.situation.askAll = true;
    rig.reply = () => {
      rig.skill = '/skills/other';
      return 'once';
    };
    await assert.rejects(rig.read(file), denied);
    assert.equal(rig.effects, 0);
  });
});

describe('a grant for reading outside the workspace', () => {
  const replacements: readonly (readonly [string, string, (rig: GateRig) => void])[] = [
    ['another with its name', '/out', ({ disk }) => disk.folder('/out').file('/out/notes.txt')],
    ['a link', '/out', ({ disk }) => disk.file('/else/notes.txt').link('/out', '/else')],
    [
      'one in another parent folder',
      '/deep/out',
      ({ disk }) => disk.remove('/deep/out').remove('/deep').file('/deep/out/notes.txt', 'x'),
    ],
  ];
  for (const [name, folder, replace] of replacements)
    it(`ends if the folder is replaced by ${name}`, async () => {
      for (const [offer, path] of [
        [0, `${folder}/notes.txt`],
        [-1, `${folder}/notes.txt`],
        [-1, folder],
      ] as const) {
        const rig = new GateRig();
        rig.disk.file('/deep/out/notes.txt', 'notes');
        rig.grantedOffer = offer;
        rig.reply = 'grant';
        await rig.read(path);
        rig.reply = 'deny';
        await rig.read(path);
        replace(rig);
        await assert.rejects(rig.read(path), denied, path);
        await assert.rejects(rig.read(path), denied, `${path} for good`);
      }
    });

  it('remains while files in the folder are added and removed', async () => {
    const rig = new GateRig();
    rig.reply = 'grant';
    await rig.read('/out/notes.txt');
    rig.reply = 'deny';
    rig.disk.remove('/out/notes.txt').file('/out/notes.txt', 'x').file('/out/more/a.txt', 'x');
    await rig.read('/out/notes.txt');
    await rig.read('/out/more/a.txt');
  });
});

describe('the gate during a pending approval', () => {
  let rig = new GateRig();
  beforeEach(() => (rig = new GateRig()));

  const meanwhile: readonly (readonly [string, () => void])[] = [
    ['the link leads elsewhere', () => rig.disk.link('/ws/link.txt', '/ws/.env')],
    ['another file replaces the file', () => rig.disk.file('/out/notes.txt', 'x')],
    ['the file is gone', () => rig.disk.remove('/out/notes.txt').remove('/ws/link.txt')],
    ['trust is revoked', () => (rig.situation.trusted = false)],
    ['every call needs approval', () => (rig.situation.askAll = true)],
    ['the workspace folders change', () => (rig.situation.folders = [])],
    ['another folder replaces the workspace', () => rig.disk.remove('/ws').folder('/ws')],
    ['the chat ended', () => rig.grants.endAll()],
    ['the chat was tainted', () => (rig.situation.tainted = true)],
  ];
  for (const [name, happens] of meanwhile) {
    for (const answer of ['once', 'grant'] as const) {
      it(`denies when ${name} (${answer})`, async () => {
        rig.reply = () => {
          happens();
          return answer;
        };
        await assert.rejects(rig.read('link.txt'), denied);
        assert.equal(rig.effects, 0);
      });
    }
  }

  it('gives a grant only to the requesting chat', async () => {
    rig.reply = () => {
      rig.grants.endAll();
      return 'grant';
    };
    await assert.rejects(rig.external(), denied);
    assert.deepEqual(rig.grants.list(''), []);
  });

  it('accepts no grant that was not offered', async () => {
    const forged = { lifetime: 'chat', scope: { type: 'edits' } } as const;
    rig.forcedResponse = { type: 'grant', offer: forged };
    await assert.rejects(rig.read('.env'), denied);
    assert.deepEqual(rig.grants.list(''), []);
  });

  it('ends immediately on Stop, and ignores later answers', async () => {
    let answer: (reply: 'grant') => void = () => undefined;
    rig.reply = () => new Promise((resolve) => (answer = resolve));
    const reading = rig.read('.env');
    await until(() => rig.dialogs.length === 1);
    rig.stop.abort();
    await assert.rejects(reading, { name: 'AbortError' });
    answer('grant');
    // The next dialog opens only after the first answer was handled.
    rig.reply = 'deny';
    const other = rig.gate.read('.env', rig.context(new AbortController()), rig.effect);
    await assert.rejects(other, denied);
    assert.equal(rig.effects, 0);
    assert.deepEqual(rig.grants.list(''), []);
  });

  it('does nothing if Stop comes during the last inspection', async () => {
    rig.click = 'once';
    let looks = 0;
    const isCurrent = (): Promise<boolean> => {
      if (++looks === 2) rig.stop.abort();
      return Promise.resolve(true);
    };
    await assert.rejects(rig.edit(change('src/app.ts', { isCurrent })), { name: 'AbortError' });
    assert.equal(looks, 2);
    assert.equal(rig.effects, 0);
  });

  it('starts nothing after Stop', async () => {
    rig.stop.abort();
    await assert.rejects(rig.read('src/app.ts'), { name: 'AbortError' });
    assert.equal(rig.disk.looks, 0);
  });

  it('shows one dialog at a time, and asks once if one answer allows several calls', async () => {
    let open = 0;
    rig.reply = async (): Promise<'grant'> => {
      open += 1;
      assert.equal(open, 1);
      await new Promise((resolve) => setImmediate(resolve));
      open -= 1;
      return 'grant';
    };
    await Promise.all([rig.read('.env'), rig.read('.env'), rig.external(), rig.read('.env')]);
    assert.equal(rig.dialogs.length, 2);
    assert.equal(rig.effects, 4);
    assert.equal(rig.log.filter((line) => line === 'under file').length, 2);
  });
});

describe('the gate on internal errors', () => {
  const calls: readonly (readonly [string, (rig: GateRig) => Promise<string>])[] = [
    ['read inside', (rig) => rig.read('src/app.ts')],
    ['read a secret', (rig) => rig.read('.env')],
    ['edit', (rig) => rig.edit(change('src/app.ts'))],
    ['edit a protected file', (rig) => rig.edit(change('package.json'))],
    ['edit a program', (rig) => rig.edit(change('run.sh'))],
    ['run', (rig) => rig.run('npm test')],
    ['external', (rig) => rig.external()],
  ];
  const adapters = ['situation', 'panel', 'dialog', 'describe', 'store', 'ask'] as const;
  const disks = ['realPath', 'status', 'read'] as const;

  /** A rig that allows every call, by an answer or under a grant. */
  async function allowingRig(
    name: string,
    call: (rig: GateRig) => Promise<string>,
  ): Promise<GateRig> {
    const rig = new GateRig();
    rig.disk.file('/ws/run.sh', 'text', { executable: true });
    rig.reply = 'grant';
    rig.click = 'chat';
    // The second call runs under the grant of the first.
    if (name.endsWith('again')) await call(rig);
    if (/protected/.test(name)) rig.reply = 'once';
    return rig;
  }

  for (const [base, call] of calls)
    for (const name of base === 'edit a protected file' ? [base] : [base, `${base} again`])
      it(`${name}: runs without errors, and is denied by one of any adapter that it uses`, async () => {
        for (const broken of [undefined, ...adapters, ...disks]) {
          const rig = await allowingRig(name, call);
          const before = rig.effects;
          if (broken === 'realPath' || broken === 'status' || broken === 'read')
            rig.disk.broken = broken;
          else rig.broken = broken;
          const result = await call(rig).catch((error: unknown) => error);
          if (broken !== undefined && rig.hasThrown) {
            assert.ok(denied(result), `${broken}: ${String(result)}`);
            assert.equal(rig.errors.length, 1, broken);
          } else assert.equal(typeof result, 'string', broken);
          assert.equal(rig.effects, before + (rig.hasThrown ? 0 : 1), broken);
        }
      });

  it('passes on the errors of an effect', async () => {
    const rig = new GateRig();
    const effect = (): Promise<never> => Promise.reject(new Error('of the tool'));
    await assert.rejects(rig.gate.read('src/app.ts', rig.context(), effect), /of the tool/);
    assert.deepEqual(rig.errors, []);
  });

  it("denies a change if it can't determine whether the file is current", async () => {
    const rig = new GateRig();
    rig.click = 'once';
    const isCurrent = (): Promise<boolean> => Promise.reject(new Error('EIO'));
    await assert.rejects(rig.edit(change('src/app.ts', { isCurrent })), denied);
    assert.equal(rig.effects, 0);
  });
});

const root = new URL('../../../../src/', import.meta.url);

describe('Approved', () => {
  it('is created only by the gate', () => {
    const files = globSync('**/*.{ts,tsx}', { cwd: root }).map((file) =>
      file.replaceAll('\\', '/'),
    );
    const creators = files.filter((file) =>
      /new\s+Approved\b|extends\s+Approved\b|Approved\s*\.\s*prototype|\{[^}]*\bApproved\s+as\b/.test(
        readFileSync(new URL(file, root), 'utf8'),
      ),
    );
    assert.deepEqual(creators, ['core/approval/workspaceGate.ts']);
  });

  it("can't be imitated by another object", () => {
    const copy: unknown = Object.create(Approved.prototype);
    assert.ok(copy instanceof Approved);
    assert.throws(() => assert.fail(String(copy.value)), TypeError);
  });
});

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
