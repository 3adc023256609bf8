import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { settingIds } from '../../src/host/contributions.ts';

/** Settings that a repository must not be able to change. */
const applicationScoped = [
  settingIds.baseUrl,
  settingIds.consoleUrl,
  settingIds.instructions,
  settingIds.models,
  settingIds.currency,
  settingIds.notify,
  settingIds.requestTimeoutSeconds,
];

describe('settings', () => {
  for (const id of applicationScoped) {
    it(`lets no workspace set ${id}`, async () => {
      const { Workspace } = vscode.ConfigurationTarget;
      const written = vscode.workspace.getConfiguration().update(id, 'https://a.test', Workspace);
      await assert.rejects(async () => written, /only into User settings/);
    });
  }

  it('lets a workspace choose the model', async () => {
    const { Workspace } = vscode.ConfigurationTarget;
    const update = (value: string | undefined): Thenable<void> =>
      vscode.workspace.getConfiguration().update(settingIds.model, value, Workspace);
    await update('some/model');
    try {
      const { workspaceValue } =
        vscode.workspace.getConfiguration().inspect(settingIds.model) ?? {};
      assert.equal(workspaceValue, 'some/model');
    } finally {
      await update(undefined);
    }
  });
});
