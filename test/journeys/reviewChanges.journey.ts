import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Script } from '../../src/local/completionsEndpoint.ts';
import { connect } from './support/connect.ts';
import { journey } from './support/journey.ts';
import { commitAll } from '../support/gitIn.ts';
import { withoutGit } from './support/reasons.ts';

const added = [
  '',
  'export function coldest(readings: Reading[]): Reading | undefined {',
  '  console.log(readings);',
  '  return readings.sort((one, other) => one.celsius - other.celsius)[0];',
  '}',
  '',
];

const sorts = {
  kind: 'bug',
  comment:
    '`sort` changes the list of the caller. Use `toSorted`, or look for the minimum.\n\n![x](https://evil.example/x.png) <b>bold</b>',
};

/** Comments on added lines, and edits that resolve the comments. */
const reviewer: Script = ({ messages }) => {
  const [system, user] = messages.map(({ content }) => content);
  if (system?.includes('You review changes') === true) {
    const numberOf = (text: string): number =>
      Number(new RegExp(`^ *(\\d+) \\+.*${text}`, 'm').exec(user ?? '')?.[1]);
    const file = 'src/temperature.ts';
    const debugging = { kind: 'suggestion', comment: 'Remove this output before you commit.' };
    const comments = [
      { file, line: numberOf('console'), ...debugging },
      { file, line: numberOf('sort'), ...sorts },
    ];
    return { content: comments.map((comment) => `${JSON.stringify(comment)}\n`).join('') };
  }
  const code = added.slice(1, 5).map((line) => line.replace('.sort(', '.toSorted('));
  return { content: `\`\`\`ts\n${code.join('\n')}\n\`\`\`` };
};

describe('journey: comments on changes', () => {
  journey(
    'review changes',
    { freshWindow: true, service: { script: reviewer, pace: 20 }, not: withoutGit },
    async (walk) => {
      const { workbench, panel, workspace, service, picture } = walk;
      const { page } = workbench;
      commitAll(workspace, 'Show the weather of all stations');
      const file = join(workspace, 'src/temperature.ts');
      await writeFile(file, (await readFile(file, 'utf8')) + added.join('\n'));
      await connect(walk);
      await workbench.openFile('temperature.ts');
      await workbench.selectLines(32, 32);
      await workbench.showContainer('Source Control');
      const header = page.locator('.sidebar .pane-header', { hasText: 'Changes' }).first();
      await header.hover();
      await header
        .getByLabel(/More Actions/)
        .first()
        .click();
      const item = page.locator('.monaco-menu .action-item', { hasText: 'Review Changes' });
      await item.waitFor();
      await picture('1-in-source-control');
      await item.click();
      await workbench.toast('The review has 2 comments in 1 file.').waitFor();
      const comments = page.locator('.review-widget');
      const bug = comments.filter({ hasText: 'changes the list of the caller' });
      await bug.first().waitFor();
      assert.equal(await comments.locator('img[src*="evil"], b').count(), 0);
      // VS Code opens the comments panel by itself, which covers half of the code.
      const hidePanel = page.locator('.part.panel').getByRole('button', { name: 'Hide Panel' });
      await hidePanel.click();
      // The message hides itself after 10 s, which themes and pictures can take.
      await workbench.toastButton('The review has 2 comments', 'Show Comments').click();
      await page.locator('.comments-panel').getByText('toSorted').first().waitFor();
      await picture('2-all-comments');
      await hidePanel.click();
      await picture('3-dark');
      await workbench.setTheme('high-contrast');
      await picture('4-high-contrast');
      await workbench.setTheme('dark');

      const other = comments.filter({ hasText: 'Remove this output' });
      await other.getByRole('button', { name: 'Resolve Comment' }).click();
      await other.first().waitFor({ state: 'hidden' });
      await bug.getByRole('button', { name: 'Fix in Editor…' }).click();
      const accept = page.locator('.codelens-decoration a', { hasText: 'Accept' }).first();
      await accept.waitFor();
      await picture('5-fix-to-review');
      const sent = JSON.stringify(service.requests.at(-1)?.body);
      assert.match(sent, /Use `toSorted`/);
      await accept.click();
      await accept.waitFor({ state: 'hidden' });
      const lines = page.locator('.editor-group-container.active .view-lines').first();
      await lines.getByText('toSorted').first().waitFor();
      await bug.getByRole('button', { name: 'Add Comment to Chat' }).click();
      await panel.button('Remove Review Comment').waitFor();
      await panel.button('Remove temperature.ts:33').waitFor();
      await picture('6-in-chat');
      await workbench.command('Aside: Delete All Review Comments');
      await comments.first().waitFor({ state: 'hidden' });
    },
  );
});
