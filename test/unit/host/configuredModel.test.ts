import assert from 'node:assert/strict';
import { settingIds } from '../../../src/host/contributions.ts';
import { readSettings } from '../../../src/host/settingValues.ts';
import { withoutVsCode } from '../../support/withoutVsCode.ts';

const { configuredModel } = await withoutVsCode(
  () => import('../../../src/host/usage/initialStatusBar.ts'),
);

const values = [undefined, null, '', '  ', 'a/model', ' padded ', 42];

describe('configuredModel', () => {
  for (const workspaceValue of values) {
    for (const globalValue of values) {
      const values = { workspaceValue, globalValue };
      it(`reads ${JSON.stringify(values)} as the settings do`, () => {
        const settings = readSettings(
          (id) => (id === settingIds.model ? values : undefined),
          () => undefined,
        );
        assert.equal(configuredModel(values), settings.model);
      });
    }
  }

  it('is empty if VS Code does not know the setting', () => assert.equal(configuredModel(), ''));
});
