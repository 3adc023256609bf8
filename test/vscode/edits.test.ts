import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import * as vscode from 'vscode';
import type { Approved } from '../../src/core/approval/gate.ts';
import type { Tool } from '../../src/core/tools/tool.ts';
import type { Location, Target } from '../../src/core/files/places.ts';
import { PanelDecisions } from '../../src/host/approval/panelDecisions.ts';
import { CallReviews } from '../../src/host/tools/callReviews.ts';
import { ChangeActions } from '../../src/host/tools/changeActions.ts';
import { Changes } from '../../src/host/tools/changes.ts';
import { removeExpired } from '../../src/host/tools/changeStore.ts';
import { Editing, type EditableContent } from '../../src/host/tools/editing.ts';
import { editorTexts } from '../../src/host/tools/editorTexts.ts';
import { DiskFiles } from '../../src/host/node/diskFiles.ts';
import { OpenReviews } from '../../src/host/review/openReviews.ts';
import { ReviewDiff } from '../../src/host/review/reviewDiff.ts';
import { createFileTool } from '../../src/host/tools/createFile.ts';
import { editFileTool } from '../../src/host/tools/editFile.ts';
import { renameSymbolTool } from '../../src/host/tools/renameSymbol.ts';
import { toLocation, toUri } from '../../src/host/platform/location.ts';
import { ReadOnlyDocuments } from '../../src/host/platform/readOnlyDocuments.ts';
import { GrantingGate, toolContext, resultText } from '../support/grantingGate.ts';
import { TemporaryFolder } from '../support/temporaryFolder.ts';
import { until } from '../support/until.ts';

const { fs } = vscode.workspace;

/** Folder of the workspace for the files of these tests. */
const folder = 'edits';

function uriOf(path: string): vscode.Uri {
  const [root] = vscode.workspace.workspaceFolders ?? [];
  assert.ok(root, 'There is no workspace.');
  return vscode.Uri.joinPath(root.uri, path);
}

async function put(path: string, content: string | Uint8Array): Promise<string> {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  await fs.writeFile(uriOf(`${folder}/${path}`), bytes);
  return `${folder}/${path}`;
}

async function bytesOf(path: string): Promise<number[]> {
  return [...(await fs.readFile(uriOf(path)))];
}

async function onDisk(path: string): Promise<string> {
  const bytes = await fs.readFile(uriOf(path));
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

async function isThere(path: string): Promise<boolean> {
  return fs.stat(uriOf(path)).then(
    () => true,
    () => false,
  );
}

function open(path: string): Promise<vscode.TextDocument> {
  return Promise.resolve(vscode.workspace.openTextDocument(uriOf(path)));
}

/** Types at the start of a file without saving. */
async function type(path: string, text: string): Promise<vscode.TextDocument> {
  const document = await open(path);
  const edit = new vscode.WorkspaceEdit();
  edit.insert(document.uri, new vscode.Position(0, 0), text);
  assert.equal(await vscode.workspace.applyEdit(edit), true);
  return document;
}

async function readFile(target: Approved<Target>): Promise<EditableContent> {
  const { location } = target.value;
  const text = await editorTexts.read(location);
  if (text === undefined) return { kind: 'missing' };
  const isCurrent = async (): Promise<boolean> => (await editorTexts.read(location)) === text;
  return { kind: 'text', text, isLossy: false, isCurrent };
}

async function setAutoSave(value: string | undefined): Promise<void> {
  const { Workspace } = vscode.ConfigurationTarget;
  await vscode.workspace.getConfiguration('files').update('autoSave', value, Workspace);
}

/** The visible diff, once its right side has this scheme. */
async function shownDiff(scheme: string): Promise<vscode.TabInputTextDiff> {
  let diff: vscode.TabInputTextDiff | undefined;
  await until(() => {
    const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    if (input instanceof vscode.TabInputTextDiff) diff = input;
    return diff?.modified.scheme === scheme;
  });
  assert.ok(diff);
  return diff;
}

function isDiffShown(): boolean {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  return tabs.some(({ input }) => input instanceof vscode.TabInputTextDiff);
}

/** Runs a tool with arguments parsed like those of a model. */
async function call(tool: Tool, parameters: object): Promise<string> {
  return resultText(await tool.prepare(parameters).run(toolContext()));
}

describe('changing files', () => {
  let temporary: TemporaryFolder;
  let gate: GrantingGate;
  let changes: Changes;
  let documents: ReadOnlyDocuments;
  let actions: ChangeActions;
  let isTrusted: boolean;
  let editTool: Tool;
  let createTool: Tool;
  let renameTool: Tool;

  function locate(path: string): Location {
    return toLocation(uriOf(path));
  }

  function openChanges(): Changes {
    return new Changes({
      storage: new DiskFiles(temporary.path),
      texts: editorTexts,
      findInPlace: (files) => Promise.resolve(files.map(() => true)),
      chatOf: () => 'chat',
      onError: (error) => assert.fail(String(error)),
    });
  }

  function edit(path: string, search: string, replace: string): Promise<string> {
    return call(editTool, { path, edits: [{ search, replace }] });
  }

  // VS Code in a browser saves automatically after a second.
  before(() => setAutoSave('off'));
  after(() => setAutoSave(undefined));

  beforeEach(async () => {
    temporary = await TemporaryFolder.create();
    gate = new GrantingGate(locate);
    changes = openChanges();
    documents = new ReadOnlyDocuments('aside-change-test');
    const review = new ReviewDiff(documents);
    isTrusted = true;
    actions = new ChangeActions(changes, editorTexts, review, () => isTrusted);
    const editing = new Editing(gate, readFile, changes);
    editTool = editFileTool(editing);
    createTool = createFileTool(editing);
    renameTool = renameSymbolTool(editing);
  });

  afterEach(async () => {
    documents.dispose();
    await vscode.commands.executeCommand('workbench.action.files.saveAll');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await fs.delete(uriOf(folder), { recursive: true });
    await temporary.dispose();
  });

  it('saves a file that was clean, and the editor can undo it', async () => {
    const path = await put('clean.txt', 'one\ntwo\nthree\n');
    const editor = await vscode.window.showTextDocument(await open(path));
    editor.selection = new vscode.Selection(2, 3, 2, 3);
    assert.match(await edit(path, 'one', '0\n1'), /^Changed edits\/clean\.txt: \+2 −1/);
    assert.equal(await onDisk(path), '0\n1\ntwo\nthree\n');
    assert.equal(editor.document.isDirty, false);
    await until(() => editor.selection.active.line === 3);
    await vscode.commands.executeCommand('undo');
    await until(() => editor.document.getText() === 'one\ntwo\nthree\n');
  });

  it('preserves line endings, the byte order mark and the end of the file', async () => {
    const path = await put('mark.txt', '\ufeffone\r\ntwo\r\nthree');
    await edit(path, 'one\ntwo', 'one\n2\n2');
    assert.equal(await onDisk(path), '\ufeffone\r\n2\r\n2\r\nthree');
    assert.deepEqual((await changes.undo('t')).skipped, []);
    assert.equal(await onDisk(path), '\ufeffone\r\ntwo\r\nthree');
  });

  it('preserves mixed line endings, also when the edit is undone', async () => {
    const text = 'one\r\ntwo\nthree\r\nfour\nfive\rsix\r\n';
    const path = await put('mixed.txt', `\ufeff${text}`);
    await edit(path, 'two\n', '2\nmore\n');
    assert.equal(await onDisk(path), `\ufeff${text.replace('two\n', '2\nmore\n')}`);
    const editor = await vscode.window.showTextDocument(await open(path));
    await edit(path, 'four', '4');
    assert.equal(
      await onDisk(path),
      `\ufeff${text.replace('two\n', '2\nmore\n').replace('four', '4')}`,
    );
    assert.equal(editor.document.isDirty, false);
    assert.deepEqual((await changes.undo('t')).skipped, []);
    assert.equal(await onDisk(path), `\ufeff${text}`);
    assert.equal(editor.document.isDirty, false);
  });

  it('edits a file with mixed line endings repeatedly in quick succession', async () => {
    const path = await put('often.txt', 'a\r\nb\n');
    const { document } = await vscode.window.showTextDocument(await open(path));
    for (let n = 0; n < 12; n++) {
      await edit(path, n === 0 ? 'a' : `a${n - 1}`, `a${n}`);
      assert.equal(await onDisk(path), `a${n}\r\nb\n`);
      assert.equal(document.isDirty, false);
    }
    await document.save();
    assert.equal(await onDisk(path), 'a11\r\nb\n');
    await vscode.commands.executeCommand('undo');
    assert.match(document.getText(), /^a10\r?\nb\r?\n$/);
    await vscode.commands.executeCommand('workbench.action.files.revert');
  });

  it('preserves the encoding, and writes nothing that it cannot represent', async () => {
    const files = vscode.workspace.getConfiguration('files');
    const { Workspace } = vscode.ConfigurationTarget;
    await files.update('encoding', 'iso88591', Workspace);
    try {
      const path = await put('latin.txt', Uint8Array.of(0x67, 0x72, 0xfc, 0xdf, 0x65, 0x0a));
      await edit(path, 'grüße', 'größe');
      assert.deepEqual(await bytesOf(path), [0x67, 0x72, 0xf6, 0xdf, 0x65, 0x0a]);
      await assert.rejects(edit(path, 'größe', '漢字'), /cannot represent/);
      assert.deepEqual(await bytesOf(path), [0x67, 0x72, 0xf6, 0xdf, 0x65, 0x0a]);
    } finally {
      await files.update('encoding', undefined, Workspace);
    }
  });

  it('does not save a file with undecodable bytes', async () => {
    const bytes = Uint8Array.of(0x61, 0xff, 0x0a);
    const path = await put('bytes.txt', bytes);
    await assert.rejects(edit(path, 'a', 'b'), /not text in its encoding/);
    assert.deepEqual(await bytesOf(path), [...bytes]);
  });

  it('reads unsaved changes, and leaves them unsaved', async () => {
    const path = await put('dirty.txt', 'one\n');
    const document = await type(path, 'mine\n');
    assert.match(await edit(path, 'mine\none', 'mine\n1'), /not saved/);
    assert.equal(document.getText(), 'mine\n1\n');
    assert.equal(document.isDirty, true);
    assert.equal(await onDisk(path), 'one\n');
    assert.deepEqual((await changes.undo('t')).skipped, []);
    assert.equal(document.getText(), 'mine\none\n');
    assert.equal(document.isDirty, true);
  });

  it('writes all files or none', async () => {
    const first = await put('first.txt', 'one\n');
    const second = await put('second.txt', 'one\n');
    const change = (path: string, before: string) => ({
      kind: 'edit' as const,
      path,
      before,
      after: '1\n',
      location: locate(path),
    });
    const created = `${folder}/created.txt`;
    const creation = {
      kind: 'create' as const,
      path: created,
      before: '',
      after: 'new\n',
      location: locate(created),
    };
    const stale = [change(first, 'one\n'), creation, change(second, 'other\n')];
    await assert.rejects(editorTexts.write(stale), /second\.txt has changed/);
    assert.equal(await onDisk(first), 'one\n');
    assert.equal((await open(first)).isDirty, false);
    assert.equal(await isThere(created), false);
    const fitting = [change(first, 'one\n'), creation, change(second, 'one\n')];
    await editorTexts.write(fitting);
    assert.equal(await onDisk(first), '1\n');
    assert.equal(await onDisk(created), 'new\n');
    assert.equal(await onDisk(second), '1\n');
  });

  it('edits a document that got a new version with the same text meanwhile', async () => {
    const path = await put('version.txt', 'one\n');
    const document = await open(path);
    const created = `${folder}/beside.txt`;
    const same = new vscode.WorkspaceEdit();
    same.replace(document.uri, new vscode.Range(0, 0, 0, 3), 'one');
    const signal = new AbortController().signal;
    const versions: Thenable<boolean>[] = [];
    // The last check before the edit is applied.
    signal.throwIfAborted = () => {
      if (versions.length === 0) versions.push(vscode.workspace.applyEdit(same));
    };
    const places = { before: '', after: 'new\n', location: locate(created), path: created };
    const change = { kind: 'edit' as const, path, before: 'one\n', after: '1\n' };
    await editorTexts.write(
      [
        { kind: 'create', ...places },
        { ...change, location: locate(path) },
      ],
      signal,
    );
    assert.deepEqual(await Promise.all(versions), [true]);
    assert.equal(document.getText(), '1\n');
    assert.equal(await onDisk(created), 'new\n');
  });

  it('updates documents in folders that VS Code does not watch yet', async () => {
    // VS Code may miss folders that are created inside a new one, and all changes in them.
    const paths = Array.from({ length: 3 }, (_, index) => `fresh/${String(index)}/in/side/a.txt`);
    for (const name of paths) {
      const path = `${folder}/${name}`;
      const { fsPath } = uriOf(path);
      mkdirSync(dirname(fsPath), { recursive: true });
      writeFileSync(fsPath, 'x\r\ny\n');
      const document = await open(path);
      await edit(path, 'x', 'one');
      assert.equal(document.getText().replaceAll('\r\n', '\n'), 'one\ny\n', name);
      await edit(path, 'one', '1');
      assert.equal(document.getText().replaceAll('\r\n', '\n'), '1\ny\n', name);
      assert.equal(await onDisk(path), '1\r\ny\n');
      assert.equal(document.encoding, 'utf8');
      assert.equal(document.isDirty, false);
    }
  });

  for (const encoding of ['utf8bom', 'utf16le', 'windows1252', 'iso88591']) {
    it(`updates a document in ${encoding} in such a folder`, async () => {
      const path = `${folder}/fresh/${encoding}/in/side/a.txt`;
      const { fsPath } = uriOf(path);
      const bytes = await vscode.workspace.encode('ä\r\ny\n', { encoding });
      mkdirSync(dirname(fsPath), { recursive: true });
      writeFileSync(fsPath, bytes);
      const document = await vscode.workspace.openTextDocument(uriOf(path), { encoding });
      await edit(path, 'ä', 'öß');
      assert.equal(document.getText().replaceAll('\r\n', '\n'), 'öß\ny\n');
      assert.equal(document.encoding, encoding);
      assert.equal(document.isDirty, false);
      const after = await fs.readFile(uriOf(path));
      assert.equal(await vscode.workspace.decode(after, { encoding }), 'öß\r\ny\n');
    });
  }

  it('preserves the encoding of a document that several edits wait for in such a folder', async () => {
    const encoding = 'windows1252';
    const path = `${folder}/fresh/several/in/side/a.txt`;
    const { fsPath } = uriOf(path);
    mkdirSync(dirname(fsPath), { recursive: true });
    writeFileSync(fsPath, await vscode.workspace.encode('ä\n', { encoding }));
    const document = await vscode.workspace.openTextDocument(uriOf(path), { encoding });
    for (const text of ['ö\n', 'ü\n']) {
      writeFileSync(fsPath, await vscode.workspace.encode(text, { encoding }));
      const location = locate(path);
      const all = Array.from({ length: 5 }, () => editorTexts.read(location));
      assert.deepEqual(new Set(await Promise.all(all)), new Set([text]));
      assert.equal(document.encoding, encoding);
    }
    await edit(path, 'ü', 'ß');
    assert.equal(
      await vscode.workspace.decode(await fs.readFile(uriOf(path)), { encoding }),
      'ß\n',
    );
  });

  it("stores the formatted text as the turn's result", async () => {
    const configuration = vscode.workspace.getConfiguration('editor');
    const { Workspace } = vscode.ConfigurationTarget;
    const formatter = vscode.languages.registerDocumentFormattingEditProvider(
      { scheme: 'file', pattern: `**/${folder}/formatted.txt` },
      {
        provideDocumentFormattingEdits: (document) => {
          const end = document.lineAt(document.lineCount - 1).range.end;
          return document.getText().includes('formatted')
            ? []
            : [vscode.TextEdit.insert(end, 'formatted\n')];
        },
      },
    );
    await configuration.update('formatOnSave', true, Workspace);
    try {
      const path = await put('formatted.txt', 'one\n');
      assert.match(await edit(path, 'one', '1'), /Saving it made more changes/);
      assert.equal(await onDisk(path), '1\nformatted\n');
      const [change] = await changes.texts('t');
      assert.equal(change?.after, '1\nformatted\n');
    } finally {
      formatter.dispose();
      await configuration.update('formatOnSave', undefined, Workspace);
    }
    assert.deepEqual((await changes.undo('t')).skipped, []);
    assert.equal(await onDisk(`${folder}/formatted.txt`), 'one\n');
  });

  it('creates a file with its folders, and removes it while unchanged', async () => {
    const path = `${folder}/deep/er/new.txt`;
    await put('beside.txt', '');
    await call(createTool, { path, content: 'one\ntwo' });
    assert.equal(await onDisk(path), 'one\ntwo');
    await assert.rejects(call(createTool, { path, content: 'other' }), /already exists/);
    assert.equal(await onDisk(path), 'one\ntwo');
    await type(path, 'mine\n');
    await assert.rejects(actions.change('t', undefined, 'undo'), /deep\/er\/new\.txt/);
    assert.equal(await isThere(path), true);
    await vscode.commands.executeCommand('workbench.action.files.saveAll');
    await edit(path, 'mine\n', '');
    assert.deepEqual(
      (await changes.list('t')).map(({ kind }) => kind),
      ['create', 'edit'],
    );
  });

  it('keeps text that is typed into a new file while it is being removed', async () => {
    const path = `${folder}/typed/while.txt`;
    await call(createTool, { path, content: 'one\n' });
    const document = await vscode.workspace.openTextDocument(uriOf(path));
    await vscode.window.showTextDocument(document);
    let typed = 0;
    const typing = { isOver: false };
    const undone = actions.change('t', undefined, 'undo').finally(() => (typing.isOver = true));
    const undoing = Promise.allSettled([undone]);
    while (!typing.isOver && !document.isClosed) {
      const edit = new vscode.WorkspaceEdit();
      edit.insert(document.uri, new vscode.Position(0, 0), 'x');
      if (await vscode.workspace.applyEdit(edit)) typed++;
    }
    await undoing;
    assert.ok(typed > 0);
    assert.equal(document.getText(), `${'x'.repeat(typed)}one\n`);
    assert.equal(document.isDirty, true);
    await assert.rejects(undone, /typed\/while\.txt/);
    assert.equal(await onDisk(path), 'one\n');
    assert.equal(await document.save(), true);
    await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
  });

  it('removes old texts, and reports that on undo', async () => {
    const path = await put('old.txt', 'one\n');
    await edit(path, 'one', '1');
    const chats = (): Promise<readonly string[]> => Promise.resolve(['chat']);
    await removeExpired(
      new DiskFiles(temporary.path),
      chats,
      Date.now() + 31 * 24 * 60 * 60 * 1000,
    );
    assert.deepEqual(await fs.readDirectory(vscode.Uri.file(temporary.path)), []);
    await assert.rejects(actions.change('t', undefined, 'undo'), { name: 'UserError' });
    assert.equal(await onDisk(path), '1\n');
  });

  it('renames with the language extension, text only, each file through the gate', async () => {
    const path = await put('one.txt', 'x = 1\nuse old here\n');
    const other = await put('two.txt', 'old\r\nold too\r\n');
    const provider = vscode.languages.registerRenameProvider(
      { scheme: 'file', pattern: `**/${folder}/*.txt` },
      {
        provideRenameEdits: (document, position, name) => {
          assert.equal(document.getText(document.getWordRangeAtPosition(position)), 'old');
          const change = new vscode.WorkspaceEdit();
          change.replace(document.uri, new vscode.Range(1, 4, 1, 7), name);
          change.replace(uriOf(other), new vscode.Range(0, 0, 0, 3), name);
          change.replace(uriOf(other), new vscode.Range(1, 0, 1, 3), name);
          change.renameFile(document.uri, uriOf(`${folder}/moved.txt`));
          return change;
        },
      },
    );
    try {
      const rename = { path, line: 2, symbol: 'old', new_name: 'fresh' };
      await assert.rejects(call(renameTool, { ...rename, line: 1 }), /2\tuse old here/);
      const words = await call(renameTool, rename);
      assert.match(words, /Renamed old to fresh in .*one\.txt.*two\.txt.*keep their names/);
    } finally {
      provider.dispose();
    }
    assert.equal(await onDisk(path), 'x = 1\nuse fresh here\n');
    assert.equal(await onDisk(other), 'fresh\r\nfresh too\r\n');
    assert.equal(await isThere(`${folder}/moved.txt`), false);
    assert.deepEqual(gate.changes.map((change) => change.path).toSorted(), [path, other]);
    assert.deepEqual((await changes.undo('t')).skipped, []);
    assert.equal(await onDisk(other), 'old\r\nold too\r\n');
  });

  describe('edits that are reviewed before approval', () => {
    let reviews: OpenReviews;
    let decisions: PanelDecisions;
    let calls: CallReviews;

    beforeEach(() => {
      reviews = new OpenReviews();
      decisions = new PanelDecisions();
      calls = new CallReviews(reviews, decisions);
      gate.panel = (changes) =>
        decisions.wait(
          { turn: 't', call: 'c' },
          { changes, forChat: true },
          new AbortController().signal,
        );
    });

    afterEach(() => {
      calls.dispose();
      reviews.dispose();
    });

    /** Text on the right side of the diff. */
    async function proposedText(): Promise<vscode.TextDocument> {
      const { modified } = await shownDiff('aside-review');
      return vscode.workspace.openTextDocument(modified);
    }

    const numbers = 'one\ntwo\nthree\nfour\nfive\n';

    it('are shown in documents without language features, and nothing is written', async () => {
      const path = await put('package.json', '{}\n');
      const proposed = '{ "$schema": "https://evil.test/", "a": "\u202e" }\n';
      const edited = edit(path, '{}\n', proposed);
      await until(() => decisions.changesOf('t', 'c') !== undefined);
      await calls.show('t', 'c', undefined);
      const document = await proposedText();
      assert.equal(document.languageId, 'aside-review-json');
      assert.equal(document.getText(), proposed.replace('\u202e', '\\u{202e}'));
      assert.equal(await onDisk(path), '{}\n');
      assert.equal(decisions.decide('t', 'c', 'deny'), true);
      await assert.rejects(edited, { outcome: 'denied' });
      await until(() => reviews.all.length === 0);
    });

    it('are allowed and denied in the title of the diff, which closes by itself', async () => {
      const path = await put('title.txt', numbers);
      for (const decision of ['deny', 'once'] as const) {
        const edited = edit(path, 'two', '2');
        edited.catch(() => undefined);
        await until(() => decisions.changesOf('t', 'c') !== undefined);
        await calls.show('t', 'c', undefined);
        await proposedText();
        reviews.decideCall(decision);
        if (decision === 'deny') await assert.rejects(edited, { outcome: 'denied' });
        else assert.match(await edited, /^Changed/);
        await until(() => !isDiffShown());
      }
      assert.equal(await onDisk(path), numbers.replace('two', '2'));
    });

    for (const [title, decide] of [
      ['in the panel', () => void decisions.decide('t', 'c', 'once')],
      ['hunk by hunk', () => reviews.decide('accept', { at: 'cursor' })],
      ['in the title', () => reviews.decideCall('once')],
    ] as const) {
      it(`write exactly the hunks that were not rejected, allowed ${title}`, async () => {
        const path = await put(`partly ${title}.txt`, numbers);
        const edited = call(editTool, {
          path,
          edits: [
            { search: 'two', replace: '2' },
            { search: 'four', replace: '4' },
          ],
        });
        await until(() => decisions.changesOf('t', 'c') !== undefined);
        await calls.show('t', 'c', undefined);
        const document = await proposedText();
        await reviews.decide('reject', { address: document.uri.toString(), hunk: 0 });
        await until(() => document.getText() === numbers.replace('four', '4'));
        assert.equal(await onDisk(path), numbers);
        await decide();
        const words = await edited;
        assert.match(words, /leads from your text to what was written:[^]*-2\n\+two/);
        assert.doesNotMatch(words, /[-+]4/);
        assert.equal(await onDisk(path), numbers.replace('four', '4'));
        await until(() => !isDiffShown());
      });
    }

    it('are denied if every hunk is rejected', async () => {
      const path = await put('all.txt', numbers);
      const edited = edit(path, 'two', '2');
      await until(() => decisions.changesOf('t', 'c') !== undefined);
      await calls.show('t', 'c', undefined);
      await proposedText();
      const denied = assert.rejects(edited, { outcome: 'denied' });
      await reviews.decide('reject');
      await denied;
      assert.equal(await onDisk(path), numbers);
    });

    it('are written as the person changed them, even if the diff is closed first', async () => {
      for (const [name, end] of [
        ['open', () => reviews.decideCall('once')],
        ['hunks', () => reviews.decide('accept')],
        ['panel', () => void decisions.decide('t', 'c', 'once')],
        ['closed', () => vscode.commands.executeCommand('workbench.action.closeActiveEditor')],
      ] as const) {
        const path = await put(`made ${name}.txt`, numbers);
        const edited = edit(path, 'two', '2');
        await until(() => decisions.changesOf('t', 'c') !== undefined);
        await calls.show('t', 'c', undefined);
        const document = await proposedText();
        const editor = (): vscode.TextEditor | undefined =>
          vscode.window.visibleTextEditors.find((visible) => visible.document === document);
        await until(() => editor() !== undefined);
        const { version } = document;
        while (document.version === version) {
          await editor()?.edit((builder) => builder.insert(new vscode.Position(1, 1), '!'));
        }
        await end();
        if (name === 'closed') {
          await until(() => !isDiffShown());
          decisions.decide('t', 'c', 'once');
        }
        assert.match(
          await edited,
          /leads from your text to what was written:\n.*\n@@[^]*-2\n\+2!\n/,
        );
        assert.equal(await onDisk(path), numbers.replace('two', '2!'));
        await until(() => !isDiffShown());
        const isOpen = ({ uri, isDirty }: vscode.TextDocument): boolean =>
          isDirty && uri.scheme === 'aside-review';
        await until(() => !vscode.workspace.textDocuments.some(isOpen));
      }
    });

    it('stay rejected if the diff is closed before the others are allowed', async () => {
      const path = await put('closed.txt', numbers);
      const edited = call(editTool, {
        path,
        edits: [
          { search: 'two', replace: '2' },
          { search: 'four', replace: '4' },
        ],
      });
      await until(() => decisions.changesOf('t', 'c') !== undefined);
      await calls.show('t', 'c', undefined);
      const { uri } = await proposedText();
      await reviews.decide('reject', { address: uri.toString(), hunk: 1 });
      await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
      await until(() => !isDiffShown());
      assert.ok(decisions.changesOf('t', 'c'), 'The call still waits.');
      decisions.decide('t', 'c', 'once');
      await edited;
      assert.equal(await onDisk(path), numbers.replace('two', '2'));
    });
  });

  describe('redoing edits', () => {
    const { Workspace } = vscode.ConfigurationTarget;
    const utf16 = Uint8Array.of(0xff, 0xfe, ...[0x78, 0, 0x0d, 0, 0x0a, 0, 0x79, 0]);

    /** Changes file settings during the work. */
    async function withSettings(
      settings: Readonly<Record<string, unknown>>,
      run: () => Promise<void>,
    ): Promise<void> {
      const files = vscode.workspace.getConfiguration('files');
      for (const [name, value] of Object.entries(settings)) {
        await files.update(name, value, Workspace);
      }
      try {
        await run();
      } finally {
        for (const name of Object.keys(settings)) await files.update(name, undefined, Workspace);
      }
    }

    async function allBytes(paths: readonly string[]): Promise<readonly unknown[]> {
      return Promise.all(
        paths.map(async (path) => ((await isThere(path)) ? bytesOf(path) : 'missing')),
      );
    }

    /** Names of the documents that were saved during the work. */
    async function savedDuring(run: () => Promise<void>): Promise<readonly string[]> {
      const saved: string[] = [];
      const listening = vscode.workspace.onDidSaveTextDocument(({ fileName }) => {
        saved.push(basename(fileName));
      });
      await run().finally(() => void listening.dispose());
      return saved;
    }

    /** Undoes and redoes everything, then both again after a reload. */
    async function goBackAndForth(
      paths: readonly string[],
      before: readonly unknown[],
    ): Promise<void> {
      const after = await allBytes(paths);
      assert.notDeepEqual(after, before);
      for (const restored of [changes, openChanges()]) {
        assert.deepEqual((await restored.undo('t')).skipped, []);
        assert.deepEqual(await allBytes(paths), before, 'Undone, other bytes are there.');
        assert.deepEqual((await restored.redo('t')).skipped, []);
        assert.deepEqual(await allBytes(paths), after, 'Redone, other bytes are there.');
      }
      for (const document of vscode.workspace.textDocuments) {
        assert.equal(document.isDirty, false, document.uri.path);
      }
    }

    const contents: Readonly<Record<string, string | Uint8Array>> = {
      'no end': 'x\ny',
      'carriage returns': 'x\ry\rz',
      'line ends of several kinds': 'x\r\ny\nz\r\n\n',
      'one line end': 'x\r\n',
      'a mark': '\ufeffx\r\ny  \r\n',
      'a mark and several line ends': '\ufeffx\ny\r\n',
      'two bytes a character': utf16,
    };
    const formatting = {
      insertFinalNewline: true,
      trimTrailingWhitespace: true,
      trimFinalNewlines: true,
    };

    for (const [how, settings, replace] of [
      ['closed and get longer', {}, '1\n2'],
      ['closed and get shorter', {}, ''],
      ['open, formatted and get longer', formatting, '1\n2'],
      ['open, formatted and get shorter', formatting, ''],
    ] as const) {
      it(`restores the bytes that undo reverted, in files that are ${how}`, async () => {
        const names = Object.entries(contents);
        const paths = await Promise.all(
          names.map(([name, content]) => put(`${how}/${name}.txt`, content)),
        );
        const before = await allBytes(paths);
        for (const path of how.startsWith('open') ? paths : []) await open(path);
        await withSettings(settings, async () => {
          for (const path of paths) await edit(path, 'x', replace);
          // VS Code copies a file when it saves, which never ends if the file gets shorter
          // meanwhile.
          assert.deepEqual(await savedDuring(() => goBackAndForth(paths, before)), []);
        });
      });
    }

    /** Creates a file for each kind of text. */
    async function createAll(): Promise<readonly string[]> {
      const texts = ['', 'ä\r\nb\n', 'ä\n', '\ufeffä\n'];
      const paths = texts.map((_, index) => `${folder}/new/${index}.txt`);
      for (const [index, content] of texts.entries()) {
        await call(createTool, { path: paths[index], content });
      }
      return paths;
    }

    for (const encoding of ['utf16le', 'iso88591']) {
      it(`restores new files in ${encoding}`, async () => {
        await put('beside.txt', '');
        const missing = ['missing', 'missing', 'missing', 'missing'];
        await withSettings({ encoding }, async () => {
          await goBackAndForth(await createAll(), missing);
        });
      });
    }

    it('restores a new file with its encoding', async () => {
      await put('beside.txt', '');
      let paths: readonly string[] = [];
      await withSettings({ encoding: 'utf8bom' }, async () => {
        paths = await createAll();
      });
      await goBackAndForth(paths, ['missing', 'missing', 'missing', 'missing']);
    });

    it('skips and names files that the person changed since, and redoes the others', async () => {
      const names = ['typed', 'saved', 'other', 'deleted'];
      const paths = await Promise.all(names.map((name) => put(`${name}.txt`, 'one\n')));
      const created = `${folder}/created.txt`;
      for (const path of paths) await edit(path, 'one', '1');
      await call(createTool, { path: created, content: 'new\n' });
      await actions.change('t', undefined, 'undo');
      const typed = await type(`${folder}/typed.txt`, 'mine\n');
      const saved = await open(`${folder}/saved.txt`);
      await put('saved.txt', 'mine\n');
      await put('created.txt', '');
      await fs.delete(uriOf(`${folder}/deleted.txt`));
      await until(() => saved.getText() === 'mine\n');
      await assert.rejects(actions.change('t', undefined, 'redo'), {
        name: 'UserError',
        message: /typed\.txt.*saved\.txt.*deleted\.txt.*created\.txt/,
      });
      assert.equal(typed.getText(), 'mine\none\n');
      assert.equal(await onDisk(`${folder}/saved.txt`), 'mine\n');
      assert.equal(await onDisk(created), '');
      assert.equal(await isThere(`${folder}/deleted.txt`), false);
      assert.equal(await onDisk(`${folder}/other.txt`), '1\n');
    });

    it('changes unsaved files only in the editor', async () => {
      const path = await put('unsaved.txt', 'one\n');
      const document = await type(path, 'mine\n');
      await edit(path, 'one', '1');
      for (let times = 0; times < 2; times++) {
        await actions.change('t', '1', 'undo');
        assert.equal(document.getText(), 'mine\none\n');
        await actions.change('t', '1', 'redo');
        assert.equal(document.getText(), 'mine\n1\n');
      }
      assert.equal(document.isDirty, true);
      assert.equal(await onDisk(path), 'one\n');
    });

    it('avoids conflicts in a file that a formatter would have changed', async () => {
      await withSettings({ insertFinalNewline: true }, async () => {
        const path = await put('final newline.txt', 'one');
        const { document } = await vscode.window.showTextDocument(await open(path));
        await edit(path, 'one', '1');
        assert.equal(await onDisk(path), '1\n');
        for (let times = 0; times < 2; times++) {
          await actions.change('t', undefined, 'undo');
          assert.equal(await onDisk(path), 'one');
          await actions.change('t', undefined, 'redo');
          assert.equal(await onDisk(path), '1\n');
        }
        await type(path, 'mine\n');
        assert.equal(await document.save(), true);
        assert.equal(await onDisk(path), 'mine\n1\n');
      });
    });

    it('is refused in a workspace that is not trusted', async () => {
      const path = await put('untrusted.txt', 'one\n');
      await edit(path, 'one', '1');
      isTrusted = false;
      await actions.change('t', undefined, 'undo');
      assert.equal(await onDisk(path), 'one\n');
      await assert.rejects(actions.change('t', undefined, 'redo'), /Trust this workspace/);
      assert.equal(await onDisk(path), 'one\n');
    });
  });

  it("shows a turn's change next to the file itself", async () => {
    const path = await put('shown.txt', 'one\n');
    await edit(path, 'one', '1');
    await actions.change('t', '1', 'diff');
    const input = await shownDiff('file');
    assert.equal(input.modified.toString(), toUri(locate(path)).toString());
    await changes.undo('t');
    await actions.change('t', '1', 'diff');
    const { modified } = await shownDiff('aside-change-test');
    assert.equal((await vscode.workspace.openTextDocument(modified)).getText(), '1\n');
  });
});
