import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { commitAll } from '../support/gitIn.ts';
import { modelSaying } from '../support/modelSaying.ts';
import { allowInChat } from './support/allowEdits.ts';
import { connect } from './support/connect.ts';
import { journey, type Journey } from './support/journey.ts';
import { withoutCommands } from './support/reasons.ts';
import { press } from './support/press.ts';

const edit = (path: string) =>
  ['edit_file', { path, edits: [{ search: 'one', replace: 'two' }] }] as const;
const script = modelSaying(
  [edit('src/first.ts')],
  [edit('src/second.ts')],
  [edit('src/notes.ts')],
  [['create_file', { path: 'src/new.ts', content: 'two\n' }]],
  'All are changed.',
);

/** The card of a call that waits because Git doesn't track its file. */
async function allowUntracked({ panel }: Journey, tool: string, index: number): Promise<void> {
  const card = panel.calls(tool).nth(index);
  await card.getByText("Git doesn't track this file.").waitFor();
  assert.equal(await card.getByRole('button', { name: 'More Ways to Allow…' }).count(), 0);
  await press(card.getByRole('button', { name: 'Allow Once' }));
}

describe('journey: Allow in This Chat in a repository', () => {
  journey(
    'covers files that Git tracks, and asks about others',
    { service: { script }, freshWindow: true, not: withoutCommands },
    async (walk) => {
      const { panel, picture, workspace } = walk;
      const path = (name: string): string => join(workspace, 'src', `${name}.ts`);
      for (const name of ['first', 'second']) await writeFile(path(name), 'one\n');
      commitAll(workspace, 'first');
      await writeFile(path('notes'), 'one\n');
      await connect(walk);
      await panel.ask('Change them.');
      await allowInChat(panel, panel.calls('edit_file').first());
      await panel.calls('edit_file').nth(2).getByText("Git doesn't track").waitFor();
      await picture('1-untracked');
      await allowUntracked(walk, 'edit_file', 2);
      await panel.calls('create_file').first().getByText("Git doesn't track").waitFor();
      await picture('2-new');
      await allowUntracked(walk, 'create_file', 0);
      await panel.settled();
      for (const name of ['first', 'second', 'notes', 'new'])
        assert.equal(await readFile(path(name), 'utf8'), 'two\n');
    },
  );
});
