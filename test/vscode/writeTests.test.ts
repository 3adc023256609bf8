import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import type { Review } from '../../src/host/review/review.ts';
import { until } from '../support/until.ts';
import { EditRig } from './support/editRig.ts';
import { itButNotOn } from './support/itButNotOn.ts';

describe('tests of selected code', () => {
  let root: string;
  let rig: EditRig;
  const review = (): Review => {
    const [first, ...others] = rig.open.all;
    assert.ok(first !== undefined && others.length === 0);
    return first;
  };
  const put = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  };
  const writeTestsOf = async (path: string): Promise<void> => {
    const uri = vscode.Uri.file(join(root, path));
    await vscode.window.showTextDocument(uri, { selection: new vscode.Range(0, 0, 1, 0) });
    await rig.commands.run('writeTests', undefined);
  };

  before(() => {
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    assert.ok(folder, 'There is no workspace.');
    root = join(folder.uri.fsPath, 'tested');
  });

  beforeEach(() => {
    rig = new EditRig();
    rig.model.text = '```\ncheck(add);\n```\n';
  });

  afterEach(async () => {
    rig.open.dispose();
    while (vscode.window.activeTextEditor !== undefined) {
      await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    }
    await rm(root, { recursive: true, force: true });
  });

  it('stream into the existing test file, as a change to review', async () => {
    await put('add.ts', 'export const add = (a: number, b: number) => a + b;\n');
    await put('add.test.ts', "import { add } from './add';\n");
    await writeTestsOf('add.ts');
    assert.match(review().subject.original, /add\.test\.ts$/);
    assert.equal(review().proposedText(), 'check(add);\n');
    assert.match(rig.model.prompt, /export const add/);
    assert.match(rig.model.prompt, /import \{ add \}/);
  });

  it('are added to a file without a final line break', async () => {
    await put('add.py', 'def add(a, b):\n    return a + b\n');
    await put('test_add.py', 'import add');
    await writeTestsOf('add.py');
    assert.match(review().subject.original, /test_add\.py$/);
    assert.equal(review().proposedText(), 'check(add);');
  });

  itButNotOn(
    'virtual',
    'go into the one file anywhere that has the name',
    'VS Code finds no files by their names there',
    async () => {
      await put('deep/inside/weigh.py', 'weigh = 1\n');
      await put('checks/all/test_weigh.py', 'import weigh\n');
      await writeTestsOf('deep/inside/weigh.py');
      assert.match(review().subject.original, /checks.all.test_weigh\.py$/);
    },
  );

  for (const [path, expected, language] of [
    ['lib/sum.ts', /sum\.(test|spec)\.ts$/, 'typescript'],
    ['lib/sum.py', /test_sum\.py$/, 'python'],
  ] as const) {
    it(`are a new ${language} file to review if there is none`, async () => {
      await put(path, 'sum = 1\n');
      await writeTestsOf(path);
      assert.match(review().subject.path, expected);
      assert.equal(review().subject.text(), '');
      assert.equal(review().proposedText(), 'check(add);\n');
      const documents = vscode.workspace.textDocuments.map(({ uri }) => uri);
      assert.deepEqual(
        documents.filter(({ scheme, path }) => scheme === 'untitled' || expected.test(path)),
        [],
      );
    });
  }

  it('are no new file if the reply is text', async () => {
    await put('words.ts', 'export const words = 1;\n');
    rig.model.text = 'Sorry, I cannot write tests.';
    await writeTestsOf('words.ts');
    assert.equal(vscode.window.activeTextEditor?.document.uri.scheme, 'file');
    assert.match(vscode.window.activeTextEditor.document.fileName, /words\.ts$/);
  });

  it('are a new file to review if the reply is text that the person uses as code', async () => {
    await put('used.ts', 'export const used = 1;\n');
    rig.model.text = 'check(used);';
    const { showInformationMessage } = vscode.window;
    const press = (): Promise<string> => Promise.resolve('Use as Code');
    Object.assign(vscode.window, { showInformationMessage: press });
    try {
      await writeTestsOf('used.ts');
      await until(() => rig.open.all.some(({ isStreaming }) => !isStreaming));
    } finally {
      Object.assign(vscode.window, { showInformationMessage });
    }
    assert.match(review().subject.path, /used\.(test|spec)\.ts$/);
    assert.equal(review().proposedText(), 'check(used);\n');
  });

  it('have no name in a language without a convention', async () => {
    await put('notes.txt', 'sum is 1\n');
    await writeTestsOf('notes.txt');
    assert.equal(review().subject.label, 'New Tests');
  });

  it('are dropped if the reply was cut off, which is reported', async () => {
    await put('cut.ts', 'export const cut = 1;\n');
    rig.model.end = 'cut';
    await assert.rejects(writeTestsOf('cut.ts'), /was cut off/);
  });
});
