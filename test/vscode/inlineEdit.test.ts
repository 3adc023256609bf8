import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { OpenEdits } from '../../src/host/inlineEdit/openEdits.ts';
import { until } from '../support/until.ts';

const folder = 'inlineEdit';

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

async function setAutoSave(value: string | undefined): Promise<void> {
  const { Workspace } = vscode.ConfigurationTarget;
  await vscode.workspace.getConfiguration('files').update('autoSave', value, Workspace);
}

/** An answer that comes when a test says so. */
class Answer {
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

/** Where the first change of the answer is, and where the second. */
const places = { start: 0, end: 7 };

describe('changes to review in the editor', () => {
  let edits: OpenEdits;

  beforeEach(() => {
    edits = new OpenEdits();
  });

  afterEach(async () => {
    edits.dispose();
    for (const { document } of vscode.window.visibleTextEditors) {
      await vscode.window.showTextDocument(document);
      await vscode.commands.executeCommand('workbench.action.files.revert');
    }
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  /** Streams an answer over lines, to its end. */
  async function streamAll(
    document: vscode.TextDocument,
    lines: { readonly start: number; readonly end: number },
    text: string,
  ): Promise<void> {
    await edits.stream({ document, ...lines }, (onText) => {
      for (const piece of text.match(/[^]{1,7}/g) ?? []) onText(piece);
      return Promise.resolve();
    });
  }

  it('shows old and new lines line by line, and leaves what was accepted', async () => {
    const { document } = await open('accept.ts', typescript);
    const said = new Answer();
    const streamed = edits.stream({ document, ...places }, said.produce);
    said.say(answer.slice(0, answer.indexOf('  let')));
    await until(() => document.getText().includes('readonly'));
    assert.ok(document.getText().includes('values: number[]'), 'The old line is there.');
    said.say(answer.slice(answer.indexOf('  let')));
    said.end();
    await streamed;
    assert.equal(document.lineCount, typescript.split('\n').length + 2);
    await edits.decide('accept');
    assert.equal(document.getText(), accepted);
    assert.equal(await onDisk(document), typescript, 'Aside saves nothing.');
  });

  for (const side of ['accept', 'reject'] as const) {
    it(`leaves exactly what is wanted of many parts at once: ${side}`, async () => {
      const lines = Array.from({ length: 300 }, (_, index) => `  const value${index} = ${index};`);
      const before = lines.map((line) => `${line}\r\n`).join('');
      const changed = lines.map((line, index) => (index % 3 === 1 ? `${line} // Grüße 👋` : line));
      const { document } = await open(`many-${side}.ts`, before);
      await streamAll(
        document,
        { start: 0, end: 300 },
        `\`\`\`ts\n${changed.join('\n')}\n\`\`\`\n`,
      );
      await edits.decide(side);
      const after = changed.map((line) => `${line}\r\n`).join('');
      assert.equal(document.getText(), side === 'accept' ? after : before);
      await vscode.commands.executeCommand('undo');
      assert.equal(document.getText(), before);
    });
  }

  it('is undone in one step, whatever was decided', async () => {
    const { document } = await open('undo.ts', typescript);
    await streamAll(document, places, answer);
    await edits.decide('accept');
    await vscode.commands.executeCommand('undo');
    await until(() => document.getText() === typescript);
    assert.equal(document.isDirty, false);
    await vscode.commands.executeCommand('redo');
    await until(() => document.getText() === accepted);
  });

  it('ends when it is undone while it is open', async () => {
    const { document } = await open('undoOpen.ts', typescript);
    await streamAll(document, places, answer);
    await vscode.commands.executeCommand('undo');
    await until(() => document.getText() === typescript);
    await edits.decide('accept');
    assert.equal(document.getText(), typescript);
  });

  it('is to be decided again when it is done again', async () => {
    const { document } = await open('redo.ts', typescript);
    await streamAll(document, places, answer);
    await vscode.commands.executeCommand('undo');
    await until(() => document.getText() === typescript);
    await vscode.commands.executeCommand('redo');
    await until(() => document.getText() !== typescript);
    await edits.decide('accept');
    assert.equal(document.getText(), accepted);
  });

  it('leaves every byte after a rejection: tabs, CRLF, Unicode, no last line end', async () => {
    const python = 'def größe(x):\r\n\tif x:\r\n\t\treturn "𝒳" # ✓\r\n\treturn None';
    const { document } = await open('reject.py', python);
    const other = '```python\ndef größe(x):\n\treturn "𝒳" if x else None\n```';
    await streamAll(document, { start: 0, end: 4 }, other);
    assert.notEqual(document.getText(), python);
    await edits.decide('reject');
    assert.equal(document.getText(), python);
    await streamAll(document, { start: 0, end: 4 }, other);
    await edits.decide('accept');
    assert.equal(document.getText(), 'def größe(x):\r\n\treturn "𝒳" if x else None');
  });

  it('decides each part by itself', async () => {
    const { document } = await open('parts.ts', typescript);
    await streamAll(document, places, answer);
    const address = document.uri.toString();
    await edits.decide('accept', { address, line: 0, part: 'hunk' });
    assert.match(
      document.getText(),
      /^export function sum\(values: readonly number\[\]\).*\n {2}let/,
    );
    const line = document.getText().split('\n').indexOf('  // Nothing adds up to 0.');
    await edits.decide('reject', { address, line, part: 'hunk' });
    const expected = typescript.replace('values: number[]', 'values: readonly number[]');
    assert.equal(document.getText(), expected);
    await vscode.commands.executeCommand('undo');
    await until(() => document.getText() === typescript);
  });

  it('stops in the middle and restores every byte', async () => {
    const { document } = await open('stop.ts', typescript);
    const said = new Answer();
    const streamed = edits.stream({ document, ...places }, said.produce);
    said.say(answer.slice(0, 120));
    await until(() => document.getText() !== typescript);
    await edits.decide('reject');
    await streamed;
    assert.equal(said.isAborted, true);
    assert.equal(document.getText(), typescript);
    said.say('more\nand more\n');
    await edits.decide('accept');
    assert.equal(document.getText(), typescript);
  });

  it('restores every byte where the answer does not come', async () => {
    const { document } = await open('fail.ts', typescript);
    const said = new Answer();
    const streamed = edits.stream({ document, ...places }, said.produce);
    const rejected = assert.rejects(streamed, /gone/);
    said.say(answer.slice(0, 120));
    await until(() => document.getText() !== typescript);
    said.fail('The service is gone.');
    await rejected;
    assert.equal(document.getText(), typescript);
  });

  it('keeps what the person writes elsewhere meanwhile', async () => {
    const editor = await open('elsewhere.ts', typescript);
    const { document } = editor;
    const said = new Answer();
    const streamed = edits.stream({ document, ...places }, said.produce);
    const lines = answer.split(/(?<=\n)/);
    for (const [index, line] of lines.entries()) {
      said.say(line);
      await editor.edit((builder) => {
        builder.insert(new vscode.Position(0, 0), `// above ${index}\n`);
        builder.insert(document.lineAt(document.lineCount - 1).range.end, `// below ${index}\n`);
      });
    }
    said.end();
    await streamed;
    await edits.decide('accept');
    const above = lines.map((_, index) => `// above ${index}\n`).toReversed();
    const below = lines.map((_, index) => `// below ${index}\n`);
    assert.equal(document.getText(), above.join('') + accepted + below.join(''));
  });

  it('stops where the person writes in the same lines, and keeps both', async () => {
    const editor = await open('inside.ts', typescript);
    const { document } = editor;
    const said = new Answer();
    const streamed = edits.stream({ document, ...places }, said.produce);
    const rejected = assert.rejects(streamed, /you changed the lines/);
    said.say(answer.slice(0, answer.indexOf('  let')));
    await until(() => document.getText().includes('readonly'));
    const line = document.getText().split('\n').indexOf('  return total;');
    await editor.edit((builder) => builder.insert(new vscode.Position(line, 15), ' // mine'));
    await rejected;
    await edits.decide('reject');
    assert.equal(document.getText(), typescript.replace('return total;', 'return total; // mine'));
  });

  it('streams into two files at once', async () => {
    const one = await open('one.ts', typescript, vscode.ViewColumn.One);
    const two = await open('two.ts', typescript, vscode.ViewColumn.Two);
    const streams = [one, two].map(({ document }) => {
      const said = new Answer();
      return { document, said, done: edits.stream({ document, ...places }, said.produce) };
    });
    for (const line of answer.split(/(?<=\n)/)) for (const { said } of streams) said.say(line);
    for (const { said, done } of streams) {
      said.end();
      await done;
    }
    await edits.decide('accept');
    assert.equal(two.document.getText(), accepted, 'The active editor.');
    assert.notEqual(one.document.getText(), accepted);
    await vscode.window.showTextDocument(one.document, vscode.ViewColumn.One);
    await edits.decide('reject');
    assert.equal(one.document.getText(), typescript);
  });

  it('waits with a file that nobody sees', async () => {
    const { document } = await open('hidden.ts', typescript);
    const said = new Answer();
    const streamed = edits.stream({ document, ...places }, said.produce);
    await open('other.ts', '');
    said.say(answer);
    said.end();
    await vscode.window.showTextDocument(document);
    await streamed;
    await edits.decide('accept');
    assert.equal(document.getText(), accepted);
    await vscode.commands.executeCommand('undo');
    await until(() => document.getText() === typescript);
  });

  it('takes back what nobody sees any more, also where VS Code has saved it', async () => {
    const { document } = await open('closed.ts', typescript);
    await setAutoSave('afterDelay');
    try {
      await streamAll(document, places, answer);
      await until(() => !document.isDirty);
      assert.notEqual(await onDisk(document), typescript);
      await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
      let text = '';
      while (text !== typescript) text = await onDisk(document);
    } finally {
      await setAutoSave(undefined);
    }
  });

  it('lets two changes of one file be, and refuses a second one at the same place', async () => {
    const { document } = await open('twice.ts', typescript);
    await streamAll(document, places, answer);
    await assert.rejects(
      streamAll(document, { start: 3, end: 4 }, 'x'),
      /Accept or reject it first/,
    );
    const last = document.lineCount - 2;
    await streamAll(document, { start: last, end: last + 1 }, 'export const none = 0;');
    await edits.decide('accept');
    assert.equal(document.getText(), accepted.replace('sum([])', '0'));
  });

  it('writes into an empty file, and at the end of one', async () => {
    const { document } = await open('empty.py', '');
    await streamAll(document, { start: 0, end: 0 }, '```python\nprint(1)\n```\n');
    await edits.decide('accept');
    assert.equal(document.getText(), 'print(1)\n');
    const { document: other } = await open('end.py', 'print(1)');
    await streamAll(other, { start: 1, end: 1 }, 'print(2)\nprint(3)\n');
    assert.equal(other.getText(), 'print(1)\nprint(2)\nprint(3)');
    await edits.decide('reject');
    assert.equal(other.getText(), 'print(1)');
  });

  it('saves nothing that was not accepted', async () => {
    const { document } = await open('save.ts', typescript);
    await streamAll(document, places, answer);
    assert.equal(await document.save(), true);
    assert.equal(await onDisk(document), typescript);
    await edits.decide('accept');
    assert.equal(document.getText(), typescript);
  });

  it('proposes code that is there already', async () => {
    const { document } = await open('propose.md', '# One\n');
    await edits.propose({ document, start: 0, end: 1 }, '# Two\n```\nas it is\n```\n');
    await edits.decide('accept');
    assert.equal(document.getText(), '# Two\n```\nas it is\n```\n');
  });

  it('offers the decision above each part', async () => {
    const { document } = await open('lenses.ts', typescript);
    await streamAll(document, places, answer);
    assert.deepEqual(await lensTitles(document, 6), [
      '0 $(check)\u00A0Accept',
      '0 $(check-all)\u00A0Accept All',
      '0 $(close)\u00A0Reject',
      '0 $(discard)\u00A0Reject All',
      '6 $(check)\u00A0Accept',
      '6 $(close)\u00A0Reject',
    ]);
  });

  it('makes the buttons of a part when they come into sight', async () => {
    const { document } = await open('sight.ts', typescript);
    await streamAll(document, places, answer);
    assert.deepEqual(await lensTitles(document, 0), [
      '0 $(check-all)\u00A0Accept All',
      '0 $(discard)\u00A0Reject All',
    ]);
  });
});

/** The buttons that are there, and as many of the others as are told, as if they were in sight. */
async function lensTitles(
  document: vscode.TextDocument,
  resolved: number,
): Promise<readonly string[]> {
  const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
    'vscode.executeCodeLensProvider',
    document.uri,
    resolved,
  );
  return lenses
    .map(({ range, command }) => `${range.start.line} ${command?.title ?? ''}`)
    .toSorted();
}
