import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import type { GeneratedText, GenerationRequest } from '../../src/host/code/textGenerator.ts';
import { writeTests } from '../../src/host/code/writeTests.ts';
import {
  answerCode,
  type EditPlace,
  type ProduceCode,
  type ProduceText,
} from '../../src/host/review/answerCode.ts';
import { until } from '../support/until.ts';
import { itButNotOn } from './support/itButNotOn.ts';
import type { NewFile } from '../../src/host/review/fileReviews.ts';

/** Receives changes to review without displaying them. */
class FakeReviews {
  target: EditPlace | undefined;
  created: NewFile | undefined;
  code = '';

  async stream(target: EditPlace, produce: ProduceText): Promise<void> {
    this.target = target;
    await this.#read(answerCode(target, produce));
  }

  async streamNew(file: NewFile, produce: ProduceCode): Promise<void> {
    this.created = file;
    await this.#read(produce);
  }

  async #read(produce: ProduceCode): Promise<void> {
    const target = {
      push: (code: string): void => void (this.code += code),
      restart: (): void => void (this.code = ''),
    };
    await produce(target, new AbortController().signal);
  }
}

describe('tests of selected code', () => {
  let root: string;
  let reviews: FakeReviews;
  let prompt: string;
  let end: GeneratedText['end'];
  let pieces: readonly string[];

  const answers = {
    generate({ messages, onText }: GenerationRequest): Promise<GeneratedText> {
      prompt = messages.map(({ content }) => content ?? '').join('\n');
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
        reviews,
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
    reviews = new FakeReviews();
    end = 'finished';
    pieces = ['```\n', 'check(', 'add);\n', '``', '`\n'];
  });

  afterEach(async () => {
    while (vscode.window.activeTextEditor !== undefined) {
      await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    }
    await rm(root, { recursive: true, force: true });
  });

  it('stream into the existing test file, as a change to review', async () => {
    await put('add.ts', 'export const add = (a: number, b: number) => a + b;\n');
    await put('add.test.ts', "import { add } from './add';\n");
    await writeTestsOf('add.ts');
    assert.match(reviews.target?.document.fileName ?? '', /add\.test\.ts$/);
    assert.deepEqual([reviews.target?.start, reviews.target?.end], [0, 1]);
    assert.equal(reviews.code, 'check(add);\n');
    assert.match(prompt, /export const add/);
    assert.match(prompt, /import \{ add \}/);
  });

  it('are added to a file without a final line break', async () => {
    await put('add.py', 'def add(a, b):\n    return a + b\n');
    await put('test_add.py', 'import add');
    await writeTestsOf('add.py');
    assert.match(reviews.target?.document.fileName ?? '', /test_add\.py$/);
    assert.deepEqual([reviews.target?.start, reviews.target?.end], [0, 1]);
  });

  itButNotOn(
    'virtual',
    'go into the one file anywhere that has the name',
    'VS Code finds no files by their names there',
    async () => {
      await put('deep/inside/weigh.py', 'weigh = 1\n');
      await put('checks/all/test_weigh.py', 'import weigh\n');
      await writeTestsOf('deep/inside/weigh.py');
      assert.match(reviews.target?.document.fileName ?? '', /checks.all.test_weigh\.py$/);
    },
  );

  for (const [path, expected, language] of [
    ['lib/sum.ts', /sum\.(test|spec)\.ts$/, 'typescript'],
    ['lib/sum.py', /test_sum\.py$/, 'python'],
  ] as const) {
    it(`are a new ${language} file to review if there is none`, async () => {
      await put(path, 'sum = 1\n');
      await writeTestsOf(path);
      assert.match(reviews.created?.uri?.path ?? '', expected);
      assert.equal(reviews.created?.language, language);
      assert.equal(reviews.code, 'check(add);\n');
      assert.equal(reviews.target, undefined);
      const documents = vscode.workspace.textDocuments.map(({ uri }) => uri);
      assert.deepEqual(
        documents.filter(({ scheme, path }) => scheme === 'untitled' || expected.test(path)),
        [],
      );
    });
  }

  it('are no new file if the reply is text', async () => {
    await put('words.ts', 'export const words = 1;\n');
    pieces = ['Sorry, I can', 'not write tests.'];
    await writeTestsOf('words.ts');
    assert.equal(vscode.window.activeTextEditor?.document.uri.scheme, 'file');
    assert.match(vscode.window.activeTextEditor.document.fileName, /words\.ts$/);
  });

  it('are a new file to review if the reply is text that the person uses as code', async () => {
    await put('used.ts', 'export const used = 1;\n');
    pieces = ['check(', 'used);'];
    const { showInformationMessage } = vscode.window;
    const press = (): Promise<string> => Promise.resolve('Use as Code');
    Object.assign(vscode.window, { showInformationMessage: press });
    try {
      await writeTestsOf('used.ts');
      await until(() => reviews.code !== '');
    } finally {
      Object.assign(vscode.window, { showInformationMessage });
    }
    assert.match(reviews.created?.uri?.path ?? '', /used\.(test|spec)\.ts$/);
    assert.equal(reviews.code, 'check(used);\n');
  });

  it('have no name in a language without a convention', async () => {
    await put('notes.txt', 'sum is 1\n');
    await writeTestsOf('notes.txt');
    assert.ok(reviews.created !== undefined && reviews.created.uri === undefined);
  });

  it('are dropped if the reply was cut off, which is reported', async () => {
    await put('cut.ts', 'export const cut = 1;\n');
    end = 'cut';
    await assert.rejects(writeTestsOf('cut.ts'), /was cut off/);
  });
});
