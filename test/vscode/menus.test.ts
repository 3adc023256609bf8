import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as vscode from 'vscode';
import { codeCommandId, commands } from '../../src/host/contributions.ts';
import { commitAll, gitIn } from '../support/gitIn.ts';
import { until } from '../support/until.ts';
import { closeRepository, openRepository } from './support/repository.ts';

/** Folder of the workspace for the files of these tests. */
const folder = 'menus';

function root(): vscode.Uri {
  const [first] = vscode.workspace.workspaceFolders ?? [];
  assert.ok(first, 'There is no workspace.');
  return vscode.Uri.joinPath(first.uri, folder);
}

async function put(path: string, content: string): Promise<vscode.Uri> {
  const uri = vscode.Uri.joinPath(root(), path);
  await mkdir(dirname(uri.fsPath), { recursive: true });
  await writeFile(uri.fsPath, content);
  return uri;
}

/** Messages of the open chat's next request, as JSON. */
async function nextRequest(): Promise<string> {
  await vscode.commands.executeCommand(commands.showRequest, { asText: true });
  const text = vscode.window.activeTextEditor?.document.getText() ?? '';
  return text.slice(0, text.search(/^ {2}"tools"|^\/\/ curl/m));
}

describe('commands in menus, with VS Code’s arguments', () => {
  beforeEach(async () => {
    await vscode.commands.executeCommand(commands.useDemo);
    await vscode.commands.executeCommand(commands.newChat);
  });
  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await rm(root().fsPath, { recursive: true, force: true });
  });

  it("attach all selected files of the explorer, and a folder's files", async () => {
    const outer = await put('one.ts', 'export const one = 1;\n');
    const other = await put('inner/other.ts', 'export const other = 2;\n');
    const inner = vscode.Uri.joinPath(root(), 'inner');
    await vscode.commands.executeCommand(commands.addToChat, outer, [outer, other, inner]);
    const text = await nextRequest();
    assert.match(text, /menus\/one\.ts:\\n```typescript\\nexport const one = 1;/);
    assert.match(text, /menus\/inner\/other\.ts:\\n```typescript\\nexport const other = 2;/);
    assert.match(text, /menus\/inner\/:\\n```\\n[^"]*other\.ts/);
  });

  it('attach the file of a tab, although lines of it are selected', async () => {
    const uri = await put('tab.ts', 'export const first = 1;\nexport const second = 2;\n');
    const editor = await vscode.window.showTextDocument(uri);
    editor.selection = new vscode.Selection(0, 0, 0, 5);
    const editorLocation = { groupId: 0, editorIndex: 0 };
    await vscode.commands.executeCommand(commands.addToChat, uri, editorLocation);
    assert.match(await nextRequest(), /menus\/tab\.ts:\\n[^"]*second = 2/);
    const lines = await put('lines.ts', 'export const third = 3;\nexport const fourth = 4;\n');
    await vscode.window.showTextDocument(lines, { selection: editor.selection });
    await vscode.commands.executeCommand(commands.addToChat, lines);
    const text = await nextRequest();
    assert.match(text, /menus\/lines\.ts, lines 1-1:/);
    assert.doesNotMatch(text, /fourth = 4/);
  });

  it('attach changed files of Source Control with their changes, and a group as its changes', async () => {
    const uri = await put('repository/kept.ts', 'export const kept = 1;\n');
    const repository = dirname(uri.fsPath);
    const git = (...words: readonly string[]): string => gitIn(repository, ...words);
    commitAll(repository, 'Begin');
    await openRepository(repository);
    await writeFile(uri.fsPath, 'export const kept = 2;\n');
    const gone = await put('repository/gone.ts', 'export const gone = 3;\n');
    git('add', '.');
    await rm(gone.fsPath);
    const control = vscode.scm.createSourceControl('aside-test', 'Test');
    try {
      const group = control.createResourceGroup('index', 'Staged Changes');
      group.resourceStates = [{ resourceUri: uri }, { resourceUri: gone }];
      await vscode.commands.executeCommand(commands.addToChat, group);
      const whole = await nextRequest();
      assert.match(whole, /Staged Changes:\\n```diff\\n[^"]*-export const kept = 1;/);
      assert.doesNotMatch(whole, /kept\.ts:\\n```typescript/);
      await vscode.commands.executeCommand(commands.addToChat, ...group.resourceStates);
      const changed = await nextRequest();
      assert.match(changed, /repository\/kept\.ts:\\n```typescript\\nexport const kept = 2;/);
      assert.match(changed, /Changes in 2 files:\\n```diff\\n[^"]*-export const kept = 1;/);
      assert.match(changed, /\+export const kept = 2;/);
    } finally {
      control.dispose();
      await closeRepository(repository);
    }
  });

  it('send the result of a failed test with its code, as data', async () => {
    const code = ['test("adds", () => {', '  expect(add(1, 2)).toBe(3);', '});', ''].join('\n');
    const uri = await put('sum.test.ts', `// Sums\n${code}// The end\n`);
    const controller = vscode.tests.createTestController('aside-test', 'Test');
    try {
      const suite = controller.createTestItem('sums', 'Sums', uri);
      const test = controller.createTestItem('adds', 'adds', uri);
      controller.items.add(suite);
      suite.children.add(test);
      test.range = new vscode.Range(1, 0, 3, 3);
      const message = vscode.TestMessage.diff('\u001b[31mexpected 3\u001b[0m', '3', '-1');
      message.location = new vscode.Location(uri, new vscode.Position(2, 2));
      for (const name of ['explain', 'fix'] as const) {
        await vscode.commands.executeCommand(codeCommandId(name), { test, message });
      }
      const text = await nextRequest();
      assert.match(text, /Explain why this test fails and how to fix it\./);
      assert.match(text, /This test fails\. Find out why, and fix the code that is wrong\./);
      assert.match(text, /menus\/sum\.test\.ts, lines 2-4:\\n```typescript\\ntest\(/);
      const result = [
        'Test: Sums › adds',
        'Failed at: menus/sum.test.ts:3',
        'Message:',
        'expected 3',
        'Expected:',
        '3',
        'Actual:',
        '-1',
      ].join('\\n');
      assert.ok(text.includes(`\`\`\`plaintext\\n${result}\\n\`\`\``), text);
      // The demo's model reads the whole file afterwards, but only the test is attached.
      assert.doesNotMatch(text, /```typescript\\n(?:(?!```).)*The end/);
    } finally {
      controller.dispose();
    }
  });

  it('show the help rendered, not as Markdown source', async () => {
    await vscode.commands.executeCommand(commands.help);
    const tabOfHelp = (): vscode.Tab | undefined => {
      const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
      return tab?.label.includes('Aside Help') === true ? tab : undefined;
    };
    await until(() => tabOfHelp() !== undefined);
    const { label = '', input } = tabOfHelp() ?? {};
    assert.ok(input instanceof vscode.TabInputWebview, label);
    assert.match(input.viewType, /markdown\.preview$/);
  });
});
