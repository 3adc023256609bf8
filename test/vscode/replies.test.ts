import assert from 'node:assert/strict';
import { symlink } from 'node:fs/promises';
import * as vscode from 'vscode';
import { maskSecrets } from '../../src/core/support/secretTokens.ts';
import { ReplyActions } from '../../src/host/editor/replyActions.ts';
import { UserError } from '../../src/host/platform/errors.ts';
import { thisMachine } from '../../src/host/node/thisMachine.ts';
import { PromptTerminals, runInTerminal } from '../../src/host/tools/promptTerminals.ts';
import { ReadOnlyDocuments } from '../../src/host/platform/readOnlyDocuments.ts';
import { findWorkspaceFile, type WorkspaceFile } from '../../src/host/platform/files.ts';
import { until } from '../support/until.ts';
import { EditRig } from './support/editRig.ts';
import { itButNotOn } from './support/itButNotOn.ts';

const folder = 'replies';

function uriOf(path: string): vscode.Uri {
  const [root] = vscode.workspace.workspaceFolders ?? [];
  assert.ok(root, 'There is no workspace.');
  return vscode.Uri.joinPath(root.uri, folder, path);
}

async function write(path: string, text: string): Promise<string> {
  await vscode.workspace.fs.writeFile(uriOf(path), new TextEncoder().encode(text));
  return `${folder}/${path}`;
}

async function read(path: string): Promise<string> {
  return new TextDecoder().decode(await vscode.workspace.fs.readFile(uriOf(path)));
}

const find = (path: string): Promise<WorkspaceFile> => findWorkspaceFile(path, thisMachine());

let rig: EditRig;
let actions: ReplyActions;
let texts: ReadOnlyDocuments;
let isPriced = false;

/** Gives each test of a group reviews and actions of its own. */
function useActions(): void {
  beforeEach(() => {
    rig = new EditRig();
    texts = new ReadOnlyDocuments('test-replies');
    isPriced = false;
    const tokensOf = (characters: number): number => {
      isPriced = true;
      return characters / 4;
    };
    const { reviews, requests, gate } = rig;
    const terminals = new PromptTerminals();
    actions = new ReplyActions(reviews, requests, gate, find, tokensOf, terminals, texts);
  });

  afterEach(async () => {
    rig.open.dispose();
    actions.dispose();
    texts.dispose();
    await closeAll();
  });
}

async function closeAll(): Promise<void> {
  for (const document of vscode.workspace.textDocuments) {
    if (!document.isDirty) continue;
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  }
  await vscode.commands.executeCommand('workbench.action.closeAllEditors');
}

/** Accepts an entry of the visible list, and waits for the command that shows it. */
async function choose(entry: number, asking: () => Promise<void>): Promise<void> {
  const { showQuickPick } = vscode.window;
  const pick = async (items: Thenable<readonly unknown[]> | readonly unknown[]): Promise<unknown> =>
    (await items)[entry];
  Object.assign(vscode.window, { showQuickPick: pick });
  try {
    await asking();
  } finally {
    Object.assign(vscode.window, { showQuickPick });
  }
}

describe('the file that a reply names', () => {
  useActions();

  it('is found in the workspace, or reported as missing', async () => {
    const path = await write('found.ts', 'let a;\n');
    assert.equal((await find(path)).isThere, true);
    assert.equal(
      (await find(uriOf('found.ts').fsPath)).uri.toString(),
      uriOf('found.ts').toString(),
    );
    const missing = await find(`${folder}/missing.ts`);
    assert.deepEqual([missing.isThere, missing.label], [false, `${folder}/missing.ts`]);
  });

  itButNotOn(
    'virtual',
    'is never one outside of the workspace, by its name or behind a link',
    'it needs a link on the disk',
    async () => {
      await write('found.ts', 'let a;\n');
      await symlink('/etc', uriOf('link').fsPath);
      const outside = [
        '/etc/passwd',
        '../passwd',
        `${folder}/link/passwd`,
        `${folder}/link/new.ts`,
      ];
      for (const path of [...outside, '~/a.ts', 'file:///etc/passwd', folder, 'https://e.org/a.ts'])
        await assert.rejects(find(path), UserError, path);
    },
  );

  it('opens at its line', async () => {
    const path = await write('lines.ts', 'one\ntwo\nthree\n');
    await actions.open(path, 3);
    const editor = vscode.window.activeTextEditor;
    assert.equal(editor?.document.uri.toString(), uriOf('lines.ts').toString());
    assert.equal(editor.selection.active.line, 2);
    await assert.rejects(actions.open(`${folder}/missing.ts`, undefined), /New File/);
  });

  it('is created as an unsaved file with that name', async () => {
    const code = { text: 'let a = 1;\n', language: 'ts', path: `${folder}/deep/new.ts` };
    await actions.newFile(code);
    const document = vscode.window.activeTextEditor?.document;
    assert.equal(document?.uri.scheme, 'untitled');
    assert.equal(document.uri.path, uriOf('deep/new.ts').path);
    assert.equal(document.getText(), code.text);
    assert.equal(document.languageId, 'typescript');
    // Later changes by the person are preserved.
    await assert.rejects(actions.newFile(code), UserError);
    assert.equal(document.getText(), code.text);
  });

  it('is created without a name if the file exists', async () => {
    const path = await write('there.py', 'a = 1\n');
    await actions.newFile({ text: 'a = 2\n', language: 'python', path });
    const document = vscode.window.activeTextEditor?.document;
    assert.deepEqual([document?.isUntitled, document?.languageId], [true, 'python']);
    assert.equal(document?.getText(), 'a = 2\n');
    assert.equal(await read('there.py'), 'a = 1\n');
  });
});

describe('applying code of a reply to a file', () => {
  useActions();

  const before = [
    'export function greet(name: string): string {',
    '\treturn `Hallo ${name} 👋`;',
    '}',
    '',
    'export const nobody = 1;',
    '',
  ].join('\r\n');
  const code = 'export function greet(name: string): string {\n\treturn `Grüß ${name}`;\n}\n';

  it('replaces matching lines with exactly the accepted bytes', async () => {
    const path = await write('accept.ts', before);
    const text = `// ${path}\n${code}`;
    // The last line of the code is unique, so the location is unambiguous.
    await actions.apply({ text, language: 'ts', path });
    const document = await vscode.workspace.openTextDocument(uriOf('accept.ts'));
    assert.equal(document.getText(), before);
    await rig.open.decide('accept');
    await until(() => vscode.window.activeTextEditor?.document === document);
    const after = before.replace('Hallo ${name} 👋', 'Grüß ${name}');
    assert.equal(document.getText(), after);
    assert.equal(await read('accept.ts'), before, 'Aside saves nothing.');
    await document.save();
    assert.equal(await read('accept.ts'), after);
  });

  it('restores masked secrets from the file, or is refused', async () => {
    const token = `ghp_${'a1B2c3D4'.repeat(5)}`;
    const mask = maskSecrets(token).text;
    const withBody = (body: string): string => `export function key(): string {\n${body}}\n`;
    const path = await write('token.ts', withBody(`\treturn '${token}';\n`));
    const text = withBody(`\tused();\n\treturn '${mask}';\n`);
    await actions.apply({ text, language: 'ts', path });
    await rig.open.decide('accept');
    const document = await vscode.workspace.openTextDocument(uriOf('token.ts'));
    assert.equal(document.getText(), withBody(`\tused();\n\treturn '${token}';\n`));
    const other = await write('plain.ts', 'use(1);\n');
    await assert.rejects(
      actions.apply({ text: `use('${mask}');\n`, language: 'ts', path: other }),
      /in place of a secret/,
    );
  });

  it('leaves no trace when rejected', async () => {
    const path = await write('reject.ts', before);
    await actions.apply({ text: code, language: 'ts', path });
    const document = await vscode.workspace.openTextDocument(uriOf('reject.ts'));
    assert.equal(rig.open.all.length, 1);
    await rig.open.decide('reject');
    assert.equal(document.getText(), before);
  });

  it('uses the active editor if the reply names no file', async () => {
    await write('active.ts', before);
    await vscode.window.showTextDocument(uriOf('active.ts'));
    await actions.apply({ text: code, language: 'ts' });
    await rig.open.decide('accept');
    await until(() => vscode.window.activeTextEditor?.document.getText().includes('Grüß') === true);
    await closeAll();
    await assert.rejects(actions.apply({ text: code, language: 'ts' }), /which file/);
  });

  it('fills an empty file, and creates a missing one', async () => {
    const path = await write('empty.ts', '');
    await actions.apply({ text: code, language: 'ts', path });
    await rig.open.decide('accept');
    await until(
      () => vscode.window.activeTextEditor?.document.getText().trimEnd() === code.trimEnd(),
    );
    await actions.apply({ text: code, language: 'ts', path: `${folder}/none.ts` });
    assert.equal(vscode.window.activeTextEditor?.document.uri.scheme, 'untitled');
  });

  it('does nothing if the code is already there', async () => {
    const path = await write('same.ts', before);
    const same = code.replace('Grüß ${name}', 'Hallo ${name} 👋');
    await assert.rejects(actions.apply({ text: same, language: 'ts', path }), /already/);
  });

  it('asks the model if the location is ambiguous and the person agrees', async () => {
    const path = await write('model.ts', before);
    const text = 'export const somebody = 2;\n';
    const merged = `${before.replaceAll('\r\n', '\n')}${text}`;
    rig.model.text = `\`\`\`ts\n${merged}\`\`\`\n`;
    await choose(0, () => actions.apply({ text, language: 'ts', path }));
    assert.ok(isPriced);
    assert.match(rig.model.prompt, /somebody = 2/);
    assert.match(rig.model.prompt, /nobody = 1/);
    await rig.open.decide('accept');
    const document = await vscode.workspace.openTextDocument(uriOf('model.ts'));
    assert.equal(document.getText(), `${before}${text.replace('\n', '\r\n')}`);
  });

  it('applies no reply without code', async () => {
    const path = await write('words.ts', before);
    const text = 'export const somebody = 4;\n';
    const { showInformationMessage } = vscode.window;
    const press = (...parameters: unknown[]): Promise<unknown> =>
      Promise.resolve(parameters.at(-1));
    Object.assign(vscode.window, { showInformationMessage: press });
    try {
      rig.model.text = "I can't tell where this belongs.";
      await choose(0, () => actions.apply({ text, language: 'ts', path }));
    } finally {
      Object.assign(vscode.window, { showInformationMessage });
    }
    const document = await vscode.workspace.openTextDocument(uriOf('words.ts'));
    assert.equal(document.getText(), before);
    assert.match(rig.chats[0]?.text ?? '', /Where does this code belong[^]*somebody = 4/);
  });

  it('copies to the clipboard instead, without a request', async () => {
    const path = await write('copy.ts', before);
    const text = 'export const somebody = 3;\n';
    await choose(2, () => actions.apply({ text, language: 'ts', path }));
    assert.deepEqual(rig.model.requests, []);
    assert.equal(await vscode.env.clipboard.readText(), text.trimEnd());
    assert.equal(await read('copy.ts'), before);
  });
});

describe('inserting code of a reply at the cursor', () => {
  useActions();

  it('passes the whole text through the gate', async () => {
    await write('insert.json', '{\n}\n');
    const editor = await vscode.window.showTextDocument(uriOf('insert.json'));
    editor.selection = new vscode.Selection(1, 0, 1, 0);
    rig.isAllowed = false;
    await actions.insert('"a": 1\n');
    assert.equal(editor.document.getText(), '{\n}\n');
    rig.isAllowed = true;
    await actions.insert('"a": 1\n');
    assert.equal(editor.document.getText(), '{\n"a": 1\n}\n');
    assert.deepEqual(
      rig.decided.map(({ after }) => after),
      ['{\n"a": 1\n}\n', '{\n"a": 1\n}\n'],
    );
  });

  it('opens no new file if the gate refuses it', async () => {
    rig.isAllowed = false;
    const count = vscode.workspace.textDocuments.length;
    await actions.newFile({ text: 'a', language: 'ts', path: `${folder}/no.ts` });
    assert.equal(vscode.workspace.textDocuments.length, count);
    assert.equal(rig.decided.length, 1);
  });
});

describe('a command of a reply', () => {
  const started: string[] = [];
  let terminals: PromptTerminals;
  let listening: vscode.Disposable;
  let ended = 0;

  beforeEach(() => {
    started.length = 0;
    ended = 0;
    terminals = new PromptTerminals();
    listening = vscode.Disposable.from(
      vscode.window.onDidStartTerminalShellExecution(({ execution }) =>
        started.push(execution.commandLine.value),
      ),
      vscode.window.onDidEndTerminalShellExecution(() => (ended += 1)),
    );
  });

  afterEach(() => {
    listening.dispose();
    terminals.dispose();
    for (const terminal of vscode.window.terminals) terminal.dispose();
  });

  itButNotOn(
    'virtual',
    'is put into a terminal, and nothing of it runs before the person says so',
    'it needs a terminal in the folder',
    async () => {
      await write('terminal.txt', '');
      const file = `'${uriOf('terminal.txt').fsPath}'`;
      await runInTerminal(`$ echo first >> ${file}\nfirst\n`, terminals);
      const terminal = vscode.window.activeTerminal;
      assert.ok(terminal);
      // If the first half had run by itself, the shell would fail at the second.
      terminal.sendText(` && echo second >> ${file}`, true);
      await until(() => ended === 1);
      assert.deepEqual(started, [`echo first >> ${file} && echo second >> ${file}`]);
      assert.equal(await read('terminal.txt'), 'first\nsecond\n');

      // The prompt is empty again, so the same terminal is reused.
      await runInTerminal('echo again', terminals);
      assert.equal(vscode.window.activeTerminal, terminal);
      // The prompt now contains a command that nobody has run.
      await runInTerminal('echo other', terminals);
      assert.notEqual(vscode.window.activeTerminal, terminal);
      assert.equal(started.length, 1);
    },
  );

  it('is chosen by the person if there are several', async () => {
    const put: string[] = [];
    const line = { put: (command: string) => Promise.resolve(void put.push(command)) };
    await choose(1, () => runInTerminal('# first\nnpm ci\n\nnpm test -- $(pwd)\n', line));
    assert.deepEqual(put, ['npm test -- $(pwd)']);
  });

  it('is refused if a terminal would run something other than shown', async () => {
    const put: string[] = [];
    const line = { put: (command: string) => Promise.resolve(void put.push(command)) };
    for (const text of [
      ...['echo a\tb', 'echo a\u0003', 'echo \u202etxt', 'ls\u200b', 'a\rb', '\u001b[201~ls'],
      ...['cat <<EOF\na\nEOF', 'for a in b; do\nls\ndone', 'ls\necho \u200b', '', '# nothing'],
      'a'.repeat(30_000),
    ])
      await assert.rejects(runInTerminal(text, line), UserError, JSON.stringify(text.slice(0, 30)));
    assert.deepEqual(put, []);
  });
});
