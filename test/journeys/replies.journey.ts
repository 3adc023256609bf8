import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { modelSaying } from '../support/modelSaying.ts';
import { hostName, hosts } from '../support/vscode/hosts.ts';
import { connect } from './support/connect.ts';
import { journey, type Journey } from './support/journey.ts';
import { withoutRestrictedMode } from './support/reasons.ts';
import { withSidebarWidth } from './support/withSidebarWidth.ts';
import { press } from './support/press.ts';

const script = modelSaying(`Say what the numbers mean in \`src/temperature.ts\`:

\`\`\`ts
export function toFahrenheit(celsius: number): number {
  // Water boils at 212 degrees.
  return (celsius * 9) / 5 + 32;
}
\`\`\`

Put the rest into a file of its own:

\`\`\`ts title=src/weather/stations/measurements/readings.ts
export const readings: readonly number[] = [];
\`\`\`

Then run it:

\`\`\`sh
touch ran.txt
\`\`\`

And the shape of it:

\`\`\`json
{ "readings": [] }
\`\`\`
`);

const words = modelSaying(
  'Water boils in src/temperature.ts:2, see `temperature.ts` and [the code](src/temperature.ts#L1), ' +
    'but neither in src/missing.ts nor in `../outside.ts` or .env.',
);

const settings = {
  // Without the GPU, the text of a terminal is in the DOM.
  'terminal.integrated.gpuAcceleration': 'off',
};

describe('journey: code in replies', () => {
  journey('code of a reply', { settings, service: { script } }, async (walk) => {
    const { workbench, panel, picture, workspace } = walk;
    const { page } = workbench;
    const file = join(workspace, 'src/temperature.ts');
    const before = await readFile(file, 'utf8');
    await connect(walk);
    await panel.ask('What do the numbers mean?');
    await panel.settled();
    const opens = panel.button('Open src/temperature.ts');
    await opens.waitFor();
    await picture('1-named');

    await press(panel.button('Apply to File').first());
    await page.locator('.monaco-editor').getByText('Accept').first().waitFor();
    await picture('2-applied');
    assert.equal(await readFile(file, 'utf8'), before, 'Nothing is saved.');

    await runInTerminal(walk);

    await panel.button('More Code Actions…').nth(1).click();
    await panel.menuItem('New File').click();
    await page.getByRole('tab', { name: /readings\.ts/ }).waitFor();
    await picture('4-new-file');

    await withSidebarWidth(page, 220, async () => {
      await opens.scrollIntoViewIfNeeded();
      await panel.frame.locator('.code-file .file-folder').first().waitFor({ state: 'hidden' });
      await picture('5-narrow');
      for (const button of await panel.frame.locator('.code-header button').all()) {
        const box = await button.boundingBox();
        const pane = await page.locator('.part.sidebar').boundingBox();
        assert.ok(box && pane && box.x + box.width <= pane.x + pane.width, 'A button is cut off.');
      }
    });
    await workbench.command('Terminal: Kill All Terminals');
    await workbench.command('View: Revert and Close Editor');
  });

  const restricted = {
    service: { script },
    restricted: true,
    not: withoutRestrictedMode,
  };
  journey('code of a reply in an untrusted folder', restricted, async (walk) => {
    const { panel, picture } = walk;
    await connect(walk);
    await panel.ask('What do the numbers mean?');
    await panel.settled();
    await press(panel.button('Apply to File').first());
    await panel.alert.getByText('Trust this workspace to apply code').waitFor();
    await picture('refused');
    await panel.button('Run in Terminal').click();
    await panel.alert.getByText('Trust this workspace to run commands').waitFor();
  });
});

describe('journey: files in prose', () => {
  journey('files that a reply names', { service: { script: words } }, async (walk) => {
    const { workbench, panel, picture } = walk;
    await connect(walk);
    await panel.ask('Where does water boil?');
    await panel.settled();
    const links = panel.frame.locator('.prose').getByRole('link');
    await links.nth(2).waitFor();
    assert.deepEqual(await links.allTextContents(), [
      'src/temperature.ts:2',
      'temperature.ts',
      'the code (src/temperature.ts#L1)',
    ]);
    await picture('1-linked');
    await links.first().focus();
    await workbench.page.keyboard.press('Enter');
    await workbench.page.getByRole('tab', { name: /temperature\.ts/ }).waitFor();
    await workbench.page.locator('.statusbar').getByText('Ln 2, Col 1').waitFor();
    await picture('2-opened');
  });

  const restricted = {
    service: { script: words },
    restricted: true,
    not: withoutRestrictedMode,
  };
  journey('files that a reply names in an untrusted folder', restricted, async (walk) => {
    const { panel, picture } = walk;
    await connect(walk);
    await panel.ask('Where does water boil?');
    await panel.settled();
    await picture('text');
    assert.equal(await panel.frame.locator('.prose').getByRole('link').count(), 0);
  });
});

/** The command is typed into the terminal but not run. */
async function runInTerminal({ workbench, panel, picture, workspace }: Journey): Promise<void> {
  await panel.button('Run in Terminal').click();
  if (hosts[hostName].isVirtual) {
    await panel.alert.getByText('Commands need a folder on a disk').waitFor();
    return;
  }
  const terminal = workbench.page.locator('.terminal-wrapper.active .xterm-rows');
  await terminal.getByText('touch ran.txt').waitFor();
  const screen = await terminal.innerText();
  assert.equal(screen.split('touch ran.txt').length, 2, 'It is shown twice.');
  await picture('3-in-the-terminal');
  await assert.rejects(readFile(join(workspace, 'ran.txt')), 'It ran by itself.');
}
