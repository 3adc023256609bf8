import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { CodeExtractor } from '../../src/core/code/codeExtractor.ts';
import type { GeneratedText, GenerationRequest } from '../../src/host/code/textGenerator.ts';
import { writeTests } from '../../src/host/code/writeTests.ts';
import type { InlineEdits } from '../../src/host/inlineEdit/inlineEdits.ts';

type Place = Parameters<InlineEdits['stream']>[0];

/** Takes a change to review, and shows nothing. */
class FakeEdits {
  place: Place | undefined;
  code = '';

  async stream(place: Place, produce: Parameters<InlineEdits['stream']>[1]): Promise<void> {
    const code = new CodeExtractor();
    this.place = place;
    await produce((text) => (this.code += code.push(text)), new AbortController().signal);
    this.code += code.end();
  }
}

describe('tests of selected code', () => {
  let root: string;
  let edits: FakeEdits;
  let asked: string;
  let end: GeneratedText['end'];
  let pieces: readonly string[];

  const answers = {
    generate({ messages, onText }: GenerationRequest): Promise<GeneratedText> {
      asked = messages.map(({ content }) => content ?? '').join('\n');
      for (const piece of pieces) onText(piece);
      return Promise.resolve({ text: '', end });
    },
  };
  const put = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  };
  const writeTestsOf = async (path: string): Promise<void> => {
    const uri = vscode.Uri.file(join(root, path));
    await vscode.window.showTextDocument(uri, { selection: new vscode.Range(0, 0, 1, 0) });
    await writeTests(
      {
        generator: answers,
        edits,
        instructions: () => '',
        askInChat: () => Promise.resolve(),
        maySend: () => Promise.resolve(true),
        requireModel: () => Promise.resolve('m'),
      },
      'writeTests',
      undefined,
    );
  };

  before(() => {
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    assert.ok(folder, 'There is no workspace.');
    root = join(folder.uri.fsPath, 'tested');
  });

  beforeEach(() => {
    edits = new FakeEdits();
    end = 'finished';
    pieces = ['```\n', 'check(', 'add);\n', '``', '`\n'];
  });

  afterEach(async () => {
    while (vscode.window.activeTextEditor !== undefined) {
      await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    }
    await rm(root, { recursive: true, force: true });
  });

  it('stream over the file of tests beside it, as a change to review', async () => {
    await put('add.ts', 'export const add = (a: number, b: number) => a + b;\n');
    await put('add.test.ts', "import { add } from './add';\n");
    await writeTestsOf('add.ts');
    assert.match(edits.place?.document.fileName ?? '', /add\.test\.ts$/);
    assert.deepEqual([edits.place?.start, edits.place?.end], [0, 1]);
    assert.equal(edits.code, 'check(add);\n');
    assert.match(asked, /export const add/);
    assert.match(asked, /import \{ add \}/);
  });

  it('go into a file whose last line has no end', async () => {
    await put('add.py', 'def add(a, b):\n    return a + b\n');
    await put('test_add.py', 'import add');
    await writeTestsOf('add.py');
    assert.match(edits.place?.document.fileName ?? '', /test_add\.py$/);
    assert.deepEqual([edits.place?.start, edits.place?.end], [0, 1]);
  });

  it('go into the one file anywhere that has the name', async () => {
    await put('deep/inside/weigh.py', 'weigh = 1\n');
    await put('checks/all/test_weigh.py', 'import weigh\n');
    await writeTestsOf('deep/inside/weigh.py');
    assert.match(edits.place?.document.fileName ?? '', /checks.all.test_weigh\.py$/);
  });

  for (const [path, expected, language] of [
    ['lib/sum.ts', /sum\.(test|spec)\.ts$/, 'typescript'],
    ['lib/sum.py', /test_sum\.py$/, 'python'],
  ] as const) {
    it(`open ${language} tests as a file that is not saved, where there is none`, async () => {
      await put(path, 'sum = 1\n');
      await writeTestsOf(path);
      const document = vscode.window.activeTextEditor?.document;
      assert.equal(document?.uri.scheme, 'untitled');
      assert.match(document.uri.path, expected);
      assert.equal(document.languageId, language);
      assert.equal(document.getText(), 'check(add);\n');
      assert.equal(edits.place, undefined);
    });
  }

  it('leave no file open where the reply is words', async () => {
    await put('words.ts', 'export const words = 1;\n');
    pieces = ['Sorry, I can', 'not write tests.'];
    await writeTestsOf('words.ts');
    const untitled = vscode.workspace.textDocuments.filter(
      ({ uri, isClosed }) => uri.scheme === 'untitled' && !isClosed,
    );
    assert.deepEqual(untitled.map((document) => document.getText()).join(''), '');
    assert.match(vscode.window.activeTextEditor?.document.fileName ?? '', /words\.ts$/);
    assert.equal(vscode.window.activeTextEditor?.document.uri.scheme, 'file');
  });

  it('stay as far as they came where the answer broke off, and that is said', async () => {
    await put('cut.ts', 'export const cut = 1;\n');
    end = 'cut';
    await assert.rejects(writeTestsOf('cut.ts'), /was cut off/);
    assert.equal(vscode.window.activeTextEditor?.document.getText(), 'check(add);\n');
  });
});
