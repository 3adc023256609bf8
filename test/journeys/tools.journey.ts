import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { allowInChat } from './support/allowEdits.ts';
import { connect } from './support/connect.ts';
import { decide } from './support/decide.ts';
import { journey, type Journey } from './support/journey.ts';
import { untilEnabled } from './support/keyboard.ts';
import { modelSaying } from '../support/modelSaying.ts';
import { lastRequest } from './support/lastRequest.ts';
import { withoutCommands, withoutProject } from './support/reasons.ts';
import { press } from './support/press.ts';

const fixed = 'return (celsius * 9) / 5 + 32;';
const broken = 'return (celsius * 5) / 9 + 32;';

/** Breaks a function so that its test fails and two files must change. */
async function breakCode({ workspace }: Journey): Promise<() => Promise<readonly string[]>> {
  const code = join(workspace, 'src/temperature.ts');
  const check = join(workspace, 'src/check.mjs');
  await writeFile(code, (await readFile(code, 'utf8')).replace(fixed, broken));
  await writeFile(check, 'const boiling = 100;\nif (boiling !== 212) process.exit(1);\n');
  return () => Promise.all([code, check].map((file) => readFile(file, 'utf8')));
}

const three = ['one', 'two', 'three'];
const renaming = modelSaying(
  [['read_file', { path: 'src/names.ts' }]],
  [['rename_symbol', { path: 'src/names.ts', line: 1, symbol: 'station', new_name: 'place' }]],
  'It has the new name in the files that you allowed.',
);

const limits = ['export const lowest = 1;', '', '', '', '', '', 'export const highest = 9;', ''];
const editing = modelSaying(
  [['read_file', { path: 'src/limits.ts' }]],
  [
    [
      'edit_file',
      {
        path: 'src/limits.ts',
        edits: [
          { search: 'lowest = 1;', replace: 'lowest = -89;' },
          { search: 'highest = 9;', replace: 'highest = 57;' },
        ],
      },
    ],
  ],
  'The limits are those that were measured.',
);

const script = modelSaying(
  [
    ['get_diagnostics', {}],
    ['read_file', { path: 'src/temperature.ts' }],
    ['read_file', { path: 'src/check.mjs' }],
  ],
  [
    ['edit_file', { path: 'src/temperature.ts', edits: [{ search: broken, replace: fixed }] }],
    [
      'edit_file',
      {
        path: 'src/check.mjs',
        edits: [{ search: 'const boiling = 100;', replace: 'const boiling = (100 * 9) / 5 + 32;' }],
      },
    ],
  ],
  [['run_command', { command: 'node src/check.mjs' }]],
  'The conversion divided by nine and multiplied by five. I put that right, and the check passes.',
);

describe('journey: tools', () => {
  journey('fix a failing test', { service: { script }, not: withoutCommands }, async (walk) => {
    const { workbench, panel, picture } = walk;
    const read = await breakCode(walk);
    const before = await read();
    await connect(walk);
    await panel.ask('The test fails, fix it.');

    const edits = panel.calls('edit_file');
    await edits.first().getByRole('button', { name: 'Allow Once' }).waitFor();
    const lines = edits.first().getByRole('group', { name: 'Change', exact: true });
    assert.match(await panel.words(lines), /− .*5\) \/ 9 \+ 32;.*\+ .*9\) \/ 5 \+ 32;/s);
    await picture('1-asks-for-an-edit');
    assert.deepEqual(await read(), before, 'Something was written before it was allowed.');
    await edits.first().getByRole('button', { name: 'Review Diff' }).click();
    // The editor exists before its text does, and the text before its syntax colors.
    const diff = workbench.page.locator('.monaco-diff-editor').first();
    await diff.locator('.view-line', { hasText: 'celsius * 9' }).first().waitFor();
    await diff.locator('.char-insert, .line-insert').first().waitFor();
    await untilEnabled(edits.first().getByRole('button', { name: 'Allow Once' }));
    await picture('2-shows-the-diff');
    await workbench.page.locator('.editor-actions a[aria-label^="Deny Edit"]').first().waitFor();
    await allowInChat(panel, edits.first());
    await diff.waitFor({ state: 'hidden' });

    await workbench.dialog.getByText('node src/check.mjs').waitFor();
    await picture('3-asks-for-a-command');
    await decide(walk, 'Allow Once');
    await panel.settled();
    await panel.replies.first().getByText('the check passes').waitFor();
    await picture('4-answered');
    const after = await read();
    assert.match(after[0] ?? '', /celsius \* 9/);
    assert.match(after[1] ?? '', /100 \* 9/);

    await press(panel.button('Undo All'));
    await panel.replies.first().getByText('undone').first().waitFor();
    await picture('5-undone');
    assert.deepEqual(await read(), before);

    // The button replaces the one that was clicked and takes its focus.
    await untilEnabled(panel.button('Redo All'));
    await workbench.page.keyboard.press('Enter');
    await panel.button('Undo All').waitFor();
    assert.deepEqual(await read(), after);
    await press(panel.button(/^Undo src\/temperature/));
    await panel.button(/^Redo src\/temperature/).waitFor();
    assert.deepEqual(await read(), [before[0], after[1]]);
    await picture('6-redone-and-one-undone');
    await press(panel.button('Redo All'));
    await panel.button('Redo All').waitFor({ state: 'hidden' });
    assert.deepEqual(await read(), after);
  });

  journey(
    'review several files hunk by hunk',
    // In a reused window, the language service may know another project.
    { freshWindow: true, service: { script: renaming }, not: withoutProject },
    async (walk) => {
      const { workbench, panel, picture, workspace } = walk;
      const { page } = workbench;
      // With this file, closed files belong to the project too.
      const project = { compilerOptions: { allowImportingTsExtensions: true, noEmit: true } };
      await writeFile(join(workspace, 'tsconfig.json'), JSON.stringify(project));
      await writeFile(join(workspace, 'src/names.ts'), 'export const station = 1;\n');
      for (const name of three) {
        const text = `import { station } from './names.ts';\n\nexport const ${name} = station;\n`;
        await writeFile(join(workspace, `src/${name}.ts`), text);
      }
      await connect(walk);
      await workbench.openFile('three.ts');
      await panel.show();
      await panel.ask('Call it place.');
      const call = panel.calls('rename_symbol').first();
      await call.getByRole('button', { name: 'Review Diff' }).click();
      const accept = page.locator('.codelens-decoration a', { hasText: 'Accept' });
      await accept.first().waitFor();
      await picture('1-first-file');
      const tabs = page.locator('.tab', { hasText: 'Proposed Change' });
      const title = await tabs.first().innerText();
      await page.keyboard.press('ControlOrMeta+Alt+Backspace');
      await tabs.filter({ hasNotText: title }).first().waitFor();
      await accept.first().waitFor();
      await picture('2-next-file');
      await page.locator('.editor-actions a[aria-label^="Allow Edit"]').first().click();
      await tabs.first().waitFor({ state: 'hidden' });
      await panel.settled();
      await picture('3-decided');
      const after = await Promise.all(
        ['names', ...three].map((name) => readFile(join(workspace, `src/${name}.ts`), 'utf8')),
      );
      assert.equal(after.filter((text) => text.includes('station')).length, 1);
    },
  );

  journey('change an edit before it is allowed', { service: { script: editing } }, async (walk) => {
    const { workbench, panel, picture, workspace } = walk;
    const { keyboard } = workbench.page;
    const file = join(workspace, 'src/limits.ts');
    await writeFile(file, limits.join('\n'));
    await connect(walk);
    await panel.ask('Use the records as limits.');
    await panel.calls('edit_file').first().getByRole('button', { name: 'Review Diff' }).click();
    const accept = workbench.page.locator('.codelens-decoration a', { hasText: 'Accept' });
    await accept.nth(1).waitFor();
    const line = (text: string): Locator =>
      workbench.page.locator('.modified .view-line', { hasText: text });
    await line('lowest = -89;').click();
    await keyboard.press('End');
    await keyboard.type(' // Vostok');
    await line('-89; // Vostok').waitFor();
    await keyboard.press('ControlOrMeta+Z');
    await line('Vostok').waitFor({ state: 'hidden' });
    await keyboard.press('ControlOrMeta+Shift+Z');
    await line('-89; // Vostok').waitFor();
    await workbench.page.locator('.tab.dirty').waitFor({ state: 'hidden' });
    await picture('1-changed');
    await keyboard.press('ControlOrMeta+Alt+Y');
    await accept.nth(1).waitFor({ state: 'hidden' });
    assert.equal(await readFile(file, 'utf8'), limits.join('\n'));
    await picture('2-one-hunk-accepted');
    await keyboard.press('ControlOrMeta+Alt+Enter');
    await workbench.page.locator('.monaco-diff-editor').waitFor({ state: 'hidden' });
    await panel.settled();
    await picture('3-allowed');
    const after = limits.join('\n').replace('1;', '-89; // Vostok').replace('9;\n', '57;\n');
    assert.equal(await readFile(file, 'utf8'), after);
    assert.match(
      lastRequest(walk).results.at(-1) ?? '',
      /written:\nsrc\/limits\.ts\n@@ .* @@\n-.*lowest = -89;\n\+.*lowest = -89; \/\/ Vostok\n( .*\n?)*$/,
    );
  });

  journey('deny, and stop', { service: { script } }, async (walk) => {
    const { panel, picture } = walk;
    const read = await breakCode(walk);
    const before = await read();
    await connect(walk);
    await panel.ask('The test fails, fix it.');
    await panel.calls('edit_file').first().getByRole('button', { name: 'Deny' }).click();
    const second = panel.calls('edit_file').nth(1);
    await second.getByRole('button', { name: 'Allow Once' }).waitFor();
    await panel.button('Stop').click();
    await panel.settled();
    await picture('stopped');
    assert.deepEqual(await read(), before);
  });
});
