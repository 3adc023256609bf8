import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { commands, settingIds } from '../../src/host/contributions.ts';
import { localModels } from '../../src/local/models.ts';

function chosenModel(): unknown {
  return vscode.workspace.getConfiguration().inspect(settingIds.model)?.globalValue;
}

/** Moves down in the quick pick once it is open, accepts the item, and waits for the command. */
async function accept(command: Thenable<unknown>, moves: number): Promise<void> {
  const state = { done: false };
  const finished = Promise.resolve(command).finally(() => (state.done = true));
  await vscode.commands.executeCommand('workbench.action.focusQuickOpen');
  for (let move = 0; move < moves; move++) {
    await vscode.commands.executeCommand('workbench.action.quickOpenSelectNext');
  }
  while (!state.done) {
    await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
  }
  await finished;
}

describe('aside.selectModel, in the demo', () => {
  before(async () => {
    await vscode.commands.executeCommand(commands.useDemo);
    // VS Code focuses the page of the panel once it has loaded, which closes an open list.
    await vscode.commands.executeCommand('workbench.action.closeSidebar');
  });

  afterEach(async () => {
    const { Global } = vscode.ConfigurationTarget;
    await vscode.workspace.getConfiguration().update(settingIds.model, undefined, Global);
  });

  it('writes the chosen model to the user settings, and uses it for the next message', async () => {
    await accept(vscode.commands.executeCommand(commands.selectModel), 2);
    const model = chosenModel();
    assert.ok(
      localModels.some(({ id }) => id === model),
      String(model),
    );
    const turn: unknown = await vscode.commands.executeCommand(commands.ask, 'Hello');
    assert.ok(typeof turn === 'object' && turn !== null && 'model' in turn);
    assert.equal(turn.model, model);
  });
});
