import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { UserMessage } from '../../src/core/conversation/conversation.ts';
import { ChatCommands } from '../../src/host/editor/chatCommands.ts';
import { isCodeCommandArgument } from '../../src/host/editor/commandTarget.ts';
import { codeCommandId } from '../../src/host/contributions.ts';
import { until } from '../support/until.ts';

describe('the light bulb', () => {
  let document: vscode.TextDocument;
  let problems: vscode.DiagnosticCollection;
  let symbols: vscode.Disposable;

  before(async () => {
    const content = 'plain text\ndef greet\n  hello\n';
    document = await vscode.workspace.openTextDocument({ content, language: 'plaintext' });
    problems = vscode.languages.createDiagnosticCollection('aside-test');
    symbols = vscode.languages.registerDocumentSymbolProvider('plaintext', {
      provideDocumentSymbols: ({ uri }) =>
        uri.toString() === document.uri.toString() ? [greet] : [],
    });
  });

  after(async () => {
    problems.dispose();
    symbols.dispose();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  it('offers to fix and to explain a problem, with all of its details', async () => {
    const range = new vscode.Range(0, 0, 0, 5);
    const problem = new vscode.Diagnostic(range, 'Too plain.');
    problem.code = 42;
    problem.relatedInformation = [
      new vscode.DiagnosticRelatedInformation(
        new vscode.Location(document.uri, range),
        'See here.',
      ),
    ];
    problems.set(document.uri, [problem]);
    await until(() => vscode.languages.getDiagnostics(document.uri).length > 0);
    const actions = (await actionsAt(document, range)).filter(isOurs);
    problems.clear();
    assert.deepEqual(titles(actions), ['Explain with Aside', 'Fix with Aside']);
    assert.deepEqual(commandsOf(actions), [codeCommandId('explain'), codeCommandId('fix')]);
    for (const { command, kind } of actions) {
      assert.equal(kind?.value, vscode.CodeActionKind.QuickFix.value);
      const commandArgument: unknown = command?.arguments?.[0];
      assert.ok(
        isCodeCommandArgument(commandArgument),
        'The command is not told what it is about.',
      );
      assert.deepEqual(commandArgument.diagnostics, [problem]);
    }
  });

  for (const [isReadonly, offered] of [
    [false, ['Explain with Aside', 'Fix with Aside']],
    [true, []],
  ] as const)
    it(`offers ${offered.length} in a ${isReadonly ? 'read-only' : 'writable'} file system`, async () => {
      const scheme = `aside-${isReadonly ? 'fixed' : 'free'}`;
      const files = vscode.workspace.registerFileSystemProvider(scheme, oneFile, { isReadonly });
      const uri = vscode.Uri.from({ scheme, path: '/plain.txt' });
      const range = new vscode.Range(0, 0, 0, 5);
      try {
        const other = await vscode.workspace.openTextDocument(uri);
        problems.set(uri, [new vscode.Diagnostic(range, 'Too plain.')]);
        await until(() => vscode.languages.getDiagnostics(uri).length > 0);
        assert.deepEqual(titles(await actionsAt(other, range)), offered);
      } finally {
        problems.clear();
        files.dispose();
      }
    });

  it('sends a problem with its code and related information as data', async () => {
    const range = new vscode.Range(1, 4, 1, 9);
    const { uri } = document;
    const problem = new vscode.Diagnostic(range, 'Unknown greeting.');
    problem.source = 'lint';
    problem.code = { value: 42, target: uri };
    const definition = new vscode.Location(uri, new vscode.Range(2, 0, 2, 1));
    problem.relatedInformation = [
      new vscode.DiagnosticRelatedInformation(definition, 'It was meant here.'),
    ];
    const sentMessages: UserMessage[] = [];
    const explaining = new ChatCommands(
      () => Promise.resolve(true),
      (message) => Promise.reject(new Error(String(sentMessages.push(message)))),
    );
    const argument = { uri, range, diagnostics: [problem] };
    await assert.rejects(explaining.run('explain', argument), { message: '1' });
    const [code, problems] = sentMessages[0]?.attachments ?? [];
    assert.equal(code?.text, 'def greet\n  hello');
    assert.match(problems?.text ?? '', /^line 2: error: Unknown greeting\. \(lint 42\)\n/);
    assert.match(problems?.text ?? '', /related: .*:3: It was meant here\.$/);
    assert.equal(sentMessages[0]?.text, 'Explain this problem and how to fix it.');
  });

  it('offers to document a symbol only at its name', async () => {
    const name = await actionsAt(document, new vscode.Range(1, 5, 1, 5));
    assert.deepEqual(titles(name), ['Document with Aside']);
    assert.deepEqual(titles(await actionsAt(document, new vscode.Range(2, 3, 2, 3))), []);
    assert.deepEqual(titles(await actionsAt(document, new vscode.Range(0, 0, 0, 0))), []);
  });
});

const greet = new vscode.DocumentSymbol(
  ...(['greet', '', vscode.SymbolKind.Function] as const),
  new vscode.Range(1, 0, 2, 7),
  new vscode.Range(1, 4, 1, 9),
);

async function actionsAt(
  { uri }: vscode.TextDocument,
  range: vscode.Range,
): Promise<readonly vscode.CodeAction[]> {
  return vscode.commands.executeCommand('vscode.executeCodeActionProvider', uri, range);
}

/** A file system in which every file has the same text. */
const oneFile: vscode.FileSystemProvider = {
  onDidChangeFile: () => new vscode.Disposable(() => undefined),
  watch: () => new vscode.Disposable(() => undefined),
  stat: () => ({ type: vscode.FileType.File, ctime: 0, mtime: 0, size: 10 }),
  readDirectory: () => [],
  readFile: () => new TextEncoder().encode('plain text'),
  createDirectory: () => undefined,
  writeFile: () => undefined,
  delete: () => undefined,
  rename: () => undefined,
};

/** Ignores the actions of other extensions. */
function isOurs({ title }: vscode.CodeAction): boolean {
  return title.endsWith('with Aside');
}

function titles(actions: readonly vscode.CodeAction[]): readonly string[] {
  return actions
    .filter(isOurs)
    .map(({ title }) => title)
    .toSorted();
}

function commandsOf(actions: readonly vscode.CodeAction[]): readonly unknown[] {
  return actions.map(({ command }) => command?.command).toSorted();
}
