import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { PersonGate } from '../../src/host/approval/personGate.ts';
import { thisMachine } from '../../src/host/node/thisMachine.ts';
import { until } from '../support/until.ts';
import { analysis, outputsOf, putNotebook, showNotebook, sourcesOf } from './support/notebooks.ts';
import { EditRig } from './support/editRig.ts';
import { answerLater } from './support/answerLater.ts';

describe('commands on code in cells', () => {
  let rig: EditRig;

  beforeEach(() => {
    rig = new EditRig();
  });

  afterEach(async () => {
    rig.open.dispose();
    await vscode.commands.executeCommand('workbench.action.files.saveAll');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  it('change the selected cell, once accepted, and undo brings it back', async () => {
    const notebook = await showNotebook(await putNotebook(analysis), 2);
    rig.model.text = '```python\nprint(abs(high - low))\n```';
    await rig.commands.run('improve', undefined);
    assert.deepEqual(sourcesOf(notebook)[2], 'print(high - low)', 'Nothing changes before that.');
    assert.match(
      rig.model.prompt,
      /%% cell 2 code python\nhigh = 9\nlow = 4\n%% cell 3 code python/,
    );
    assert.match(rig.model.prompt, /notebooks\/\d+\.ipynb, cell 3/);
    assert.doesNotMatch(rig.model.prompt, /iVBOR/);
    await rig.open.decide('accept');
    assert.deepEqual(sourcesOf(notebook), [
      '# Readings\nof one day',
      'high = 9\nlow = 4',
      'print(abs(high - low))',
    ]);
    assert.deepEqual(outputsOf(notebook), [0, 1, 1]);
    assert.equal(rig.decided.length, 1);
    await until(() => vscode.window.activeNotebookEditor?.notebook === notebook);
    await vscode.commands.executeCommand('notebook.cell.edit');
    await vscode.commands.executeCommand('undo');
    await until(() => sourcesOf(notebook)[2] === 'print(high - low)');
    assert.deepEqual(outputsOf(notebook), [0, 1, 1]);
  });

  it("don't change the cell if the change is rejected", async () => {
    const notebook = await showNotebook(await putNotebook(analysis), 1);
    rig.model.text = '```python\nhigh = 10\nlow = 4\n```';
    await rig.commands.run('improve', undefined);
    await rig.open.decide('reject');
    assert.equal(sourcesOf(notebook)[1], 'high = 9\nlow = 4');
    assert.equal(notebook.isDirty, false);
    assert.deepEqual(rig.decided, []);
  });

  it('change the cell whose menu it is, or the lines of an argument', async () => {
    const notebook = await showNotebook(await putNotebook(analysis), 0);
    rig.model.text = '```python\nhigh = 10\nlow = 4\n```';
    await rig.commands.run('improve', notebook.cellAt(1));
    await rig.open.decide('accept');
    assert.equal(sourcesOf(notebook)[1], 'high = 10\nlow = 4');
    rig.model.text = '```python\nlow = 5\n```';
    const { uri } = notebook.cellAt(1).document;
    await rig.commands.run('edit', {
      uri,
      range: new vscode.Range(1, 0, 1, 7),
      instruction: 'More',
    });
    await rig.open.decide('accept');
    assert.equal(sourcesOf(notebook)[1], 'high = 10\nlow = 5');
    assert.deepEqual(outputsOf(notebook), [0, 1, 1]);
  });

  it('pass the gate as a change of the file of the notebook', async () => {
    const { showWarningMessage } = vscode.window;
    const warnings: string[] = [];
    Object.assign(vscode.window, {
      showWarningMessage: (message: string) => {
        warnings.push(message);
        return answerLater(undefined);
      },
    });
    const gate = new PersonGate({
      context: {
        globalStorageUri: vscode.Uri.file('/user/User/globalStorage/aside-chat.aside'),
        logUri: vscode.Uri.file('/user/logs'),
        storageUri: undefined,
      },
      machine: thisMachine(),
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
      const plain = (await showNotebook(await putNotebook(analysis), 1)).cellAt(1);
      assert.equal(await pass(plain, 'high = 1'), true);
      assert.deepEqual(warnings, []);
      const notebook = await showNotebook(await putNotebook(analysis, '.vscode'), 0);
      assert.equal(await pass(notebook.cellAt(1), 'high = 1'), false);
      assert.equal(warnings.length, 1);
    } finally {
      Object.assign(vscode.window, { showWarningMessage });
    }
  });
});
