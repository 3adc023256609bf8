import { themes, type ThemeKind } from '../support/vscode/themes.ts';
import { connect } from './support/connect.ts';
import { journey, type Journey } from './support/journey.ts';

const kinds: readonly ThemeKind[] = ['light', 'dark', 'high-contrast', 'high-contrast-light'];

describe('journey: themes', () => {
  journey('light, dark and high contrast', {}, async (walk) => {
    await converse(walk);
    for (const kind of kinds) {
      await walk.workbench.setTheme(kind);
      await walk.panel.frame.locator(`body.${themes[kind].body}`).waitFor();
      await walk.picture(kind);
    }
  });

  journey('in a narrow window', { size: { width: 620, height: 800 } }, async (walk) => {
    await converse(walk);
    await walk.picture('narrow');
  });
});

/** Fills the panel with one of everything. */
async function converse(walk: Journey): Promise<void> {
  const { panel, service } = walk;
  await connect(walk);
  await panel.ask('Show me markdown: a list, a table and some code.');
  await panel.settled();
  service.account.topUp(-service.account.balance);
  await panel.ask('Hello');
  await panel.alert.waitFor();
}
