import assert from 'node:assert/strict';
import { access, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { allowEdits, asksEachTime } from './support/allowEdits.ts';
import { connect } from './support/connect.ts';
import { journey, type Journey } from './support/journey.ts';
import { modelAnswering } from '../support/modelSaying.ts';
import { press } from './support/press.ts';

type Edit = readonly [path: string, search: string, replace: string];

function editing(...edits: readonly Edit[]) {
  return edits.map(
    ([path, search, replace]) => ['edit_file', { path, edits: [{ search, replace }] }] as const,
  );
}

const script = modelAnswering({
  'Name the sizes.': ['Which names do you want?'],
  'Use words.': [
    editing(['src/sizes.ts', 'a = 1', 'small = 1'], ['src/list.ts', '[a]', '[small]']),
    [['create_file', { path: 'src/names.ts', content: "export const names = ['small'];\n" }]],
    'The sizes have names.',
  ],
  'And a larger one.': [
    editing(['src/sizes.ts', 'small = 1', 'small = 1, large = 2'], ['src/mine.ts', '1', '2']),
    'There is a large size.',
  ],
  'Use letters.': ['I leave the letters as they are.'],
});

const before = { sizes: 'export const a = 1;\r\n', list: 'export default [a];\n', mine: '1\n' };

async function texts({ workspace }: Journey): Promise<readonly (string | undefined)[]> {
  return Promise.all(
    ['sizes', 'list', 'names', 'mine'].map(async (name) => {
      const path = join(workspace, `src/${name}.ts`);
      const isThere = await access(path).then(
        () => true,
        () => false,
      );
      return isThere ? readFile(path, 'utf8') : undefined;
    }),
  );
}

describe('journey: restore', () => {
  journey('restore files to before a message', { service: { script } }, async (walk) => {
    const { workbench, panel, picture, workspace } = walk;
    const { page } = workbench;
    for (const [name, text] of Object.entries(before))
      await writeFile(join(workspace, `src/${name}.ts`), text);
    await connect(walk);
    await panel.ask('Name the sizes.');
    await panel.settled();
    await panel.ask('Use words.');
    await allowEdits(walk, 2);
    await press(panel.calls('create_file').first().getByRole('button', { name: 'Allow Once' }));
    await panel.settled();
    await panel.ask('And a larger one.');
    if (asksEachTime) await allowEdits(walk, 2);
    await panel.replies.nth(2).getByText('There is a large size.').waitFor();
    await panel.settled();
    const changed = await texts(walk);
    const names = "export const names = ['small'];\n";
    const sizes = 'export const small = 1, large = 2;\r\n';
    assert.deepEqual(changed, [sizes, 'export default [small];\n', names, '2\n']);
    await writeFile(join(workspace, 'src/mine.ts'), '2\nmine\n');

    await panel.button('Edit Message').nth(1).click();
    const box = panel.frame.getByRole('checkbox', {
      name: 'Restore files to before this message',
      exact: true,
    });
    await panel.frame.getByText('3 of 4 files').waitFor();
    assert.equal(await box.isChecked(), false);
    await box.check();
    await panel.frame.getByText('Changed since, stays as it is: src/mine.ts').waitFor();
    await picture('1-box');
    await panel.button('Review…').click();
    const diff = page.locator(
      '.multiDiffEntry, .multi-diff-root-floating-menu, .monaco-diff-editor',
    );
    await diff.first().waitFor();
    await page.locator('.view-line', { hasText: 'small = 1, large = 2' }).first().waitFor();
    await picture('2-review');
    assert.deepEqual((await texts(walk)).slice(0, 3), changed.slice(0, 3));

    // The editor has focus, so the page must be focused first, as a click does.
    const field = panel.frame.getByRole('textbox', { name: 'Edited Message' });
    await field.click();
    await field.fill('Use letters.');
    await press(panel.button('Send Again'));
    await panel.replies.nth(1).getByText('I leave the letters').waitFor();
    await panel.settled();
    const restored = panel.frame.getByRole('group', { name: 'Restored Files', exact: true });
    await restored.getByText('3 files restored').waitFor();
    await restored.getByText('Not restored because of later changes: src/mine.ts').waitFor();
    await picture('3-restored');
    const after = [before.sizes, before.list, undefined, '2\nmine\n'];
    assert.deepEqual(await texts(walk), after);

    await panel.button('Previous Version').first().click();
    await panel.replies.nth(2).getByText('There is a large size.').waitFor();
    assert.deepEqual(await texts(walk), after, 'Another version is shown, and files were changed.');
    await picture('4-other-version');
    await panel.button('Next Version').first().click();
    await press(panel.button('Undo Restore'));
    await restored.getByText('3 files restored, then undone').waitFor();
    assert.deepEqual(await texts(walk), [...changed.slice(0, 3), '2\nmine\n']);
    await press(panel.button('Redo Restore'));
    await panel.button('Undo Restore').waitFor();
    assert.deepEqual(await texts(walk), after);
    await picture('5-redone');
  });
});
