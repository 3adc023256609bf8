import assert from 'node:assert/strict';
import * as vscode from 'vscode';
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

  it('offers to fix and to explain a problem, with all that is known of it', async () => {
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
    const actions = await actionsAt(document, range);
    assert.deepEqual(titles(actions), ['Explain with Aside', 'Fix with Aside']);
    for (const { command, kind } of actions) {
      assert.ok(kind && vscode.CodeActionKind.QuickFix.contains(kind));
      assert.ok(command?.command.startsWith('aside.') === true || command !== undefined);
    }
    problems.clear();
  });

  it('offers to document a symbol at its name, and nowhere else', async () => {
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

function titles(actions: readonly vscode.CodeAction[]): readonly string[] {
  return actions
    .map(({ title }) => title)
    .filter((title) => title.endsWith('Aside'))
    .toSorted();
}
