import assert from 'node:assert/strict';
import { rename, rm, writeFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import type { FileReviews } from '../../src/host/review/fileReviews.ts';
import type { OpenReviews } from '../../src/host/review/openReviews.ts';
import type { PassGate } from '../../src/host/review/review.ts';
import { until } from '../support/until.ts';
import { EditRig } from './support/editRig.ts';
import { itButNotOn } from './support/itButNotOn.ts';

const folder = 'review';

function uriOf(path: string): vscode.Uri {
  const [root] = vscode.workspace.workspaceFolders ?? [];
  assert.ok(root, 'There is no workspace.');
  return vscode.Uri.joinPath(root.uri, folder, path);
}

/** Writes a file and opens it in an editor. */
async function open(
  path: string,
  text: string,
  column = vscode.ViewColumn.One,
): Promise<vscode.TextEditor> {
  await vscode.workspace.fs.writeFile(uriOf(path), new TextEncoder().encode(text));
  const document = await vscode.workspace.openTextDocument(uriOf(path));
  return vscode.window.showTextDocument(document, { viewColumn: column, preview: false });
}

async function onDisk({ uri }: vscode.TextDocument): Promise<string> {
  return new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
}

async function setAutoSave(mode: string | undefined): Promise<void> {
  const { Workspace } = vscode.ConfigurationTarget;
  const files = vscode.workspace.getConfiguration('files');
  await files.update('autoSave', mode, Workspace);
  await files.update('autoSaveDelay', mode === undefined ? undefined : 50, Workspace);
}

/** The proposed text in the visible diff. */
function proposed(): vscode.TextDocument | undefined {
  return vscode.window.visibleTextEditors.find(({ document }) => isProposed(document))?.document;
}

function isProposed({ uri, languageId }: vscode.TextDocument): boolean {
  return uri.scheme === 'aside-review' && /^aside-review(-\w+)?$/.test(languageId);
}

function diffTabs(): readonly vscode.Tab[] {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  return tabs.filter(({ input }) => input instanceof vscode.TabInputTextDiff);
}

async function showsProposed(text: string): Promise<void> {
  await until(() =>
    vscode.window.visibleTextEditors.some(
      ({ document }) => isProposed(document) && document.getText() === text,
    ),
  );
}

/** A reply that the test controls. */
class ControlledReply {
  #onText: (text: string) => void = () => undefined;
  #settle: { resolve: () => void; reject: (error: Error) => void } | undefined;
  isAborted = false;

  readonly produce = (onText: (text: string) => void, signal: AbortSignal): Promise<void> => {
    this.#onText = onText;
    signal.addEventListener('abort', () => (this.isAborted = true));
    return new Promise((resolve, reject) => (this.#settle = { resolve, reject }));
  };

  say(text: string): void {
    this.#onText(text);
  }

  end(): void {
    this.#settle?.resolve();
  }

  fail(message: string): void {
    this.#settle?.reject(new Error(message));
  }
}

const typescript = [
  'export function sum(values: number[]): number {',
  '  let total = 0;',
  '  for (const value of values) {',
  '    total += value;',
  '  }',
  '  return total;',
  '}',
  '',
  'export const none = sum([]);',
  '',
].join('\n');

const answer = [
  'Here it is:',
  '```ts',
  'export function sum(values: readonly number[]): number {',
  '  let total = 0;',
  '  for (const value of values) {',
  '    total += value;',
  '  }',
  '  // Nothing adds up to 0.',
  '  return total;',
  '}',
  '```',
  '',
].join('\n');

const accepted = typescript
  .replace('values: number[]', 'values: readonly number[]')
  .replace('  return', '  // Nothing adds up to 0.\n  return');

/** A reply with one line of code. */
function check(onText: (text: string) => void): Promise<void> {
  onText('```ts\ncheck();\n```\n');
  return Promise.resolve();
}

/** Offsets of the first and second change of the reply. */
const places = { start: 0, end: 7 };

describe('reviews of changes', () => {
  let rig: EditRig;
  let openReviews: OpenReviews;
  let reviews: FileReviews;
  /** The message for the chat, which no test here sends. */
  const message = () => assert.fail('Nothing is asked in the chat.');

  function useGate(gate?: PassGate): void {
    rig = new EditRig(gate);
    openReviews = rig.open;
    reviews = rig.reviews;
  }

  beforeEach(() => useGate());

  afterEach(async () => {
    openReviews.dispose();
    for (const { document } of vscode.window.visibleTextEditors) {
      if (!document.isDirty) continue;
      await vscode.window.showTextDocument(document);
      await vscode.commands.executeCommand('workbench.action.files.revert');
    }
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  /** Streams a complete reply over lines. */
  async function streamAll(
    document: vscode.TextDocument,
    lines: { readonly start: number; readonly end: number },
    text: string,
  ): Promise<void> {
    const produce = (onText: (piece: string) => void): Promise<void> => {
      for (const piece of text.match(/[^]{1,7}/g) ?? []) onText(piece);
      return Promise.resolve();
    };
    await reviews.stream({ document, ...lines }, produce, message);
  }

  it('shows the new text next to the file as it arrives, and changes the file on accept', async () => {
    const { document } = await open('accept.ts', typescript);
    const reply = new ControlledReply();
    const streamed = reviews.stream({ document, ...places }, reply.produce, message);
    reply.say(answer.slice(0, answer.indexOf('  let')));
    await until(() => proposed()?.getText().includes('readonly') === true);
    assert.equal(document.getText(), typescript);
    reply.say(answer.slice(answer.indexOf('  let')));
    reply.end();
    await streamed;
    await showsProposed(accepted);
    assert.equal(document.getText(), typescript);
    await openReviews.decide('accept');
    assert.equal(document.getText(), accepted);
    assert.equal(await onDisk(document), typescript, 'Aside saves nothing.');
    assert.deepEqual(
      rig.decided.map(({ before, after }) => [before, after]),
      [[typescript, accepted]],
    );
  });

  it('closes after the last decision, with the cursor at the change', async () => {
    const { document } = await open('cursor.ts', typescript);
    await streamAll(document, places, answer);
    const [first] = proposed()?.getText().split('\n') ?? [];
    assert.match(first ?? '', /readonly/);
    await openReviews.decide('reject', { at: 'cursor' });
    await openReviews.decide('accept', { at: 'cursor' });
    await until(() => diffTabs().length === 0);
    await until(() => {
      const editor = vscode.window.activeTextEditor;
      return editor?.document === document && editor.selection.active.line === 5;
    });
    assert.equal(
      document.getText(),
      typescript.replace('  return', '  // Nothing adds up to 0.\n  return'),
    );
  });

  it('is one undo step for each acceptance', async () => {
    const { document } = await open('undo.ts', typescript);
    await streamAll(document, places, answer);
    await openReviews.decide('accept', { at: 'cursor' });
    const once = document.getText();
    assert.notEqual(once, typescript);
    await openReviews.decide('accept', { at: 'cursor' });
    assert.equal(document.getText(), accepted);
    await until(() => vscode.window.activeTextEditor?.document === document);
    await vscode.commands.executeCommand('undo');
    await until(() => document.getText() === once);
    await vscode.commands.executeCommand('undo');
    await until(() => document.getText() === typescript);
    assert.equal(document.isDirty, false);
    await vscode.commands.executeCommand('redo');
    await vscode.commands.executeCommand('redo');
    await until(() => document.getText() === accepted);
  });

  for (const side of ['accept', 'reject'] as const) {
    it(`applies exactly the accepted hunks: ${side}`, async () => {
      const lines = Array.from({ length: 300 }, (_, index) => `  const value${index} = ${index};`);
      const before = lines.map((line) => `${line}\r\n`).join('');
      const changed = lines.map((line, index) => (index % 3 === 1 ? `${line} // Grüße 👋` : line));
      const { document } = await open(`many-${side}.ts`, `\ufeff${before}`);
      await streamAll(
        document,
        { start: 0, end: 300 },
        `\`\`\`ts\n${changed.join('\n')}\n\`\`\`\n`,
      );
      await openReviews.decide(side);
      const after = changed.map((line) => `${line}\r\n`).join('');
      assert.equal(document.getText(), side === 'accept' ? after : before);
      await document.save();
      const bytes = await vscode.workspace.fs.readFile(document.uri);
      const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
      assert.equal(text, `\ufeff${side === 'accept' ? after : before}`);
    });
  }

  it('changes no byte on reject: tabs, CRLF, Unicode, no final line break', async () => {
    const python = 'def größe(x):\r\n\tif x:\r\n\t\treturn "𝒳" # ✓\r\n\treturn None';
    const { document } = await open('reject.py', python);
    const other = '```python\ndef größe(x):\n\treturn "𝒳" if x else None\n```';
    await streamAll(document, { start: 0, end: 4 }, other);
    await openReviews.decide('reject');
    assert.equal(document.getText(), python);
    assert.equal(document.isDirty, false);
    await streamAll(document, { start: 0, end: 4 }, other);
    await openReviews.decide('accept');
    assert.equal(document.getText(), 'def größe(x):\r\n\treturn "𝒳" if x else None');
  });

  it('writes into an empty file, and at the end of one', async () => {
    const { document } = await open('empty.py', '');
    await streamAll(document, { start: 0, end: 0 }, '```python\nprint(1)\n```\n');
    await openReviews.decide('accept');
    assert.equal(document.getText(), 'print(1)\n');
    const { document: other } = await open('end.py', 'print(1)');
    await streamAll(other, { start: 1, end: 1 }, '```python\nprint(2)\nprint(3)\n```\n');
    await openReviews.decide('accept');
    assert.equal(other.getText(), 'print(1)\nprint(2)\nprint(3)');
  });

  it('is removed when the stream is stopped, fails, or its diff is closed', async () => {
    const { document } = await open('gone.ts', typescript);
    const ends: readonly ((reply: ControlledReply) => unknown)[] = [
      () => openReviews.decide('reject'),
      () => vscode.commands.executeCommand('workbench.action.closeActiveEditor'),
      (reply) => reply.fail('The service is gone.'),
    ];
    for (const end of ends) {
      const reply = new ControlledReply();
      const streamed = reviews.stream({ document, ...places }, reply.produce, message);
      const settled = streamed.catch((error: unknown) => error);
      reply.say(answer.slice(0, 120));
      await until(() => proposed()?.getText().includes('readonly') === true);
      await end(reply);
      const error = await settled;
      const isFailure = end === ends.at(-1);
      assert.equal(
        error instanceof Error ? error.message : '',
        isFailure ? 'The service is gone.' : '',
      );
      assert.ok(reply.isAborted);
      await until(() => diffTabs().length === 0);
      reply.say('more\nand more\n');
      await openReviews.decide('accept');
      assert.equal(document.getText(), typescript);
      assert.equal(document.isDirty, false);
    }
  });

  it('is rejected by closing its diff', async () => {
    const { document } = await open('closed.ts', typescript);
    await streamAll(document, places, answer);
    await vscode.window.tabGroups.close(diffTabs());
    await until(() => openReviews.all.length === 0);
    await openReviews.decide('accept');
    assert.equal(document.getText(), typescript);
  });

  it("follows the person's changes elsewhere", async () => {
    const { document } = await open('elsewhere.ts', typescript);
    const reply = new ControlledReply();
    const streamed = reviews.stream({ document, ...places }, reply.produce, message);
    const lines = answer.split(/(?<=\n)/);
    for (const [index, line] of lines.entries()) {
      reply.say(line);
      const edit = new vscode.WorkspaceEdit();
      const last = document.lineAt(document.lineCount - 1).range.end;
      edit.insert(document.uri, new vscode.Position(0, 0), `// above ${index}\n`);
      edit.insert(document.uri, last, `// below ${index}\n`);
      assert.ok(await vscode.workspace.applyEdit(edit));
    }
    reply.end();
    await streamed;
    await openReviews.decide('accept');
    const above = lines.map((_, index) => `// above ${index}\n`).toReversed();
    const below = lines.map((_, index) => `// below ${index}\n`);
    assert.equal(document.getText(), above.join('') + accepted + below.join(''));
  });

  it('marks stale hunks, and overwrites nothing that the person wrote', async () => {
    const { document } = await open('stale.ts', typescript);
    await streamAll(document, places, answer);
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(0, 7), 'mine ');
    assert.ok(await vscode.workspace.applyEdit(edit));
    const mine = typescript.replace('export', 'export mine');
    await openReviews.decide('accept');
    assert.equal(
      document.getText(),
      mine.replace('  return', '  // Nothing adds up to 0.\n  return'),
    );
    await assert.rejects(openReviews.decide('accept'), /changed meanwhile/);
    await until(() => proposed()?.getText() === document.getText());
    const proposedDocument = proposed();
    assert.ok(proposedDocument);
    assert.deepEqual(await lensTitles(proposedDocument), ['0 $(discard)\u00A0Out of date: Reject']);
    await openReviews.decide('reject');
    await until(() => diffTabs().length === 0);
  });

  itButNotOn(
    'virtual',
    'does not bring back a file that another program has removed or renamed',
    'another program needs the disk',
    async () => {
      for (const [name, remove] of [
        ['removed', (path: string) => rm(path)],
        ['renamed', (path: string) => rename(path, `${path}.old`)],
      ] as const) {
        const { document } = await open(`${name}.ts`, typescript);
        await streamAll(document, places, answer);
        await remove(document.uri.fsPath);
        await assert.rejects(openReviews.decide('accept'), /can only be rejected/);
        assert.equal(document.getText(), typescript);
        assert.equal(document.isDirty, false);
        await openReviews.decide('reject');
      }
    },
  );

  itButNotOn(
    'virtual',
    'writes nothing into a text that nobody saw: the file was just changed by another program',
    'another program needs the disk',
    async () => {
      const { document } = await open('checkedOut.ts', typescript);
      await streamAll(document, places, answer);
      const other = `// other\n${typescript}`;
      // Written in place, it would be empty for a moment, and VS Code may read that.
      const path = document.uri.fsPath;
      await writeFile(`${path}.new`, other);
      await rename(`${path}.new`, path);
      // VS Code may read the file before the change is compared with it, and then accepts it.
      const isAccepted = await openReviews.decide('accept').then(
        () => true,
        () => false,
      );
      await until(() => document.getText().startsWith('// other'));
      if (!isAccepted) await openReviews.decide('accept');
      assert.equal(document.getText(), `// other\n${accepted}`);
      assert.equal(await onDisk(document), other);
    },
  );

  it('does not take a text that VS Code shows late for one that the person typed', async () => {
    const { document } = await open('late.ts', typescript);
    const changed = async (): Promise<void> => {
      const edit = new vscode.WorkspaceEdit();
      edit.insert(document.uri, new vscode.Position(0, 0), '// above\n');
      assert.ok(await vscode.workspace.applyEdit(edit));
      openReviews.documents.update(proposed()?.uri ?? document.uri);
      await showsProposed(`// above\n${accepted}`);
    };
    const gate: PassGate = async (_, effect) => {
      if (document.getText() === typescript) await changed();
      await effect();
      return true;
    };
    openReviews.dispose();
    useGate(gate);
    await streamAll(document, places, answer);
    const { document: right } = await rightSide(accepted);
    await settled(right);
    await assert.rejects(openReviews.decide('accept'), /has changed meanwhile/);
    await settled(right);
    await openReviews.decide('accept');
    assert.equal(document.getText(), `// above\n${accepted}`);
  });

  it('stops if the person types in the same lines, and changes nothing', async () => {
    const { document } = await open('inside.ts', typescript);
    const reply = new ControlledReply();
    const streamed = reviews.stream({ document, ...places }, reply.produce, message);
    const rejected = assert.rejects(streamed, /you changed the lines/);
    reply.say(answer.slice(0, answer.indexOf('  let')));
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(5, 15), ' // mine');
    assert.ok(await vscode.workspace.applyEdit(edit));
    await rejected;
    assert.equal(document.getText(), typescript.replace('total;\n}', 'total; // mine\n}'));
  });

  it('allows two changes of one file, and refuses a second one at the same location', async () => {
    const { document } = await open('twice.ts', typescript);
    await streamAll(document, places, answer);
    await assert.rejects(
      streamAll(document, { start: 0, end: 1 }, 'x'),
      /Accept or reject it first/,
    );
    const last = document.lineCount - 2;
    const none = '```ts\nexport const none = 0;\n```';
    await streamAll(document, { start: last, end: last + 1 }, none);
    await openReviews.decide('accept');
    assert.equal(document.getText(), typescript.replace('sum([])', '0'));
    await openReviews.decide('accept');
    assert.equal(document.getText(), accepted.replace('sum([])', '0'));
  });

  it('creates a new file on accept, and not before', async () => {
    const uri = uriOf('made/new.test.ts');
    const isThere = (): PromiseLike<boolean> =>
      vscode.workspace.fs.stat(uri).then(
        () => true,
        () => false,
      );
    const { document: like } = await open('like.ts', typescript);
    const file = { uri, label: 'new.test.ts', like };
    for (const side of ['reject', 'accept'] as const) {
      await reviews.streamNew(file, check, message);
      await showsProposed('check();\n');
      assert.equal(await isThere(), false);
      await openReviews.decide(side);
      await until(() => diffTabs().length === 0);
      assert.equal(await isThere(), side === 'accept');
    }
    assert.equal(vscode.window.activeTextEditor?.document.getText(), 'check();\n');
  });

  it('has buttons at each hunk, which work without being resolved', async () => {
    const { document } = await open('lenses.ts', typescript);
    await streamAll(document, places, answer);
    await showsProposed(accepted);
    const proposedDocument = proposed();
    assert.ok(proposedDocument);
    const setting = vscode.workspace
      .getConfiguration('diffEditor', proposedDocument)
      .get('codeLens');
    assert.equal(setting, true);
    assert.equal(vscode.workspace.getConfiguration('diffEditor', document).get('codeLens'), false);
    assert.deepEqual(await lensTitles(proposedDocument), [
      '0 $(check)\u00A0Accept',
      '0 $(discard)\u00A0Reject',
      '5 $(check)\u00A0Accept',
      '5 $(discard)\u00A0Reject',
    ]);
    await openReviews.decide('accept', {
      address: proposedDocument.uri.toString(),
      hunk: 1,
    });
    await until(() => document.getText().includes('Nothing'));
    assert.deepEqual(await lensTitles(proposedDocument), [
      '0 $(check)\u00A0Accept',
      '0 $(discard)\u00A0Reject',
    ]);
  });

  it('decides about the hunk of a button that was drawn before the file changed', async () => {
    const { document } = await open('drawn.ts', typescript);
    await streamAll(document, places, answer);
    await showsProposed(accepted);
    const proposedDocument = proposed();
    assert.ok(proposedDocument);
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
      'vscode.executeCodeLensProvider',
      proposedDocument.uri,
    );
    const drawn = lenses.find(
      ({ range, command }) => range.start.line === 5 && command?.title.endsWith('Accept') === true,
    );
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(0, 0), '// above\n'.repeat(5));
    assert.ok(await vscode.workspace.applyEdit(edit));
    await openReviews.decide('accept', drawn?.command?.arguments?.[0]);
    const expected = typescript.replace('  return', '  // Nothing adds up to 0.\n  return');
    assert.equal(document.getText(), '// above\n'.repeat(5) + expected);
  });

  async function rightSide(text: string): Promise<vscode.TextEditor> {
    await showsProposed(text);
    const editor = vscode.window.visibleTextEditors.find(
      ({ document }) => isProposed(document) && document.getText() === text,
    );
    assert.ok(editor);
    return editor;
  }

  /** Types in the proposed text. An editor that is still read-only ignores edits. */
  async function insert(
    editor: vscode.TextEditor,
    position: () => vscode.Position,
    text: string,
  ): Promise<void> {
    let isTyped = false;
    while (!isTyped) {
      const { version } = editor.document;
      const isAccepted = await editor.edit((builder) => builder.insert(position(), text));
      isTyped = isAccepted && editor.document.version > version;
    }
  }

  async function type(
    editor: vscode.TextEditor,
    line: number,
    character: number,
    text: string,
  ): Promise<void> {
    await insert(editor, () => new vscode.Position(line, character), text);
    await settled(editor.document);
  }

  async function settled(document: vscode.TextDocument): Promise<void> {
    await until(
      () =>
        openReviews.all.some((review) => review.proposedText() === document.getText()) &&
        !document.isDirty,
    );
  }

  it('writes the changes that the person made on the right side, as the gate saw them', async () => {
    const { document } = await open('typed.ts', typescript);
    await streamAll(document, places, answer);
    const editor = await rightSide(accepted);
    await type(editor, 5, 0, '  // Mine.\n');
    await type(editor, 10, 0, '// New.\n');
    const mine = accepted
      .replace('  // Nothing', '  // Mine.\n  // Nothing')
      .replace('export const', '// New.\nexport const');
    assert.equal(editor.document.getText(), mine);
    assert.deepEqual(await lensTitles(editor.document), [
      '0 $(check)\u00A0Accept',
      '0 $(discard)\u00A0Reject',
      '10 $(check)\u00A0Accept',
      '10 $(discard)\u00A0Reject',
      '5 $(check)\u00A0Accept',
      '5 $(discard)\u00A0Reject',
    ]);
    assert.equal(document.getText(), typescript);
    await openReviews.decide('accept');
    assert.equal(document.getText(), mine);
    assert.deepEqual(
      rig.decided.map(({ after }) => after),
      [mine],
    );
    await until(() => diffTabs().length === 0);
  });

  it('includes text typed right before it is accepted, and closes without a dialog', async () => {
    const { document } = await open('atOnce.ts', typescript);
    await streamAll(document, places, answer);
    const editor = await rightSide(accepted);
    await insert(editor, () => new vscode.Position(0, 0), '// Mine.\n');
    await openReviews.decide('accept');
    assert.equal(document.getText(), `// Mine.\n${accepted}`);
    await until(() => diffTabs().length === 0);
  });

  it('closes without a dialog while the person types, and writes nothing', async () => {
    const { document } = await open('closed.ts', typescript);
    await streamAll(document, places, answer);
    const editor = await rightSide(accepted);
    await insert(editor, () => new vscode.Position(0, 0), '// Mine.\n');
    assert.ok(diffTabs().some(({ isDirty }) => isDirty));
    await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
    await until(() => diffTabs().length === 0);
    assert.deepEqual(openReviews.all, []);
    assert.equal(document.getText(), typescript);
    assert.equal(await onDisk(document), typescript);
  });

  it('stays open and unchanged when it is saved, and writes nothing', async () => {
    const { document } = await open('saved.ts', typescript);
    await streamAll(document, places, answer);
    const editor = await rightSide(accepted);
    await insert(editor, () => new vscode.Position(0, 0), '// Mine. \n');
    await vscode.commands.executeCommand('workbench.action.files.save');
    await settled(editor.document);
    assert.equal(editor.document.getText(), `// Mine. \n${accepted}`);
    assert.equal(document.getText(), typescript);
    assert.equal(await onDisk(document), typescript);
    await openReviews.decide('accept');
    assert.equal(document.getText(), `// Mine. \n${accepted}`);
  });

  it('is saved again when somebody types during a save', async () => {
    const { document } = await open('again.ts', typescript);
    await streamAll(document, places, answer);
    const editor = await rightSide(accepted);
    const { documents } = openReviews;
    const write = documents.writeFile.bind(documents);
    let typed: Promise<void> | undefined;
    documents.writeFile = (uri, bytes) => {
      write(uri, bytes);
      typed ??= insert(editor, () => new vscode.Position(0, 0), '// Later.\n');
    };
    await insert(editor, () => new vscode.Position(0, 0), '// Mine.\n');
    await until(() => typed !== undefined);
    await typed;
    await until(() => diffTabs().every(({ isDirty }) => !isDirty));
    await openReviews.decide('accept');
    assert.equal(document.getText(), `// Later.\n// Mine.\n${accepted}`);
  });

  it('undoes what the person typed together with its hunks, but nothing from the model', async () => {
    const { document } = await open('undone.ts', typescript);
    await streamAll(document, places, answer);
    const editor = await rightSide(accepted);
    await type(editor, 10, 0, '// New.\n');
    const [review] = openReviews.all;
    assert.equal(review?.hunks.length, 3);
    await vscode.commands.executeCommand('undo');
    await settled(editor.document);
    assert.equal(editor.document.getText(), accepted);
    assert.equal(review.hunks.length, 2);
    for (let times = 0; times < 3; times++) {
      await vscode.commands.executeCommand('undo');
      await until(() => editor.document.getText() === accepted);
      await settled(editor.document);
    }
    await openReviews.decide('accept');
    assert.equal(document.getText(), accepted);
  });

  it('includes typed text if the file changes at the same moment', async () => {
    const { document } = await open('both.ts', typescript);
    await streamAll(document, places, answer);
    const editor = await rightSide(accepted);
    await type(editor, 0, 0, '// Mine.\n');
    for (let index = 0; index < 5; index++) {
      const edit = new vscode.WorkspaceEdit();
      edit.insert(document.uri, new vscode.Position(0, 0), `// above ${index}\n`);
      const changed = vscode.workspace.applyEdit(edit);
      const lines = (): readonly string[] => editor.document.getText().split('\n');
      const position = (): vscode.Position =>
        new vscode.Position(lines().indexOf('  return total;'), 0);
      await insert(editor, position, `  // mine ${index}\n`);
      assert.ok(await changed);
      await settled(editor.document);
    }
    await openReviews.decide('accept');
    const above = [4, 3, 2, 1, 0].map((index) => `// above ${index}\n`).join('');
    const mine = [0, 1, 2, 3, 4].map((index) => `  // mine ${index}\n`).join('');
    assert.equal(
      document.getText(),
      `${above}// Mine.\n${accepted.replace('  return', `${mine}  return`)}`,
    );
  });

  it('can be edited if the file changes when the stream ends', async () => {
    const { document } = await open('moment.ts', typescript);
    await streamAll(document, places, answer);
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(0, 0), '// above\n');
    assert.ok(await vscode.workspace.applyEdit(edit));
    const editor = await rightSide(`// above\n${accepted}`);
    await type(editor, 1, 0, '// Mine.\n');
    await openReviews.decide('accept');
    assert.equal(document.getText(), `// above\n// Mine.\n${accepted}`);
  });

  it('is read-only while it streams', async () => {
    const { document } = await open('streams.ts', typescript);
    const reply = new ControlledReply();
    const streamed = reviews.stream({ document, ...places }, reply.produce, message);
    reply.say(answer.slice(0, answer.indexOf('  let')));
    await until(() => proposed()?.getText().includes('readonly') === true);
    await vscode.commands.executeCommand('type', { text: 'x' });
    assert.equal(proposed()?.isDirty, false);
    reply.say(answer.slice(answer.indexOf('  let')));
    reply.end();
    await streamed;
    const editor = await rightSide(accepted);
    await type(editor, 0, 0, 'x');
    await openReviews.decide('reject');
    assert.equal(document.getText(), typescript);
  });

  for (const [name, before, after] of [
    ['with CRLF', 'one\r\ntwo\r\n', 'one\r\nmine\r\nTWO\r\n'],
    ['without an end', 'one\ntwo', 'one\nmine\nTWO'],
    ['with a mark', '\ufeffone\r\ntwo', '\ufeffone\r\nmine\r\nTWO'],
  ] as const) {
    it(`preserves the line endings of a file: ${name}`, async () => {
      const { document } = await open(`ends ${name}.txt`, before);
      await reviews.propose({ document, start: 1, end: 2 }, 'TWO');
      const editor = await rightSide(document.getText().replace('two', 'TWO'));
      await type(editor, 1, 0, 'mine\n');
      await openReviews.decide('accept');
      await document.save();
      const bytes = await vscode.workspace.fs.readFile(document.uri);
      assert.equal(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes), after);
    });
  }

  it('creates a new file with the changes of the person', async () => {
    const uri = uriOf('made/typed.test.ts');
    const { document: like } = await open('like.ts', typescript);
    await reviews.streamNew({ uri, label: 'typed.test.ts', like }, check, message);
    const editor = await rightSide('check();\n');
    await type(editor, 1, 0, '\nmine();');
    await openReviews.decide('accept');
    assert.equal(
      new TextDecoder().decode(await vscode.workspace.fs.readFile(uri)),
      'check();\n\nmine();',
    );
  });

  const schema = '{\n  "$schema": "https://evil.test/undecided",\n  "a": 1\n}\n';
  const samples = [
    { path: 'sample.ts', before: typescript, after: accepted.replace('Nothing', 'undecided') },
    { path: 'package.json', before: '{\n  "a": 1\n}\n', after: schema },
    { path: 'Dockerfile', before: 'FROM a\n', after: 'FROM undecided\n' },
    { path: '.env.local', before: 'A=1\n', after: 'A=undecided\n' },
  ];

  for (const mode of ['off', 'afterDelay', 'onFocusChange', 'onWindowChange']) {
    it(`write nothing undecided to a file, even with extensions and autosave ${mode}`, async () => {
      await setAutoSave(mode);
      const pattern = new vscode.RelativePattern(uriOf('.'), '**');
      const watcher = vscode.workspace.createFileSystemWatcher(pattern);
      const seen: string[] = [];
      const note = ({ path }: vscode.Uri): number => seen.push(path);
      watcher.onDidChange(note);
      watcher.onDidCreate(note);
      try {
        const documents: vscode.TextDocument[] = [];
        for (const { path, before } of samples) {
          documents.push((await open(path, before)).document);
          await until(() => seen.some((file) => file.endsWith(path)));
        }
        // Events of this last file arrive after those of all others, possibly twice.
        await open('last.txt', mode);
        await until(() => seen.some((path) => path.endsWith('last.txt')));
        seen.length = 0;
        for (const [index, document] of documents.entries()) {
          const after = samples[index]?.after ?? '';
          const lines = { start: 0, end: document.lineCount - 1 };
          await reviews.propose({ document, ...lines }, after);
          await showsProposed(after);
        }
        await saveAnother(mode);
        for (const [index, document] of documents.entries()) {
          const before = samples[index]?.before;
          assert.equal(document.getText(), before);
          assert.equal(await onDisk(document), before);
        }
        assert.deepEqual(
          seen.filter((path) => !/(?:another-\d+|last)\.txt$/.test(path)),
          [],
        );
        const elsewhere = vscode.workspace.textDocuments.filter(
          (document) => document.getText().includes('undecided') && !isProposed(document),
        );
        assert.deepEqual(
          elsewhere.map(({ uri }) => uri.toString()),
          [],
        );
        for (const review of openReviews.all) review.drop();
        for (const [index, document] of documents.entries()) {
          assert.equal(await onDisk(document), samples[index]?.before);
        }
      } finally {
        watcher.dispose();
        await setAutoSave(undefined);
      }
    });
  }

  let others = 0;

  /** Types in another file, and waits until VS Code has saved it, if it saves automatically. */
  async function saveAnother(mode: string): Promise<void> {
    const { document } = await open(`another-${++others}.txt`, '', vscode.ViewColumn.Two);
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(0, 0), 'typed');
    assert.ok(await vscode.workspace.applyEdit(edit));
    await vscode.commands.executeCommand('workbench.action.focusFirstEditorGroup');
    if (mode === 'afterDelay' || mode === 'onFocusChange') await until(() => !document.isDirty);
    else await document.save();
  }
});

async function lensTitles(document: vscode.TextDocument): Promise<readonly string[]> {
  const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
    'vscode.executeCodeLensProvider',
    document.uri,
  );
  return lenses
    .flatMap(({ range, command }) =>
      command === undefined ? [] : [`${range.start.line} ${command.title}`],
    )
    .toSorted();
}
