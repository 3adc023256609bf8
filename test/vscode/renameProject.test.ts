import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { renameSymbolTool } from '../../src/host/tools/renameSymbol.ts';
import { editorTexts } from '../../src/host/tools/editorTexts.ts';
import { Changes } from '../../src/host/tools/changes.ts';
import { Editing } from '../../src/host/tools/editing.ts';
import { DiskFiles } from '../../src/host/node/diskFiles.ts';
import { toLocation } from '../../src/host/platform/location.ts';
import { readContent } from '../../src/host/platform/notebooks.ts';
import { GrantingGate, toolContext } from '../support/grantingGate.ts';
import { TemporaryFolder } from '../support/temporaryFolder.ts';

const folder = 'renamed';
const users = ['one', 'two', 'three'];

function uriOf(name: string): vscode.Uri {
  const [root] = vscode.workspace.workspaceFolders ?? [];
  assert.ok(root, 'There is no workspace.');
  return vscode.Uri.joinPath(root.uri, folder, name);
}

function put(name: string, text: string): Thenable<void> {
  return vscode.workspace.fs.writeFile(uriOf(name), new TextEncoder().encode(text));
}

describe('renaming a symbol while its project is being loaded', () => {
  let temporary: TemporaryFolder;

  before(async () => {
    temporary = await TemporaryFolder.create();
  });

  after(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await vscode.workspace.fs.delete(uriOf(''), { recursive: true });
    await temporary.dispose();
  });

  it('changes every file that uses it, open or not', async () => {
    const options = { compilerOptions: { allowImportingTsExtensions: true, noEmit: true } };
    await put('tsconfig.json', JSON.stringify(options));
    await put('names.ts', 'export const station = 1;\n');
    for (const name of users)
      await put(
        `${name}.ts`,
        `import { station } from './names.ts';\n\nexport const ${name} = station;\n`,
      );
    // A larger project takes a while to load, and only open files are known until then.
    const others = Array.from({ length: 500 }, (_, index) => `other${index}`);
    await Promise.all(
      others.map((name) => put(`${name}.ts`, `export const ${name} = '${name}';\n`)),
    );
    await vscode.window.showTextDocument(uriOf('three.ts'));
    const gate = new GrantingGate((path) => toLocation(uriOf(path.split('/').at(-1) ?? '')));
    const changes = new Changes({
      storage: new DiskFiles(temporary.path),
      texts: editorTexts,
      findInPlace: (files) => Promise.resolve(files.map(() => true)),
      chatOf: () => 'chat',
      onError: (error) => assert.fail(String(error)),
    });
    const rename = { path: 'names.ts', line: 1, symbol: 'station', new_name: 'place' };
    const editing = new Editing(gate, (target) => readContent(target, gate), changes);
    await renameSymbolTool(editing).prepare(rename).run(toolContext());
    for (const name of ['names', ...users]) {
      const text = new TextDecoder().decode(
        await vscode.workspace.fs.readFile(uriOf(`${name}.ts`)),
      );
      assert.doesNotMatch(text, /station/, name);
    }
  });
});
