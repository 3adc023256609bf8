import assert from 'node:assert/strict';
import { chmod } from 'node:fs/promises';
import * as vscode from 'vscode';
import { openInstructionBox } from '../../src/host/platform/instructionBox.ts';
import { until } from '../support/until.ts';
import { EditRig, instructed } from './support/editRig.ts';
import { itButNotOn } from './support/itButNotOn.ts';

const python =
  'class Day:\r\n\tdef span(self):\r\n\t\treturn self.high - self.low\r\n\r\n# end\r\n';

describe('commands that change code', () => {
  let rig: EditRig;
  let problems: vscode.DiagnosticCollection;
  let files = 0;

  beforeEach(() => {
    rig = new EditRig();
    problems = vscode.languages.createDiagnosticCollection('test');
  });

  afterEach(async () => {
    rig.open.dispose();
    problems.dispose();
    for (const document of vscode.workspace.textDocuments.filter(({ isDirty }) => isDirty)) {
      const editor = await vscode.window.showTextDocument(document);
      await until(() => vscode.window.activeTextEditor === editor);
      await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    }
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  /** Opens a new file. */
  async function show(content: string, extension: string): Promise<vscode.TextEditor> {
    const [root] = vscode.workspace.workspaceFolders ?? [];
    assert.ok(root, 'There is no workspace.');
    const uri = vscode.Uri.joinPath(root.uri, 'editCommands', `${++files}.${extension}`);
    await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(content));
    const document = await vscode.workspace.openTextDocument(uri);
    const editor = await vscode.window.showTextDocument(document, { preview: false });
    await until(() => vscode.window.activeTextEditor === editor);
    return editor;
  }

  /** Types once the editor accepts it: a read-only editor ignores edits. */
  async function typeInProposal(): Promise<void> {
    const review = vscode.window.visibleTextEditors.find(
      ({ document }) => document.uri.scheme === 'aside-review',
    );
    assert.ok(review);
    const text = review.document.getText();
    while (review.document.getText() === text) {
      await review.edit((builder) => builder.insert(new vscode.Position(1, 0), '\t# mine\n'));
    }
  }

  it('edits the selected lines as instructed, indented for their location', async () => {
    const editor = await show(python, 'py');
    editor.selection = new vscode.Selection(1, 3, 2, 5);
    rig.model.text = '```python\ndef span(self):\n    return abs(self.high - self.low)\n```';
    await rig.commands.run('edit', undefined, instructed('Make it absolute'));
    assert.match(rig.model.prompt, /Make it absolute/);
    await rig.open.decide('accept');
    const expected = python.replace('self.high - self.low', 'abs(self.high - self.low)');
    assert.equal(editor.document.getText(), expected);
  });

  it('retries a rejected change with a note, on the original lines', async () => {
    await assert.rejects(rig.commands.retry(), /no rejected change/);
    const editor = await show(python, 'py');
    editor.selection = new vscode.Selection(1, 3, 2, 5);
    rig.model.text = '```python\ndef span(self):\n    return 0\n```';
    await rig.commands.run('edit', undefined, instructed('Make it absolute'));
    await typeInProposal();
    await rig.open.decide('reject');
    assert.equal(editor.document.getText(), python);
    rig.note = '  ';
    await rig.commands.retry();
    assert.equal(rig.model.requests.length, 1, 'Nothing was noted.');
    rig.note = 'Keep the subtraction.';
    rig.model.text = '```python\ndef span(self):\n    return abs(self.high - self.low)\n```';
    await rig.commands.retry();
    const [system, first, reply, second] = rig.model.requests[1]?.messages ?? [];
    assert.deepEqual([system, first], rig.model.requests[0]?.messages);
    assert.deepEqual([reply?.role, second?.role], ['assistant', 'user']);
    assert.match(JSON.stringify(reply), /return 0/);
    assert.match(JSON.stringify(second), /Their note: Keep the subtraction\./);
    await rig.open.decide('accept');
    const expected = python.replace('self.high - self.low', 'abs(self.high - self.low)');
    assert.equal(editor.document.getText(), expected);
    await assert.rejects(rig.commands.retry(), /has changed meanwhile/);
    assert.equal(rig.model.requests.length, 2);
  });

  it('warns about invisible characters in the code', async () => {
    const { showWarningMessage } = vscode.window;
    const warnings: string[] = [];
    const note = (text: string): Promise<number> => Promise.resolve(warnings.push(text));
    Object.assign(vscode.window, { showWarningMessage: note });
    try {
      await show('a\nb\u200b\n', 'txt');
      rig.model.text = '```\na\nb\n```';
      await rig.commands.run('improve', undefined);
    } finally {
      Object.assign(vscode.window, { showWarningMessage });
    }
    assert.match(warnings.join('\n'), /This code contains invisible characters \(1\)/);
  });

  const readOnly = 'sends nothing of a read-only file, and offers a new file';
  itButNotOn('virtual', readOnly, 'the permissions of its files never change', async () => {
    const { document } = await show(python, 'py');
    const { showWarningMessage } = vscode.window;
    const { executeCommand } = vscode.commands;
    const warnings: string[] = [];
    const press = (warning: string, button: string): Promise<string> => {
      warnings.push(warning);
      return Promise.resolve(button);
    };
    const started: string[] = [];
    Object.assign(vscode.window, { showWarningMessage: press });
    // The installed extension would handle its own.
    const execute = (id: string, ...parameters: unknown[]): unknown =>
      id.startsWith('aside.') ? started.push(id) : executeCommand(id, ...parameters);
    Object.assign(vscode.commands, { executeCommand: execute });
    await chmod(document.uri.fsPath, 0o444);
    try {
      await rig.commands.run('edit', undefined, instructed('Make it absolute'));
      await until(() => started.length > 0);
    } finally {
      await chmod(document.uri.fsPath, 0o644);
      Object.assign(vscode.window, { showWarningMessage });
      Object.assign(vscode.commands, { executeCommand });
    }
    assert.deepEqual(rig.model.requests, []);
    assert.match(warnings.join(), /py is read-only/);
    assert.deepEqual(started, ['aside.edit']);
    assert.equal(vscode.window.activeTextEditor?.document.getText(), document.getText());
  });

  it('does nothing without an instruction', async () => {
    const editor = await show(python, 'py');
    await rig.commands.run('edit', undefined, instructed(undefined));
    assert.deepEqual(rig.model.requests, []);
    assert.equal(editor.document.getText(), python);
  });

  it('sends nothing that the person declines to send', async () => {
    const editor = await show(python, 'py');
    rig.maySend = false;
    await rig.commands.run('edit', undefined, instructed('Make it absolute'));
    assert.deepEqual(rig.model.requests, []);
    assert.equal(editor.document.getText(), python);
  });

  it('fixes the problems reported by VS Code, or those in its argument', async () => {
    const { document } = await show('const a = 1;\nconst b: string = a;\n', 'ts');
    const range = new vscode.Range(1, 6, 1, 7);
    const problem = new vscode.Diagnostic(
      range,
      'Not assignable.',
      vscode.DiagnosticSeverity.Error,
    );
    problems.set(document.uri, [problem]);
    rig.model.text = '```ts\nconst b: number = a;\n```';
    const lines = { uri: document.uri, range };
    await rig.commands.run('fix', lines);
    assert.match(rig.model.prompt, /line 2: error: Not assignable\./);
    await rig.open.decide('accept');
    assert.equal(document.getText(), 'const a = 1;\nconst b: number = a;\n');
    await rig.commands.run('fix', {
      ...lines,
      diagnostics: [new vscode.Diagnostic(range, 'Told.', vscode.DiagnosticSeverity.Warning)],
    });
    assert.match(rig.model.prompt, /line 2: warning: Told\./);
  });

  it('uses the whole file without a selection and a known symbol', async () => {
    const { document } = await show('a\nb\n', 'txt');
    rig.model.text = '```\na\nB\n```';
    await rig.commands.run('improve', undefined);
    await rig.open.decide('accept');
    assert.equal(document.getText(), 'a\nB\n');
    rig.model.text = '```\nA\nB\n```';
    await rig.commands.run('document', undefined);
    await rig.open.decide('reject');
    assert.equal(document.getText(), 'a\nB\n');
  });

  it('changes nothing if the reply is incomplete', async () => {
    const { document } = await show('a\nb\n', 'txt');
    for (const end of ['cut', 'length'] as const) {
      Object.assign(rig.model, { text: '```\nA\nB\nC\n', end });
      await assert.rejects(rig.commands.run('improve', undefined), { name: 'UserError' });
      assert.equal(document.getText(), 'a\nb\n');
    }
  });

  it('changes nothing if the reply is text, shows it, and asks in the chat on request', async () => {
    const { document } = await show('const a = 1;\nconst b = a;\n', 'typescript');
    const { showInformationMessage } = vscode.window;
    const messageCalls: unknown[][] = [];
    Object.assign(vscode.window, {
      showInformationMessage(...parameters: unknown[]) {
        messageCalls.push(parameters);
        return Promise.resolve(parameters.at(-1));
      },
    });
    try {
      for (const command of ['fix', 'improve', 'document', 'edit'] as const) {
        rig.model.text = 'Sorry, I [cannot](command:x) do that.';
        // The review of the command before may still be closing.
        await until(() => vscode.window.activeTextEditor?.document === document);
        const box = command === 'edit' ? instructed('Make it absolute') : undefined;
        await rig.commands.run(command, undefined, box);
        assert.equal(document.getText(), 'const a = 1;\nconst b = a;\n', command);
        assert.equal(document.isDirty, document.isUntitled, command);
      }
    } finally {
      Object.assign(vscode.window, { showInformationMessage });
    }
    assert.equal(messageCalls.length, 4);
    assert.match(String(messageCalls[0]?.[0]), /Sorry, I \[cannot\] \(command:x\) do that\./);
    assert.deepEqual(messageCalls[0]?.slice(1), ['Use as Code', 'Ask in Chat']);
    assert.deepEqual(
      rig.chats.map(({ text, attachments }) => [text, attachments[0]?.text]),
      ['Fix the code', 'Improve the code', 'Document the code', 'Make it absolute'].map((text) => [
        text,
        'const a = 1;\nconst b = a;',
      ]),
    );
  });

  it('reviews text as code after Use as Code, unless the file has changed', async () => {
    const { document } = await show('const a = 1;\nconst b = a;\n', 'typescript');
    const { showInformationMessage, showErrorMessage } = vscode.window;
    let press: (button: unknown) => void = () => undefined;
    const errors: string[] = [];
    Object.assign(vscode.window, {
      showInformationMessage: () => new Promise((resolve) => (press = resolve)),
      showErrorMessage: (text: string) => Promise.resolve(errors.push(text)),
    });
    try {
      rig.model.text = 'const b = 2;';
      await rig.commands.run('improve', { uri: document.uri, range: new vscode.Range(1, 0, 1, 5) });
      assert.equal(document.getText(), 'const a = 1;\nconst b = a;\n');
      press('Use as Code');
      await until(() => rig.open.all.length === 1);
      await until(() => rig.open.all.every(({ isStreaming }) => !isStreaming));
      await rig.open.decide('accept');
      assert.equal(document.getText(), 'const a = 1;\nconst b = 2;\n');
      await rig.commands.run('improve', { uri: document.uri, range: new vscode.Range(1, 0, 1, 5) });
      const edit = new vscode.WorkspaceEdit();
      edit.insert(document.uri, new vscode.Position(0, 0), '\n');
      assert.ok(await vscode.workspace.applyEdit(edit));
      press('Use as Code');
      await until(() => errors.length > 0);
    } finally {
      Object.assign(vscode.window, { showInformationMessage, showErrorMessage });
    }
    assert.match(errors.join('\n'), /has changed meanwhile/);
    assert.equal(document.getText(), '\nconst a = 1;\nconst b = 2;\n');
  });

  it('explains what to do if no file is open', async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await assert.rejects(rig.commands.run('fix', undefined), /Open a file/);
  });

  it('accepts an instruction typed before other modules are loaded', async () => {
    const { box, answer } = openInstructionBox();
    box.value = 'Make it absolute';
    await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
    assert.equal(await answer, 'Make it absolute');
    const closed = openInstructionBox();
    closed.box.hide();
    assert.equal(await closed.answer, undefined);
  });
});
