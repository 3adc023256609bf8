import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { FileRestore } from '../../src/core/conversation/conversation.ts';
import { systemClock } from '../../src/core/support/clock.ts';
import type { PlannedChange } from '../../src/core/approval/gate.ts';
import { Changes } from '../../src/host/tools/changes.ts';
import { Editing } from '../../src/host/tools/editing.ts';
import { editorTexts } from '../../src/host/tools/editorTexts.ts';
import { RestoreActions } from '../../src/host/tools/changeActions.ts';
import { DiskFiles } from '../../src/host/node/diskFiles.ts';
import { ReviewDiff } from '../../src/host/review/reviewDiff.ts';
import { toLocation } from '../../src/host/platform/location.ts';
import { ReadOnlyDocuments } from '../../src/host/platform/readOnlyDocuments.ts';
import { GrantingGate, toolContext } from '../support/grantingGate.ts';
import { TemporaryFolder } from '../support/temporaryFolder.ts';
import { until } from '../support/until.ts';

const { fs } = vscode.workspace;
const { Workspace } = vscode.ConfigurationTarget;

/** Folder of the workspace for the files of these tests. */
const folder = 'restored';

function uriOf(path: string): vscode.Uri {
  const [root] = vscode.workspace.workspaceFolders ?? [];
  assert.ok(root, 'There is no workspace.');
  return vscode.Uri.joinPath(root.uri, folder, path);
}

async function put(path: string, content: string | Uint8Array): Promise<void> {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  await fs.writeFile(uriOf(path), bytes);
}

async function bytesOf(path: string): Promise<readonly number[] | 'missing'> {
  const bytes = await Promise.resolve(fs.readFile(uriOf(path))).catch(() => undefined);
  return bytes === undefined ? 'missing' : [...bytes];
}

async function onDisk(path: string): Promise<string> {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(await fs.readFile(uriOf(path)));
}

async function allBytes(paths: readonly string[]): Promise<readonly unknown[]> {
  return Promise.all(paths.map(bytesOf));
}

/** Resolves when a document has changed, or after a short while. */
function changeOrPause(document: vscode.TextDocument): Promise<void> {
  return new Promise((resolve) => {
    const finish = (): void => {
      for (const listener of pending) listener.dispose();
      resolve();
    };
    const pending = [
      vscode.workspace.onDidChangeTextDocument((event) => {
        if (event.document === document) finish();
      }),
      systemClock.after(500, finish),
    ];
  });
}

const utf16 = Uint8Array.of(0xff, 0xfe, ...[0x78, 0, 0x0d, 0, 0x0a, 0, 0x79, 0]);
const contents: Readonly<Record<string, string | Uint8Array>> = {
  'no end.txt': 'x\ny',
  'carriage returns.txt': 'x\ry\rz',
  'line ends of several kinds.txt': 'x\r\ny\nz\r\n\n',
  'windows.txt': 'x\r\ny\r\n',
  'mark.txt': '\ufeffx\r\ny  \r\n',
  'mark and several line ends.txt': '\ufeffx\ny\r\n',
  'two bytes a character.txt': utf16,
};

describe('restoring files to before a message', () => {
  let temporary: TemporaryFolder;
  let gate: GrantingGate;
  let changes: Changes;
  let documents: ReadOnlyDocuments;
  let actions: RestoreActions;
  let isTrusted: boolean;

  const scope = { chat: 'chat', turns: ['second', 'third', 'fourth'] };

  async function apply(turn: string, change: Omit<PlannedChange, 'isCurrent'>): Promise<void> {
    const planned = { ...change, isCurrent: () => Promise.resolve(true) };
    const editing = new Editing(gate, () => assert.fail(), changes);
    await editing.apply([planned], toolContext(turn));
  }

  async function edit(turn: string, path: string, search: string, after: string): Promise<void> {
    const before = (await editorTexts.read(toLocation(uriOf(path)))) ?? '';
    await apply(turn, { kind: 'edit', path, before, after: before.replace(search, after) });
  }

  function create(turn: string, path: string, after: string): Promise<void> {
    return apply(turn, { kind: 'create', path, before: '', after });
  }

  /** Restores the files, undoes that, and restores them again, as after a reload. */
  async function goBackAndForth(paths: readonly string[], before: readonly unknown[]) {
    const after = await allBytes(paths);
    assert.notDeepEqual(after, before);
    const restored = await actions.restore(scope);
    assert.deepEqual(restored.left, []);
    assert.deepEqual(await allBytes(paths), before, 'Restored, other bytes are there.');
    open();
    const undone: FileRestore = await actions.undo('chat', restored);
    assert.deepEqual(undone.left, []);
    assert.deepEqual(await allBytes(paths), after, 'Undone, other bytes are there.');
    assert.deepEqual((await actions.redo('chat', undone)).files, restored.files);
    assert.deepEqual(await allBytes(paths), before);
  }

  function open(): void {
    changes = new Changes({
      storage: new DiskFiles(temporary.path),
      texts: editorTexts,
      findInPlace: (files) => Promise.resolve(files.map(() => true)),
      chatOf: () => 'chat',
      onError: (error) => assert.fail(String(error)),
    });
    const review = new ReviewDiff(documents);
    actions = new RestoreActions(changes, review, () => isTrusted);
  }

  async function setFiles(settings: Readonly<Record<string, unknown>>): Promise<void> {
    const files = vscode.workspace.getConfiguration('files');
    for (const [name, value] of Object.entries(settings))
      await files.update(name, value, Workspace);
  }

  /** Waits until VS Code watches files again, as later tests expect. It never reports missed changes. */
  async function untilWatched(): Promise<void> {
    await put('watched.txt', '0');
    const document = await vscode.workspace.openTextDocument(uriOf('watched.txt'));
    for (let count = 1; document.getText() === '0'; count += 1) {
      await put('watched.txt', String(count));
      await changeOrPause(document);
    }
  }

  // VS Code in a browser saves automatically after a second.
  before(() => setFiles({ autoSave: 'off' }));
  after(() => setFiles({ autoSave: undefined }));

  beforeEach(async () => {
    temporary = await TemporaryFolder.create();
    gate = new GrantingGate((path) => toLocation(uriOf(path)));
    documents = new ReadOnlyDocuments('aside-restore-test');
    isTrusted = true;
    open();
  });

  afterEach(async () => {
    documents.dispose();
    await vscode.commands.executeCommand('workbench.action.files.saveAll');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await fs.delete(uriOf(''), { recursive: true });
    await temporary.dispose();
  });

  const formatting = { insertFinalNewline: true, trimTrailingWhitespace: true };
  for (const [how, settings] of [
    ['closed', {}],
    ['open, and formatted when saved', formatting],
    ['open, and not watched', { ...formatting, watcherExclude: { '**': true } }],
  ] as const) {
    it(`restores their previous bytes, whatever they are, if they are ${how}`, async () => {
      const old = Object.entries(contents).map(
        ([name, content]) => [`${how}/${name}`, content] as const,
      );
      const created = `${how}/new.txt`;
      const paths = [...old.map(([path]) => path), created];
      for (const [path, content] of old) await put(path, content);
      for (const [path] of old) await edit('first', path, 'y', 'y!');
      const before = await allBytes(paths);
      for (const [path] of how === 'closed' ? [] : old)
        await vscode.workspace.openTextDocument(uriOf(path));
      await setFiles(settings);
      try {
        await create('second', created, 'one\r\ntwo\n');
        for (const [path] of old) {
          await edit('second', path, 'x', '1\n2');
          await edit('third', path, '2', '');
          await edit('fourth', path, 'y!', '4');
        }
        await edit('third', created, 'one', '1');
        await goBackAndForth(paths, before);
      } finally {
        for (const name of Object.keys(settings)) await setFiles({ [name]: undefined });
        if ('watcherExclude' in settings) await untilWatched();
      }
      for (const { isDirty, uri } of vscode.workspace.textDocuments)
        assert.equal(isDirty, false, uri.path);
    });
  }

  it('can be previewed: the file, and its restored text, which is read-only', async () => {
    await put('a.txt', 'one\n');
    await edit('second', 'a.txt', 'one', '1');
    await actions.review(scope);
    const openDiff = (): vscode.TabInputTextDiff | undefined => {
      const { activeTab } = vscode.window.tabGroups.activeTabGroup;
      return activeTab?.input instanceof vscode.TabInputTextDiff ? activeTab.input : undefined;
    };
    await until(() => openDiff() !== undefined);
    const { original, modified } = openDiff() ?? {};
    assert.ok(original !== undefined && modified !== undefined);
    assert.equal(original.toString(), uriOf('a.txt').toString());
    assert.equal(modified.scheme, 'aside-restore-test');
    assert.equal((await vscode.workspace.openTextDocument(modified)).getText(), 'one\n');
    assert.equal(await onDisk('a.txt'), '1\n');
  });

  it('opens no file to determine what can be restored', async () => {
    await put('closed.txt', 'one\n');
    await editorTexts.read(toLocation(uriOf('closed.txt')));
    const opened = vscode.workspace.textDocuments.map(({ uri }) => uri.path);
    assert.ok(!opened.includes(uriOf('closed.txt').path));
  });

  it('is refused in a workspace that is not trusted', async () => {
    await put('untrusted.txt', 'one\n');
    await edit('second', 'untrusted.txt', 'one', '1');
    isTrusted = false;
    await assert.rejects(actions.restore(scope), /Trust this workspace/);
    assert.equal(await onDisk('untrusted.txt'), '1\n');
  });
});
