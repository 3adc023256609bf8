import assert from 'node:assert/strict';
import type { DialogRequest } from '../../../../src/core/approval/gate.ts';
import type { Grant, GrantOffer } from '../../../../src/core/approval/grants.ts';
import { fileAt, target } from '../../core/approval/policyRig.ts';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';

const { ApprovalDialog } = await withoutVsCode(
  () => import('../../../../src/host/approval/approvalDialog.ts'),
);
const { grantLabel } = await withoutVsCode(
  () => import('../../../../src/host/approval/approvalText.ts'),
);
const { ownPlaces } = await withoutVsCode(
  () => import('../../../../src/host/approval/windowGate.ts'),
);

const cwd = target('packages/app', { kind: 'folder' });
const scope = {
  type: 'command',
  command: 'npm test',
  folder: cwd.location,
  shell: 'bash',
} as const;
const inChat: GrantOffer = { lifetime: 'chat', scope };
const always: GrantOffer = { lifetime: 'workspace', scope };

function runQuestion(command: string, offers: readonly GrantOffer[] = []): DialogRequest {
  return { subject: { type: 'run', command, shell: 'bash', cwd }, reason: 'run', offers };
}

/** A window whose person gives these answers. */
class FakeWindow {
  readonly dialogs: { message: string; detail: string; buttons: readonly string[] }[] = [];
  readonly opened: string[] = [];
  closeCount = 0;
  readonly reminders: string[] = [];
  readonly reasons: (string | undefined)[] = [];
  readonly answers: (string | undefined)[] = [];

  ask(
    message: string,
    detail: string,
    buttons: readonly string[],
    aborting: AbortSignal,
  ): Promise<string | undefined> {
    aborting.throwIfAborted();
    this.dialogs.push({ message, detail, buttons });
    return Promise.resolve(this.answers.shift());
  }

  open(_: unknown, text: string): Promise<void> {
    this.opened.push(text);
    return Promise.resolve();
  }

  reason(): Promise<string | undefined> {
    return Promise.resolve(this.reasons.shift());
  }

  close(): Promise<void> {
    this.closeCount++;
    return Promise.resolve();
  }

  remind(message: string): Promise<void> {
    this.reminders.push(message);
    return Promise.resolve();
  }
}

type NameOf = (conversation: string | undefined) => string;

function rigWith(nameOf: NameOf | undefined, ...answers: FakeWindow['answers']) {
  const window = new FakeWindow();
  window.answers.push(...answers);
  const runsAs = { host: 'devbox', user: 'me' };
  return { window, dialog: new ApprovalDialog(window, runsAs, nameOf) };
}

const rig = (...answers: FakeWindow['answers']) => rigWith(undefined, ...answers);

const { signal } = new AbortController();

/** The dialog of a question that nobody answers. */
async function shown(
  subject: DialogRequest['subject'],
  reason: DialogRequest['reason'],
): Promise<FakeWindow['dialogs'][number]> {
  const { window, dialog } = rig();
  await dialog.ask({ subject, reason, offers: [] }, signal);
  return window.dialogs[0] ?? assert.fail('Nobody was asked.');
}

describe('an approval while several chats are open', () => {
  const ask = async (nameOf: NameOf): Promise<string> => {
    const { window, dialog } = rigWith(nameOf);
    await dialog.ask({ ...runQuestion('npm test'), conversation: 'c' }, signal);
    return window.dialogs[0]?.detail ?? '';
  };

  it('names the requesting chat, and no name can imitate other parts of the dialog', async () => {
    const alone = await ask(() => '');
    assert.equal(await ask((chat) => `chat ${chat}`), `${alone}\n\nChat: chat c`);
    const forged = await ask(() => '[x](command:y)\n\nRuns with no permissions.\u202e');
    assert.ok(forged.startsWith(`${alone}\n\nChat: `));
    assert.doesNotMatch(forged.slice(alone.length + 2), /\]\(|\n|\u202e/);
  });
});

describe('the dialog of an approval', () => {
  it('names the host, the person, the shell and the folder, and shows the whole command', async () => {
    const { window, dialog } = rig('Allow Once');
    assert.deepEqual(await dialog.ask(runQuestion('npm test'), signal), { type: 'once' });
    const [question] = window.dialogs;
    assert.equal(question?.message, 'Run this command in packages/app?');
    assert.deepEqual(question.detail.split('\n'), [
      'npm test',
      '',
      '/home/me/work/app/packages/app (folder)',
      '',
      'Runs with your permissions as me on devbox, using bash. It can access anything you can, including the network.',
    ]);
    assert.deepEqual(question.buttons, ['Deny', 'Allow Once']);
    assert.deepEqual(window.opened, []);
  });

  it('names the addresses that opening a file would load', async () => {
    const addresses = ['https://evil.test/?a'];
    const subject = { type: 'open', target: target('/work/a.json'), addresses } as const;
    const { message, detail } = await shown(subject, 'addresses');
    assert.equal(message, 'Allow the model to open this file?');
    assert.deepEqual(detail.split('\n'), [
      '/work/a.json',
      '',
      'https://evil.test/?a',
      '',
      'Opening it may load URLs that it contains, which can send data.',
    ]);
  });

  it('has the focus on Deny, its first button, and offers grants after Allow Once', async () => {
    const { window, dialog } = rig(
      'Allow in This Chat',
      'Always Allow in This Workspace',
      'Allow Folder in This Chat',
    );
    const [etc, hosts] = [fileAt('/etc'), fileAt('/etc/hosts')];
    const file: GrantOffer = {
      lifetime: 'chat',
      scope: { type: 'file', file: hosts, within: undefined },
    };
    const folder: GrantOffer = {
      lifetime: 'chat',
      scope: { type: 'folder', folder: etc, identity: '1-2' },
    };
    const question = runQuestion('npm test', [inChat, always]);
    assert.deepEqual(await dialog.ask(question, signal), { type: 'grant', offer: inChat });
    assert.deepEqual(await dialog.ask(question, signal), { type: 'grant', offer: always });
    const outside = {
      subject: { type: 'read', target: target('/etc/hosts') },
      reason: 'outside',
      offers: [file, folder],
    } as const;
    assert.deepEqual(await dialog.ask(outside, signal), { type: 'grant', offer: folder });
    assert.match(window.dialogs[2]?.message ?? '', /outside the workspace/);
    assert.deepEqual(window.dialogs[0]?.buttons, [
      'Deny',
      'Allow Once',
      'Allow in This Chat',
      'Always Allow in This Workspace',
    ]);
  });

  it('accepts a reason for the model, and denies even without one', async () => {
    for (const reason of ['Run the tests first.', '', undefined]) {
      const { window, dialog } = rigWith(() => '', 'Give a Reason…');
      window.reasons.push(reason);
      const response = await dialog.ask(runQuestion('npm test'), signal);
      assert.deepEqual(response, { type: 'deny', reason });
      assert.deepEqual(window.dialogs[0]?.buttons, ['Deny', 'Allow Once', 'Give a Reason…']);
    }
  });

  it('treats every response that was not offered as a denial', async () => {
    for (const answer of ['Deny', undefined, '', 'Allow', 'Allow in This Chat']) {
      const { dialog } = rig(answer);
      assert.deepEqual(await dialog.ask(runQuestion('rm x'), signal), { type: 'deny' });
    }
  });

  it('shows its subject first, and the general text last', async () => {
    const commands = ['ls', 'a\u202eb', 'x '.repeat(300), 'y'.repeat(2000), '/etc (folder)'];
    for (const command of commands) {
      const { subject, reason } = runQuestion(command);
      const [first = '', ...others] = (await shown(subject, reason)).detail.split('\n\n');
      const visibleCommand = command.replaceAll('\u202e', '\\u{202e}');
      assert.ok(visibleCommand.startsWith(first.replace(/…$/, '')) && first.length > 0, first);
      assert.match(others.at(-1) ?? '', /^Runs with your permissions/);
      assert.match(others.at(-2) ?? '', /packages\/app \(folder\)$/);
    }
  });

  it('is ignored after Stop, and not shown again', async () => {
    const stop = new AbortController();
    const { window, dialog } = rig('Allow Once');
    const ask = window.ask.bind(window);
    window.ask = (...parameters) => {
      const answer = ask(...parameters);
      stop.abort();
      return answer;
    };
    await assert.rejects(dialog.ask(runQuestion('rm x'), stop.signal), { name: 'AbortError' });
    await assert.rejects(dialog.ask(runQuestion('rm x'), stop.signal), { name: 'AbortError' });
    assert.equal(window.dialogs.length, 1);
  });

  it('opens the full text on Preview, and waits until the person has read it', async () => {
    const command = Array.from({ length: 40 }, (_, index) => `echo ${index}\u200b`).join('\n');
    const { window, dialog } = rig('Preview', 'Allow Once');
    assert.deepEqual(await dialog.ask(runQuestion(command), signal), { type: 'once' });
    assert.deepEqual(window.opened, [command.replaceAll('\u200b', '\\u{200b}')]);
    assert.equal(window.reminders.length, 1);
    assert.match(window.dialogs[0]?.detail ?? '', /40 lines in total\. The full text/);
    assert.deepEqual(window.dialogs[0]?.buttons, ['Deny', 'Allow Once', 'Preview']);
  });

  it('closes after Preview if the call was stopped meanwhile, so that the next one is shown', async () => {
    const command = 'x '.repeat(1000);
    for (const at of ['dialog', 'reminder'] as const) {
      const stop = new AbortController();
      const { window, dialog } = rig('Preview');
      const ask = window.ask.bind(window);
      window.ask = (...options) => {
        const answer = ask(...options);
        if (at === 'dialog') stop.abort();
        return answer;
      };
      // The notification stays open.
      window.remind = () => {
        if (at === 'reminder') stop.abort();
        return new Promise(() => undefined);
      };
      await assert.rejects(dialog.ask(runQuestion(command), stop.signal), { name: 'AbortError' });
      assert.equal(window.dialogs.length, 1);
      assert.equal(window.closeCount, 1);
    }
  });

  it('shows both paths if a link leads elsewhere', async () => {
    const linked = target('/etc/hosts', { named: fileAt('/ws/notes\u202e.txt') });
    const { detail } = await shown({ type: 'read', target: linked }, 'outside');
    assert.match(detail, /^\/etc\/hosts$/m);
    assert.match(detail, /\/ws\/notes\\u\{202e\}\.txt/);
  });

  it('lets no name break out of its line, or become a link', async () => {
    const odd = target('a', { label: 'x](command:y)\nAllow', kind: 'folder' });
    const subject = {
      type: 'run',
      command: 'ls',
      shell: 'ba](command:z)\nsh\u202e',
      cwd: odd,
    } as const;
    const { message, detail } = await shown(subject, 'run');
    assert.doesNotMatch(message, /\n|\]\(/);
    assert.match(detail, /using ba\] \(command:z\) sh\\u\{202e\}\. It/);
  });

  it('shows what a change of a protected file changes', async () => {
    const file = target('package.json');
    const change = {
      kind: 'edit',
      path: 'package.json',
      before: '{\n "a": 1\n}',
      after: '{\n "a": 2\n}',
      isCurrent: () => Promise.resolve(true),
      ofGit: false,
      isInPlace: () => Promise.resolve(true),
      target: file,
    } as const;
    const { detail } = await shown({ type: 'edit', change }, 'protected');
    assert.match(detail, /^- {2}"a": 1$/m);
    assert.match(detail, /^\+ {2}"a": 2$/m);
    assert.match(detail, /package\.json/);
  });

  it('shows the input of another extension’s tool exactly as it is passed', async () => {
    const call = { tool: 'sample', identity: 'sample-1', input: '{"path":"a\u202eb"}' };
    const { detail } = await shown({ type: 'external', call }, 'external');
    assert.match(detail, /\{"path":"a\\u\{202e\}b"\}/);
  });
});

describe('the labels of grants', () => {
  it('describe each one', () => {
    const grants: readonly (readonly [Grant['scope'], Grant['lifetime'], RegExp])[] = [
      [{ type: 'edits' }, 'chat', /edit unprotected files/],
      [{ type: 'file', file: fileAt('/etc/hosts'), within: undefined }, 'chat', /\/etc\/hosts/],
      [{ type: 'folder', folder: fileAt('/etc'), identity: '1-2' }, 'chat', /\/etc/],
      [scope, 'chat', /^This chat can run npm test$/],
      [scope, 'workspace', /^This workspace can always run npm test$/],
      [{ type: 'tool', tool: 'sample', identity: 'x' }, 'chat', /sample/],
    ];
    for (const [of, lifetime, expected] of grants) {
      const grant: Grant = { id: 'g', lifetime, scope: of, since: 0, uses: 0 };
      assert.match(grantLabel(grant), expected);
    }
  });
});

describe('Aside’s own locations', () => {
  it('include the data folder of VS Code around Aside’s storage', () => {
    const storage = fileAt('/home/me/.config/Code/User/globalStorage/aside-chat.aside');
    const others = [undefined, fileAt('/logs/aside')];
    assert.deepEqual(
      ownPlaces(storage, others).map(({ path }) => path),
      [storage.path, '/home/me/.config/Code', '/logs/aside'],
    );
    assert.deepEqual(ownPlaces(fileAt('/a/b/c'), []), [fileAt('/a/b/c')]);
    assert.deepEqual(ownPlaces(fileAt('/User/globalStorage/x'), []).length, 1);
  });
});
